"""What of a release a kernel needs: its wrapper, and the functions, classes and constants that it names.

vLLM's modules import much more than a kernel does: configuration, compiled extensions, packages of other releases. So
the other statements of a module are left out. What remains keeps its text and its lines. This text is both what is run
and what is hashed, so releases with the same text need one measurement.

A class that only annotations name does nothing, so it is `object`. Modules that describe the machine, log or read
settings are not part of a kernel: `SURROUNDINGS`. They are imported whole, and are not hashed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from vcompat.foundation.syntax.bindings import absolute

PACKAGE = "vllm"
#: Modules that do not take part in what is compiled.
SURROUNDINGS = (
    "vllm.logger",
    "vllm.envs",
    "vllm.platforms",
    "vllm.plugins",
    "vllm.utils",
    "vllm.config",
    "vllm.triton_utils.importing",
    "vllm.model_executor.layers.batch_invariant",
    "vllm.model_executor.determinism.batch_invariant",
    "vllm.v1.kv_cache_interface",
)
_Reader = Callable[[str], "str | None"]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Need(NamedTuple):
    """A name of a module that something needs."""

    module: str
    name: str
    annotation: bool
    """Whether only an annotation names it."""


class _Module:
    """A module's top-level statements, and the names that each binds."""

    def __init__(self, name: str, path: str, text: str) -> None:
        self.path, self.lines = path, text.splitlines()
        self.name, self.is_package = name, path.endswith("/__init__.py")
        self.body = [one for one in ast.parse(text).body if not _is_text(one)]
        self.binds = [set(_bound(one)) for one in self.body]
        self.needed: dict[int, set[str]] = {}
        self.annotated: set[str] = set()

    def statements_of(self, name: str) -> Iterator[int]:
        """Yield the indexes of the statements that bind a name."""
        return (index for index, names in enumerate(self.binds) if name in names)


def closure(module: str, entries: Iterable[str], read: _Reader) -> dict[str, str]:
    """Return the text of each module that the functions `entries` of `module` need, by the path of its file.

    `read` returns the text of a file of the release, None if there is none. Entries that the module lacks are left out.
    """
    found = _Closure(read)
    found.follow([_Need(module, entry, False) for entry in entries])
    return {one.path: _pruned(one) for _, one in sorted(found.modules.items()) if one.needed}


class _Closure:
    def __init__(self, read: _Reader) -> None:
        self._read = read
        self.modules: dict[str, _Module] = {}
        self._seen: set[_Need] = set()

    def follow(self, waiting: list[_Need]) -> None:
        while waiting:
            need = waiting.pop()
            if need in self._seen:
                continue
            self._seen.add(need)
            known = self._module(need.module)
            if known is None:
                continue
            for index in known.statements_of(need.name):
                waiting += self._needs(known, need, index)

    def _module(self, name: str) -> _Module | None:
        if name not in self.modules:
            path = _path(name, self._read)
            if not path:
                return None
            self.modules[name] = _Module(name, path, self._read(path) or "")
        return self.modules[name]

    def _needs(self, module: _Module, need: _Need, index: int) -> list[_Need]:
        """What a statement that binds `need` needs in its turn."""
        statement = module.body[index]
        imported = isinstance(statement, ast.ImportFrom) and is_part(_source(module, statement))
        if need.annotation and (imported or isinstance(statement, ast.ClassDef)):
            module.annotated.add(need.name)
            module.needed.setdefault(index, set())
            return []
        module.needed.setdefault(index, set()).add(need.name)
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return list(self._imported(module, statement, need.name, set()))
        return list(self._named(module, need, statement))

    def _named(self, module: _Module, need: _Need, statement: ast.stmt) -> Iterator[_Need]:
        """What the names in a statement refer to: names of its module, and what functions import."""
        attributes = _attributes(statement)
        for name, only_annotation in _names(statement).items():
            yield _Need(need.module, name, only_annotation)
            for index in module.statements_of(name) if not only_annotation else ():
                one = module.body[index]
                if isinstance(one, (ast.Import, ast.ImportFrom)):
                    yield from self._imported(module, one, name, attributes.get(name, set()))
        for node in ast.walk(statement):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    yield from self._imported(module, node, alias.asname or alias.name, set())

    def _imported(
        self, module: _Module, node: ast.Import | ast.ImportFrom, bound: str, attributes: set[str]
    ) -> Iterator[_Need]:
        """What an import of a name of vLLM needs; of a module, the `attributes` that are used."""
        if isinstance(node, ast.Import):
            return
        source = _source(module, node)
        for alias in node.names:
            if (alias.asname or alias.name) != bound or not is_part(source, alias.name):
                continue
            whole = f"{source}.{alias.name}"
            if _path(whole, self._read):
                yield from (_Need(whole, attribute, False) for attribute in attributes)
            else:
                yield _Need(source, alias.name, False)


def is_part(module: str, name: str = "") -> bool:
    """Whether a module of vLLM, or `name` in it, takes part in what is compiled."""
    dotted = f"{module}.{name}." if name else f"{module}."
    return dotted.startswith(f"{PACKAGE}.") and not any(dotted.startswith(f"{other}.") for other in SURROUNDINGS)


def _path(module: str, read: _Reader) -> str:
    base = module.replace(".", "/")
    return next((path for path in (f"{base}.py", f"{base}/__init__.py") if read(path) is not None), "")


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _source(module: _Module, statement: ast.ImportFrom) -> str:
    """Return the module that an import names, also relative to its own."""
    return absolute(statement.module or "", statement.level, module.name, module.is_package)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a top-level statement binds; those in its branches, too."""
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _names(statement: ast.stmt) -> dict[str, bool]:
    """The names that a statement uses, and whether only annotations do."""
    annotations = {id(inner) for node in ast.walk(statement) for part in _annotations(node) for inner in ast.walk(part)}
    names: dict[str, bool] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names[node.id] = names.get(node.id, True) and id(node) in annotations
    return names


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.arg) and node.annotation:
        yield node.annotation
    elif isinstance(node, _FUNCTIONS) and node.returns:
        yield node.returns
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation


def _attributes(statement: ast.stmt) -> dict[str, set[str]]:
    """For each name, the attributes of it that a statement uses."""
    attributes: dict[str, set[str]] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.setdefault(node.value.id, set()).add(node.attr)
    return attributes


def _pruned(module: _Module) -> str:
    """The module's text with the statements that are needed, on the lines that they have in the release."""
    lines = [""] * len(module.lines)
    for index, names in sorted(module.needed.items()):
        statement = module.body[index]
        first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))]) - 1
        if isinstance(statement, ast.ImportFrom) and statement.module != "__future__":
            lines[first] = _import(statement, names, module.annotated)
        elif not names:
            lines[first] = f"{statement.name} = object" if isinstance(statement, ast.ClassDef) else ""
        else:
            lines[first : statement.end_lineno] = module.lines[first : statement.end_lineno]
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            lines[statement.lineno - 1] = module.lines[statement.lineno - 1]
    return "\n".join(lines) + "\n"


def _import(statement: ast.ImportFrom, names: set[str], annotated: set[str]) -> str:
    """An import of those names that are needed. Classes that only annotations name are `object`."""
    wanted = [alias for alias in statement.names if (alias.asname or alias.name) in names]
    typed = [
        alias.asname or alias.name for alias in statement.names if (alias.asname or alias.name) in annotated - names
    ]
    parts = [ast.unparse(ast.ImportFrom(statement.module, wanted, statement.level))] if wanted else []
    return "; ".join([*parts, *(f"{name} = object" for name in typed)])
