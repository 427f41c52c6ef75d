"""What one module of a release defines, as rows: its names, classes, functions, registries and lines of code.

A row is a tuple of texts, the first of which is its kind. Equal modules have equal rows, so a row that stands in
several releases is kept once, with the releases. `vcompat/index/rows.py` defines the kinds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from vcompat.index.lines import code_hash, line_hash, normalized
from vcompat.index.packages import ROOTS
from vcompat.index.rows import (
    ATTRIBUTE,
    CLASS,
    CODE,
    CONDITIONAL,
    FIELD,
    FLAG,
    FOREIGN,
    FUNCTION,
    IMPORT,
    KEY,
    LAZY,
    LINE,
    META,
    SOME,
    STAR,
    STORED,
    TYPING,
    VARIABLE,
    Row,
)
from vcompat.upstream.names.signatures import short, signature

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
#: A module puts another one into ``sys.modules``.
_OTHER_MODULE = re.compile(r"sys\.modules\[(?!__name__\])[^]]+\] = ")
#: A module computes names that it defines.
_COMPUTES = re.compile(
    r"\bglobals\(\)(?!\[\"__file__\"\])|\bvars\(\)|\blocals\(\)(?:\[|\.update)|\bexec\(|setattr\(\s*sys\.modules"
)
#: Code in a class that gives its objects attributes without naming them.
_DYNAMIC = ("__getattr__", "__getattribute__", "__dict__", "setattr(self", "vars(self)", "setattr(cls")
#: The longest text that counts as the key of a registry, and the fewest keys of one.
_LONGEST_KEY, _FEWEST_KEYS = 60, 2
_BLOCKS = ("body", "orelse", "finalbody")
#: The kinds of rows that give a name a meaning.
_BINDING = frozenset({CLASS, FUNCTION, VARIABLE, IMPORT, FOREIGN, FIELD})
_MOST_LINES_OF_TABLE = 400


def rows_of(name: str, source: str, is_package: bool) -> frozenset[Row]:
    """Return the rows of the module `name` with this source."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset({(FLAG, "", "broken", "")})
    return frozenset(_Extractor(name, source, is_package).rows(tree))


class _Extractor:
    """Reads one module."""

    def __init__(self, name: str, source: str, is_package: bool) -> None:
        self._name, self._source, self._is_package = name, source, is_package
        self._lines = source.splitlines()
        self._found: list[Row] = []

    def rows(self, tree: ast.Module) -> list[Row]:
        self._scope(tree.body, "")
        flags = list(self._flags(tree))
        self._found += [(FLAG, "", flag, "") for flag in flags]
        if "lazy" in flags:
            self._found += [(LAZY, "", text, "") for text in sorted(set(_words_in(tree)))]
        self._code("", tree, 1, len(self._lines))
        return self._found

    def _flags(self, tree: ast.Module) -> Iterator[str]:
        if self._is_package:
            yield "package"
        if "sys.modules[__name__]" in self._source:
            yield "replaced"
        if _OTHER_MODULE.search(self._source):
            yield "makes"
        if _COMPUTES.search(self._source):
            yield "computes"
        if any(kind in _BINDING and (scope, name) == ("", "__getattr__") for kind, scope, name, _ in self._found):
            yield "lazy"
            function = next((n for n in tree.body if isinstance(n, _Function) and n.name == "__getattr__"), None)
            # Of a function that is made elsewhere, it is not known where it looks.
            if function is None or _forwards(function):
                yield "forwards"

    def _scope(self, body: Sequence[ast.stmt], owner: str) -> None:
        """Read the statements of a module or a class, and note which names only some ways through them bind."""
        start = len(self._found)
        surely = self._block(body, owner)
        bound = {name for kind, scope, name, _ in self._found[start:] if kind in _BINDING and scope == owner}
        self._found += [(CONDITIONAL, owner, name, "") for name in bound - surely]

    def _block(self, body: Sequence[ast.stmt], owner: str) -> set[str]:
        """Read the statements of a block; return the names that it binds for certain."""
        surely: set[str] = set()
        for node in body:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                self._typing(node.body)
                surely |= self._block(node.orelse, owner)
            elif isinstance(node, ast.Delete):
                surely -= {target.id for target in node.targets if isinstance(target, ast.Name)}
            else:
                surely |= self._statement(node, owner) | self._blocks(node, owner)
        return surely

    def _blocks(self, node: ast.stmt, owner: str) -> set[str]:
        """Read the blocks of a statement; return the names that each way through them binds."""
        if isinstance(node, ast.If):
            return self._ways([node.body, node.orelse], owner)
        if isinstance(node, ast.Try):
            ways = self._ways([[*node.body, *node.orelse], *(handler.body for handler in node.handlers)], owner)
            return ways | self._block(node.finalbody, owner)
        if isinstance(node, ast.With | ast.AsyncWith):
            expected = any("suppress" in ast.unparse(item.context_expr) for item in node.items)
            inside = self._block(node.body, owner)
            return set() if expected else inside
        for block in _blocks(node):
            self._block(block, owner)
        return set()

    def _ways(self, blocks: Sequence[Sequence[ast.stmt]], owner: str) -> set[str]:
        """The names that each of several ways binds, but for those that end in an error."""
        found = [(self._block(block, owner), block) for block in blocks]
        going_on = [surely for surely, block in found if not (block and isinstance(block[-1], ast.Raise))]
        return set.intersection(*going_on) if going_on else set()

    def _typing(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.ImportFrom):
                for alias, target in self._imported(node):
                    self._found.append((STAR, "", target, "") if alias == "*" else (TYPING, "", alias, target))
            for block in _blocks(node):
                self._typing(block)

    def _statement(self, node: ast.stmt, owner: str) -> set[str]:
        """Read what a statement binds itself; return the names."""
        before = len(self._found)
        if isinstance(node, _Function):
            self._function(node, owner)
            return {node.name}
        if isinstance(node, ast.ClassDef):
            self._class(node, owner)
            return {node.name}
        if isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                self._import(owner, alias.asname or target, f"{target}:")
        elif isinstance(node, ast.ImportFrom):
            for name, target in self._imported(node):
                if name == "*":
                    self._found.append((STAR, owner, target, ""))
                else:
                    self._import(owner, name, target)
        else:
            self._assigned(node, owner)
            if isinstance(node, ast.For | ast.AsyncFor | ast.AugAssign):
                return set()
        return {name for kind, scope, name, _ in self._found[before:] if kind in _BINDING and scope == owner}

    def _import(self, owner: str, name: str, target: str) -> None:
        is_recorded = target.partition(":")[0].partition(".")[0] in ROOTS
        self._found.append((IMPORT, owner, name, target) if is_recorded else (FOREIGN, owner, name, ""))

    def _assigned(self, node: ast.stmt, owner: str) -> None:
        value = getattr(node, "value", None)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and owner:
            self._found.append((FIELD, owner, node.target.id, short(value) if value else ""))
        elif not isinstance(node, ast.AnnAssign) or value is not None:
            for target in _targets(node):
                if isinstance(target, ast.Name):
                    self._found.append((VARIABLE, owner, target.id, ""))
                elif isinstance(target, ast.Attribute):
                    self._found.append((STORED, "", target.attr, ""))
        if isinstance(value, ast.expr) and isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                registry = f"{owner}.{target.id}" if owner else target.id
                self._found += [(KEY, registry, key, "") for key in sorted(set(_keys(value)))]

    def _imported(self, node: ast.ImportFrom) -> Iterator[tuple[str, str]]:
        base = node.module or ""
        if node.level:
            parts = self._name.split(".")
            parts = parts[: len(parts) - node.level + (1 if self._is_package else 0)]
            base = ".".join([*parts, *([node.module] if node.module else [])])
        for alias in node.names:
            yield (("*", base) if alias.name == "*" else (alias.asname or alias.name, f"{base}:{alias.name}"))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> None:
        name = f"{owner}.{node.name}" if owner else node.name
        self._found.append((FUNCTION, owner, node.name, signature(node)))
        self._code(name, node, node.lineno, node.end_lineno or node.lineno)
        self._stores(node, owner)
        self._nested(node.body, name)

    def _nested(self, body: Sequence[ast.stmt], owner: str) -> None:
        """Read the functions and classes in a function, for their lines."""
        for node in body:
            if isinstance(node, _Scope):
                self._code(f"{owner}.{node.name}", node, node.lineno, node.end_lineno or node.lineno)
                self._nested(node.body, f"{owner}.{node.name}")
            else:
                for block in _blocks(node):
                    self._nested(block, owner)

    def _class(self, node: ast.ClassDef, owner: str) -> None:
        name = f"{owner}.{node.name}" if owner else node.name
        text = "\n".join(self._lines[node.lineno - 1 : node.end_lineno])
        bases = ",".join(_base(base) for base in node.bases)
        decorators = "".join(f" @{_called(decorator)}" for decorator in node.decorator_list)
        dynamic = f" {SOME}" if any(word in text for word in _DYNAMIC) else ""
        keywords = f" {META}" if node.keywords else ""
        self._found.append((CLASS, owner, node.name, f"{bases}{decorators}{dynamic}{keywords}"))
        self._code(name, node, node.lineno, node.end_lineno or node.lineno)
        self._scope(node.body, name)

    def _stores(self, function: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> None:
        """Add the attributes that a function stores: those of ``self`` are its class's."""
        first = function.args.args[0].arg if owner and function.args.args else ""
        for target in _stored_in(function.body):
            if isinstance(target.value, ast.Name) and target.value.id == first:
                self._found.append((ATTRIBUTE, owner, target.attr, ""))
            else:
                self._found.append((STORED, "", target.attr, ""))
        for name in _globals_of(function.body):
            self._found.append((VARIABLE, "", name, ""))

    def _code(self, owner: str, node: ast.Module | _Scope, first: int, last: int) -> None:
        """Add the lines of code of one scope, without those of the scopes in it."""
        skipped: set[int] = set()
        _skip(node, skipped, is_own=True)
        lines = [
            text
            for number in range(first, last + 1)
            if number not in skipped and (text := normalized(self._lines[number - 1]))
        ]
        if not lines or (not isinstance(node, _Function) and len(lines) > _MOST_LINES_OF_TABLE):
            return
        self._found.append((CODE, owner, code_hash(lines), ""))
        self._found += [(LINE, owner, text, "") for text in {line_hash(line) for line in lines}]


def _skip(node: ast.AST, skipped: set[int], is_own: bool) -> None:
    """Collect the lines of docstrings and of inner scopes."""
    body: Sequence[ast.stmt] = getattr(node, "body", [])
    if is_own and body and isinstance(node, ast.Module | _Scope):
        first = body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            skipped.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    for block in _blocks(node) if not isinstance(node, ast.Module | _Scope) else (body,):
        for inner in block:
            if isinstance(inner, _Scope):
                skipped.update(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
            else:
                _skip(inner, skipped, is_own=False)


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    if isinstance(node, ast.Match):
        yield from (case.body for case in node.cases)
    elif isinstance(node, ast.If | ast.Try | ast.With | ast.AsyncWith | ast.For | ast.AsyncFor | ast.While):
        for part in _BLOCKS:
            yield getattr(node, part, [])
        for handler in getattr(node, "handlers", []):
            yield handler.body


def _targets(node: ast.stmt) -> Iterator[ast.expr]:
    """The names and attributes that a statement assigns itself, outside of its blocks."""
    if isinstance(node, ast.Assign):
        targets: Sequence[ast.expr | None] = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
        targets = [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        targets = [item.optional_vars for item in node.items]
    else:
        targets = []
    for target in targets:
        yield from _parts(target)


def _parts(target: ast.expr | None) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for inner in target.elts:
            yield from _parts(inner)
    elif isinstance(target, ast.Starred):
        yield from _parts(target.value)
    elif target is not None:
        yield target


def _stored_in(body: Sequence[ast.stmt]) -> Iterator[ast.Attribute]:
    for node in body:
        for target in _targets(node):
            if isinstance(target, ast.Attribute):
                yield target
        if isinstance(node, _Scope):
            yield from _stored_in(node.body)
        for block in _blocks(node):
            yield from _stored_in(block)


def _globals_of(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Global):
            yield from node.names
        for block in _blocks(node):
            yield from _globals_of(block)


def _keys(value: ast.expr) -> Iterator[str]:
    """The texts that a table of names has as keys, or that a list has."""
    found: list[str] = []
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    if isinstance(value, ast.Subscript) and ast.unparse(value.value).endswith("Literal"):
        value = value.slice
    if isinstance(value, ast.Dict):
        found = [text for key in value.keys if (text := _key(key))]
    elif isinstance(value, ast.List | ast.Tuple | ast.Set):
        items = [item.elts[0] if isinstance(item, ast.Tuple) and item.elts else item for item in value.elts]
        found = [text for item in items if (text := _key(item))]
    if len(found) >= _FEWEST_KEYS:
        yield from found


def _key(node: ast.expr | None) -> str:
    text = node.value if isinstance(node, ast.Constant) else None
    is_key = isinstance(text, str) and 0 < len(text) <= _LONGEST_KEY and text.isprintable() and " " not in text
    return str(text) if is_key else ""


def _words_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


def _forwards(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a ``__getattr__`` looks up the same name elsewhere."""
    name = function.args.args[0].arg if function.args.args else ""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Name)
        and node.args[1].id == name
        for node in ast.walk(function)
    )


def _base(base: ast.expr) -> str:
    return ast.unparse(base.value if isinstance(base, ast.Subscript) else base).replace(" ", "").replace(",", ";")


def _called(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator).rpartition(".")[2]
