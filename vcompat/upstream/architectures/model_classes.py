"""Which classes of vLLM's registry take images, video or audio, and which have layers that keep a state.

vLLM decides by the interfaces among the bases of a model's class (`vllm/model_executor/models/interfaces.py`). They are
followed through the modules of the models, without importing anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vcompat.facts.records.models import ELSEWHERE, HYBRID, MULTIMODAL
from vcompat.foundation.syntax.bindings import absolute
from vcompat.foundation.syntax.terms import text_of
from vcompat.upstream.offers.release_rows import Read

#: The interfaces that are recorded, and under which kind of names. `SupportsVision` is the name up to vLLM 0.5.4;
#: hybrid models have only `HasInnerState` before 0.6.5, as do models without attention.
_INTERFACES = {
    "SupportsMultiModal": MULTIMODAL,
    "SupportsVision": MULTIMODAL,
    "IsHybrid": HYBRID,
    "HasInnerState": HYBRID,
}
_NO_ATTENTION = "IsAttentionFree"
_CLASS = re.compile(r"^class (\w+)(?:\(([^)]*)\))?:", re.MULTILINE)
_IMPORT = re.compile(r"^from ([\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_MODELS = "vllm.model_executor.models"
#: Bases that are no classes of a module.
_BUILT_IN = frozenset({"object", "Protocol", "Generic", "ABC", "Exception"})


class _Module(NamedTuple):
    bases: Mapping[str, tuple[str, ...]]
    """For each class, the names of its bases."""
    imports: Mapping[str, tuple[str, str]]
    """For each imported name, the module that it comes from, and its name there."""


def kinds_of(served: Mapping[str, tuple[str, str]], read: Read) -> dict[str, frozenset[str]]:
    """Return the architectures whose class has an interface, for each kind, and under ELSEWHERE those without a class.

    `served` maps architectures to the module and the class that vLLM's registry states.
    """
    classes = _Classes(read)
    architectures: dict[str, set[str]] = {kind: set() for kind in (*_INTERFACES.values(), ELSEWHERE)}
    for architecture, (module, name) in served.items():
        place = module if module.startswith("vllm.") else f"{_MODELS}.{module}"
        interfaces = set(classes.interfaces(place, name, ()))
        hidden = {HYBRID} if _NO_ATTENTION in interfaces else set()
        for kind in {_INTERFACES.get(interface, ELSEWHERE) for interface in interfaces - {_NO_ATTENTION}} - hidden:
            architectures[kind].add(architecture)
    return {kind: frozenset(names) for kind, names in architectures.items()}


def registered_classes(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Return the architectures in the tables of a registry, each with module and class."""
    classes = {}
    tables = (node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    for table in (table for table in tables if isinstance(table, ast.Dict)):
        for architecture, value in zip(map(text_of, table.keys), table.values, strict=True):
            row = value.elts if isinstance(value, ast.Tuple) and len(value.elts) in (2, 3) else []
            texts = [*filter(None, map(text_of, row))]
            if architecture and len(texts) >= 2:
                classes[architecture] = (texts[-2], texts[-1])
    return classes


class _Classes:
    """The classes of one release, whose modules are read once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._modules: dict[str, _Module | None] = {}

    def interfaces(self, module: str, name: str, below: tuple[tuple[str, str], ...]) -> Iterator[str]:
        """Yield the interfaces among the bases of a class, and an empty text if a class of vLLM is not found.

        `below` are the classes on the way to this one.
        """
        here = (module, name)
        if here in below:
            return
        if module not in self._modules:
            self._modules[module] = _module(module, self._read)
        defined = self._modules[module]
        if defined is not None and name in defined.bases:
            for base in defined.bases[name]:
                if base in _INTERFACES or base == _NO_ATTENTION:
                    yield base
                elif base in defined.bases:
                    yield from self.interfaces(module, base, (*below, here))
                elif base in defined.imports:
                    yield from self._imported(*defined.imports[base], (*below, here))
                elif base not in _BUILT_IN and "." not in base:
                    yield ""
        elif defined is not None and name in defined.imports:
            yield from self._imported(*defined.imports[name], (*below, here))
        else:
            yield ""

    def _imported(self, module: str, name: str, below: tuple[tuple[str, str], ...]) -> Iterator[str]:
        """What other packages define, such as torch.nn, has none of the interfaces."""
        if module.startswith("vllm."):
            yield from self.interfaces(module, name, below)


def _module(module: str, read: Read) -> _Module | None:
    stem, is_package = module.replace(".", "/"), False
    text = read(f"{stem}.py")
    if text is None:
        text, is_package = read(f"{stem}/__init__.py"), True
    if text is None:
        return None
    bases = {m[1]: tuple(_names(m[2] or "")) for m in _CLASS.finditer(text)}
    imports = {}
    for match in _IMPORT.finditer(text):
        name = match[1].lstrip(".")
        source = absolute(name, len(match[1]) - len(name), module, is_package)
        for item in _COMMENT.sub("", match[2] or match[3]).split(","):
            original, _, renamed = item.strip().partition(" as ")
            imports[renamed.strip() or original] = (source, original)
    return _Module(bases, imports)


def _names(bases: str) -> Iterator[str]:
    """Yield the names in a list of bases: of ``Base[Inner]``, the base."""
    for base in _COMMENT.sub("", bases).split(","):
        name = base.strip().partition("[")[0]
        if name and "=" not in name:
            yield name
