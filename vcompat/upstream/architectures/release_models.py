"""Which models a release has: the architectures that vLLM serves, the model types and classes of transformers.

They are read from the tables of vLLM's registry and of transformers' ``Auto`` classes, and from the definitions of
transformers' model classes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vcompat.facts.records.models import (
    ARCHITECTURES,
    COMPATIBLE,
    ELSEWHERE,
    FALLBACK,
    FALLBACK_CLASSES,
    HYBRID,
    IF_AUTO,
    IF_COMPATIBLE,
    IF_FLEX,
    IF_SETTABLE,
    MODEL_TYPES,
    MULTIMODAL,
    SUFFIXES,
)
from vcompat.foundation.syntax.bindings import assigned_by
from vcompat.foundation.syntax.terms import dotted, text_of
from vcompat.upstream.architectures.model_classes import kinds_of, registered_classes
from vcompat.upstream.offers.release_rows import Read

#: The kinds of names that are recorded of each package.
KINDS = {
    "transformers": (MODEL_TYPES, ARCHITECTURES, COMPATIBLE),
    "vllm": (ARCHITECTURES, FALLBACK, MULTIMODAL, HYBRID, ELSEWHERE),
}

#: Where vLLM has its registry; the first before 0.6.2.
_REGISTRIES = ("vllm/model_executor/models/__init__.py", "vllm/model_executor/models/registry.py")
#: Where vLLM decides between its own classes and transformers'.
_RESOLUTION = ("vllm/model_executor/models/registry.py", "vllm/model_executor/model_loader/utils.py")
#: The attributes of a class of transformers that vLLM looks at, and whether the engine's model_impl must be "auto".
_ASKS = {
    IF_COMPATIBLE: r"\.is_backend_compatible\(",
    IF_SETTABLE: r"\._can_set_attn_implementation\(",
    IF_FLEX: r"\._supports_flex_attn\b",
    IF_AUTO: r'and model_config\.model_impl == (?:ModelImpl\.AUTO|"auto")',
}
_AUTO = "src/transformers/models/auto/"
_TYPES = "CONFIG_MAPPING_NAMES"
_MODELING = re.compile(r"(?:src/)?transformers/models/\w+/modeling_(?!tf_|flax_)\w+\.py")
_CLASS = re.compile(r"^class (\w+)\(([^)]*)\):", re.MULTILINE)
_FLAG = re.compile(r"^    _supports_attention_backend(?:: bool)? = (True|False)$", re.MULTILINE)

#: What is recorded of a release: for each kind of name, the names.
Models = Mapping[str, frozenset[str]]


def models_of(package: str, read: Read, paths: frozenset[str]) -> Models:
    """Return what is recorded of one release. `read` returns the text of a file, `paths` are all files."""
    return _of_vllm(read) if package == "vllm" else _of_transformers(read, paths)


def _of_vllm(read: Read) -> Models:
    texts = [read(path) or "" for path in _REGISTRIES]
    rows = {name: row for text in texts for name, row in registered_classes(ast.parse(text)).items()}
    return {
        ARCHITECTURES: frozenset(rows),
        FALLBACK: frozenset(_fallback(read, set(rows))),
        **kinds_of(rows, read),
    }


def _of_transformers(read: Read, paths: frozenset[str]) -> Models:
    texts = [read(f"{_AUTO}{name}.py") or "" for name in ("configuration_auto", "auto_mappings")]
    modules = [read(path) or "" for path in sorted(paths) if _MODELING.fullmatch(path)]
    served = [model for text in modules for model in _classes(text) if model.name.endswith(SUFFIXES)]
    return {
        MODEL_TYPES: frozenset(name for text in texts for name in _keys_of(_TYPES, ast.parse(text))),
        ARCHITECTURES: frozenset(model.name for model in served),
        COMPATIBLE: frozenset(model.name for model in served if model.compatible),
    }


def _fallback(read: Read, served: set[str]) -> Iterator[str]:
    """Yield by what the release decides whether a class of transformers serves the model; nothing if none can."""
    if served & set(FALLBACK_CLASSES):
        text = "".join(read(path) or "" for path in _RESOLUTION)
        yield from (name for name, pattern in _ASKS.items() if re.search(pattern, text))


def _keys_of(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield the keys of the mapping `name`: of tables and lists of pairs that are assigned to it or update it."""
    for node in tree.body:
        target = ""
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = dotted(assigned_by(node)[0])
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            target = dotted(node.value.func).removesuffix(".update")
        if target == name:
            yield from _strings_before_others(node)


def _strings_before_others(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        keys: list[ast.expr | None] = []
        if isinstance(inner, ast.Dict):
            keys = list(inner.keys)
        elif isinstance(inner, ast.Tuple) and len(inner.elts) == 2:
            keys = [inner.elts[0]]
        yield from filter(None, map(text_of, keys))


class _Class(NamedTuple):
    name: str
    compatible: bool
    """Whether it, or a base in the same module, sets ``_supports_attention_backend`` to true."""


def _classes(text: str) -> Iterator[_Class]:
    """Yield the classes of a module of transformers."""
    matches = list(_CLASS.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    bases: dict[str, list[str]] = {}
    flags: dict[str, bool] = {}
    for match, end in zip(matches, ends, strict=True):
        bases[match[1]] = [base.strip() for base in match[2].split(",")]
        flag = _FLAG.search(text, match.end(), end)
        if flag:
            flags[match[1]] = flag[1] == "True"
    for name in bases:
        yield _Class(name, _inherited(name, bases, flags))


def _inherited(name: str, bases: dict[str, list[str]], flags: dict[str, bool]) -> bool:
    if name in flags:
        return flags[name]
    return any(_inherited(base, bases, flags) for base in bases.get(name, ()) if base != name)
