"""What one package's source uses of another: names it imports, arguments it passes, methods it calls.

Only uses that certainly run are listed. Code in a ``try`` that expects an error is left out. A use behind a comparison
with the other package's version has that comparison as its guard.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.rules.ranges import parse_range

IMPORT, ARGUMENT, METHOD, REPLACED = "imports", "passes", "calls", "replaces"


class Use(NamedTuple):
    """One use of the other package."""

    kind: str
    """IMPORT, ARGUMENT, METHOD or REPLACED (by a mock)."""
    module: str
    name: str
    """Name in the module, such as ``LLM`` or ``LLM.generate``; empty for the module itself."""
    argument: str = ""
    """The keyword, for ARGUMENT."""
    guards: tuple[str, ...] = ()
    """Version ranges of the other package in which the code runs, such as ``>=0.26.0``; all must hold."""

    def __str__(self) -> str:
        target = f"{self.module}.{self.name}".rstrip(".")
        return f"{self.kind} {target}({self.argument}=)" if self.argument else f"{self.kind} {target}"

    def runs_with(self, version: Version) -> bool:
        """Whether the code runs with this release of the other package."""
        return all(parse_range(guard).contains(version) for guard in self.guards)


class Place(NamedTuple):
    """The location of a use."""

    path: str
    line: int


def uses_in(source: str, other: str) -> Iterator[tuple[Use, int]]:
    """Yield the uses of package `other` in a module's source, with their lines; none if the source does not parse."""
    if other not in source:
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    reader = _Reader(other)
    reader.find_instances(tree)
    reader.visit(tree)
    yield from reader.found


#: A handler for one of these expects that the code in the ``try`` fails because something is missing.
_EXPECTED = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException", "TypeError"}
)
_SIGNS = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "==", ast.NotEq: "!="}
_OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}


class _Imported(NamedTuple):
    """The meaning of an imported name in a module."""

    module: str
    name: str
    guards: tuple[str, ...]


class _Reader(ast.NodeVisitor):
    """Visits a module in source order."""

    def __init__(self, other: str) -> None:
        self.found: list[tuple[Use, int]] = []
        self._other = other
        self._imported: dict[str, _Imported] = {}
        self._instances: dict[str, str] = {}
        self._flags: dict[str, list[str]] = {}
        self._guards: list[str] = []
        self._keys: dict[str, list[tuple[str, tuple[str, ...]]]] = {}

    def find_instances(self, tree: ast.Module) -> None:
        """Find variables that are only ever assigned the result of calling one name, anywhere in the module."""
        made_by: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                maker = node.value.func if isinstance(node.value, ast.Call) else None
                for target in node.targets:
                    name = maker.id if isinstance(maker, ast.Name) else ""
                    made_by.setdefault(ast.unparse(target), set()).add(name)
        self._instances = {name: makers.pop() for name, makers in made_by.items() if len(makers) == 1}

    def _use(self, node: ast.AST, use: Use) -> None:
        guards = tuple(dict.fromkeys([*self._guards, *use.guards]))
        self.found.append((use._replace(guards=guards), getattr(node, "lineno", 0)))

    def _is_other(self, module: str) -> bool:
        return module.partition(".")[0] == self._other

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if self._is_other(alias.name):
                local = alias.asname or alias.name.partition(".")[0]
                self._imported[local] = _Imported(alias.name if alias.asname else self._other, "", ())
                self._use(node, Use(IMPORT, alias.name, ""))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module and not node.level and self._is_other(node.module):
            for alias in node.names:
                if alias.name != "*":
                    guards = tuple(self._guards)
                    self._imported[alias.asname or alias.name] = _Imported(node.module, alias.name, guards)
                    self._use(node, Use(IMPORT, node.module, alias.name))

    def visit_Try(self, node: ast.Try) -> None:
        if not any(_expects(handler) for handler in node.handlers):
            for statement in node.body:
                self.visit(statement)
        else:
            # Visited for the names imported there, which other code may use; the uses inside are dropped.
            kept = len(self.found)
            for statement in node.body:
                self.visit(statement)
            del self.found[kept:]
        for rest in [*node.handlers, *node.orelse, *node.finalbody]:
            self.visit(rest)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        guard = self._guard(node.test)
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self._visit_guarded(node.body, guard)
        self._visit_guarded(node.orelse, [_negated(guard[0])] if len(guard) == 1 else [])

    def _visit_guarded(self, body: Sequence[ast.stmt], guard: Sequence[str]) -> None:
        kept = len(self._guards)
        self._guards.extend(guard)
        for statement in body:
            self.visit(statement)
        del self._guards[kept:]

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        guards = tuple(self._guards)
        implied = self._guard(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name) and implied:
                self._flags[target.id] = implied
            elif isinstance(target, ast.Name) and isinstance(node.value, ast.Dict):
                texts = [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
                self._keys[target.id] = [(text, guards) for text in texts if isinstance(text, str)]
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                key = target.slice
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    self._keys.setdefault(target.value.id, []).append((key.value, guards))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        called = node.func
        if isinstance(called, ast.Name) and called.id in self._imported:
            self._arguments(node, self._imported[called.id])
        elif isinstance(called, ast.Attribute):
            made_by = self._instances.get(ast.unparse(called.value), "")
            if made_by in self._imported:
                owner = self._imported[made_by]
                method = owner._replace(name=f"{owner.name}.{called.attr}")
                self._use(node, Use(METHOD, method.module, method.name, guards=method.guards))
                self._arguments(node, method)
        self._replaced(node)

    def _arguments(self, node: ast.Call, called: _Imported) -> None:
        """Add the keywords of a call. The guards of the import hold for the call too."""
        for keyword in node.keywords:
            if keyword.arg:
                self._use(keyword.value, Use(ARGUMENT, called.module, called.name, keyword.arg, called.guards))
            elif isinstance(keyword.value, ast.Name):
                for text, guards in self._keys.get(keyword.value.id, []):
                    passed = Use(ARGUMENT, called.module, called.name, text, called.guards + guards)
                    self._use(keyword.value, passed)

    def _guard(self, test: ast.expr) -> list[str]:
        """The version ranges of the other package that a condition implies; empty if it tests something else."""
        if isinstance(test, ast.Name):
            return self._flags.get(test.id, [])
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return [guard for value in test.values for guard in self._guard(value)]
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._guard(test.operand)
            return [_negated(inner[0])] if len(inner) == 1 else []
        if isinstance(test, ast.Call) and ast.unparse(test.func).endswith(f"is_{self._other}_available"):
            given = [*test.args, *(k.value for k in test.keywords if k.arg == "min_version")]
            return [f">={value.value!s}" for value in given if isinstance(value, ast.Constant)]
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _SIGNS:
            return _compared(test.left, _SIGNS[type(test.ops[0])], test.comparators[0], self._other)
        return []

    def _replaced(self, node: ast.Call) -> None:
        """Add a mock: ``patch("vllm.worker.worker.Worker.method")`` looks up the whole path."""
        first = node.args[0] if node.args else None
        path = first.value if isinstance(first, ast.Constant) else None
        if isinstance(path, str) and self._is_other(path) and ast.unparse(node.func).rpartition(".")[2] == "patch":
            self._use(node, Use(REPLACED, *_split_at_class(path)))


def _split_at_class(path: str) -> tuple[str, str]:
    """Split a dotted path into module and name; the name begins at the first capitalized part."""
    parts = path.split(".")
    end = next((index for index, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:end]), ".".join(parts[end:])


def _expects(handler: ast.ExceptHandler) -> bool:
    names = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    return any(name is None or ast.unparse(name) in _EXPECTED for name in names)


def _compared(left: ast.expr, sign: str, right: ast.expr, other: str) -> list[str]:
    texts = [node.value for node in ast.walk(right) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    compared = ast.unparse(left)
    if len(texts) != 1 or other not in compared or "version" not in compared.lower():
        return []
    try:
        return [f"{sign}{Version(texts[0])}"]
    except InvalidVersion:
        return []


def _negated(guard: str) -> str:
    sign = guard[:2] if guard[1:2] == "=" else guard[:1]
    return _OPPOSITE[sign] + guard.removeprefix(sign)
