"""The mutants of a module: its source with one small change each, by mutmut's operators.

Not mutated is what no test can notice or what only a reader sees: annotations, decorators, imports, ``isinstance`` and
``cast``, the bodies of protocols, and prose. Prose is a string literal with a space between letters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

_UNCHANGED = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal)
_UNCHANGED_CALLS = {"isinstance", "cast", "TypeVar", "NewType"}
_PROSE = re.compile(r"[A-Za-z,:;.'\"`}] +[A-Za-z{('\"`]")


class Mutant(NamedTuple):
    """One change of one module."""

    path: str
    """The module, relative to the repository's root."""
    function: str
    """The qualified name of the outermost function around the change; empty outside of functions."""
    first: int
    last: int
    """The lines of the statement that changes; of its header, if statements are inside it."""
    original: cst.CSTNode
    replacement: cst.CSTNode
    module: cst.Module

    def source(self) -> str:
        """Return the changed module."""
        changed = self.module.deep_replace(self.original, self.replacement)
        assert isinstance(changed, cst.Module)
        return changed.code

    def sources(self) -> tuple[str, str]:
        """Return the module before and after the change."""
        return self.module.code, self.source()

    def lines(self) -> tuple[str, str]:
        """Return the changed lines before and after the change, each on one line."""
        before, after = (text.splitlines() for text in self.sources())
        same = _same(before, after)
        more = _same(before[same:][::-1], after[same:][::-1])
        return tuple(" ".join(map(str.strip, lines[same : len(lines) - more])) for lines in (before, after))

    def may_have_been(self, before: str) -> bool:
        """Whether this can be a change of the line `before`; cheaper than `lines`."""
        return self.module.code_for_node(self.original).strip().partition("\n")[0] in before

    def differs(self) -> bool:
        """Whether the change makes another program, which Python can compile."""
        before, after = self.sources()
        try:
            return ast.dump(ast.parse(before)) != ast.dump(ast.parse(after)) and bool(compile(after, self.path, "exec"))
        except SyntaxError:
            return False


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """Return all mutants of the module at `path` below `root`, those that are no Python included."""
    wrapper = MetadataWrapper(cst.parse_module((root / path).read_text()))
    visitor = _Visitor(path, wrapper.module)
    wrapper.visit(visitor)
    return visitor.mutants


def _same(one: list[str], other: list[str]) -> int:
    """Return how many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


class _Visitor(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, path: str, module: cst.Module) -> None:
        super().__init__()
        self.path = path
        self.module = module
        self.names: list[str] = []
        self.function = ""
        self.lines: list[tuple[int, int]] = [(1, 1)]
        self.mutants: list[Mutant] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _is_unchanged(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.names.append(node.name.value)
        if _is_statement(node):
            self.lines.append(self._header(node))
        self.mutants += [
            Mutant(self.path, self.function, *self.lines[-1], node, replacement, self.module)
            for replacement in _replacements(node)
        ]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if _is_unchanged(original_node):
            return
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.names.pop()
        if _is_statement(original_node):
            self.lines.pop()

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        if isinstance(node, cst.FunctionDef) and attribute == "body" and not self.function:
            self.function = ".".join(self.names)

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        if isinstance(original_node, cst.FunctionDef) and attribute == "body" and self.function == ".".join(self.names):
            self.function = ""

    def _header(self, node: cst.CSTNode) -> tuple[int, int]:
        place = self.get_metadata(PositionProvider, node)
        if isinstance(node, cst.Match):
            return place.start.line, place.start.line
        body = getattr(node, "body", None)
        if isinstance(node, cst.SimpleStatementLine) or not isinstance(body, cst.CSTNode):
            return place.start.line, place.end.line
        return place.start.line, max(place.start.line, self.get_metadata(PositionProvider, body).start.line - 1)


def _is_statement(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement | cst.MatchCase | cst.ExceptHandler)


def _is_unchanged(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.AnnAssign):
        # The right side of `name: type = value` changes; a bare declaration and the name of a type do not.
        kind = node.annotation.annotation
        return node.value is None or (isinstance(kind, cst.Name) and kind.value == "TypeAlias")
    if isinstance(node, _UNCHANGED):
        return True
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        return node.func.value in _UNCHANGED_CALLS
    if isinstance(node, cst.Assign) and isinstance(node.value, cst.Subscript):
        # The name of a type.
        return isinstance(node.value.value, cst.Name) and node.value.value.value == "Callable"
    if isinstance(node, cst.ClassDef):
        return any(isinstance(base.value, cst.Name) and base.value.value == "Protocol" for base in node.bases)
    if isinstance(node, cst.If) and isinstance(node.test, cst.Name):
        return node.test.value == "TYPE_CHECKING"
    if isinstance(node, cst.SimpleStatementLine):
        return isinstance(node.body[0], cst.Expr) and isinstance(node.body[0].value, cst.BaseString)
    return isinstance(node, cst.BaseString) and _is_prose(node)


def _is_prose(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.ConcatenatedString):
        return _is_prose(node.left) or _is_prose(node.right)
    if isinstance(node, cst.FormattedString):
        return bool(
            _PROSE.search("".join(p.value if isinstance(p, cst.FormattedStringText) else "}x{" for p in node.parts))
        )
    return isinstance(node, cst.SimpleString) and bool(_PROSE.search(node.value[1:-1]))


def _replacements(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from (new for new in operator(node) if not _drops_prose(node, new))


def _drops_prose(node: cst.CSTNode, new: cst.CSTNode) -> bool:
    """Whether an argument that is prose is removed or replaced."""
    if not isinstance(node, cst.Call) or not isinstance(new, cst.Call):
        return False
    kept = {id(argument.value) for argument in new.args}
    return any(id(a.value) not in kept and _is_prose(a.value) for a in node.args)
