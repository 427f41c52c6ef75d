"""The source of one release, by module: definitions, constants, enumerations."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

from vcompat.foundation.comparisons import ARITHMETIC
from vcompat.foundation.syntax.bindings import assigned_by
from vcompat.foundation.syntax.terms import called, last_name
from vcompat.upstream.offers.definitions import Defined, Definitions
from vcompat.upstream.offers.release_rows import Read, module_of

_OPERATIONS = {**ARITHMETIC, ast.Pow: operator.pow, ast.LShift: operator.lshift}


class Enumeration(NamedTuple):
    """The members of an enumeration whose values are strings or whole numbers, and equal to these."""

    members: dict[str, Any]
    strict: bool
    """Whether a conversion of any other value raises."""


class Unknown(Exception):
    """The source does not determine a value."""


class Code:
    """One release of a package."""

    def __init__(self, package: str, read: Read, paths: frozenset[str]) -> None:
        self.package = package
        self.definitions = Definitions(package, read, paths)
        self._read = read
        self._paths = paths
        self._stores: dict[str, dict[str, int]] = {}

    def modules(self) -> Iterator[tuple[str, str]]:
        """Yield name and text of the package's modules, sorted."""
        for path in sorted(path for path in self._paths if path.endswith(".py")):
            name = module_of(path)
            if name.partition(".")[0] == self.package:
                yield name, self._read(path) or ""

    def find_class(self, module: str, name: ast.expr | str) -> tuple[str, ast.ClassDef] | None:
        """Return module and definition of the class of the package that a name or an expression names."""
        found = self.definitions.find(module, name) if isinstance(name, str) else self.definitions.named(module, name)
        return (found.module, found.node) if found and isinstance(found.node, ast.ClassDef) else None

    def foreign(self, module: str, expression: ast.expr) -> str:
        """Return ``package.Name`` for a name that is imported from another package; empty for any other expression."""
        if isinstance(expression, ast.Subscript):
            return self.foreign(module, expression.value)
        if isinstance(expression, ast.Name):
            where, name = self.definitions.imported(module, expression.id) or ("", "")
            return f"{where.partition('.')[0]}.{name}" if where and name else ""
        owner = expression.value if isinstance(expression, ast.Attribute) else None
        where, _ = (self.definitions.imported(module, owner.id) if isinstance(owner, ast.Name) else None) or ("", "")
        return f"{where.partition('.')[0]}.{last_name(expression)}" if where else ""

    def constant_node(self, module: str, name: str) -> tuple[str, ast.expr] | None:
        """Return module and value of a name that its module assigns exactly once."""
        assigned = self.definitions.find(module, name)
        if assigned is None or not isinstance(assigned.node, ast.Assign | ast.AnnAssign) or assigned.node.value is None:
            return None
        target = assigned_by(assigned.node)[0]
        if not isinstance(target, ast.Name) or self._count(assigned.module, target.id) != 1:
            return None
        return assigned.module, assigned.node.value

    def _count(self, module: str, name: str) -> int:
        if module not in self._stores:
            counts: dict[str, int] = {}
            for node in ast.walk(self.definitions.tree(module) or ast.Module([], [])):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    counts[node.id] = counts.get(node.id, 0) + 1
                elif isinstance(node, ast.Global):
                    counts.update(dict.fromkeys(node.names, 2))
            self._stores[module] = counts
        return self._stores[module].get(name, 0)

    def constant(self, module: str, expression: ast.expr) -> Any:
        """Return the value of an expression of plain constants (a list for a tuple or a set). Raises Unknown."""
        if isinstance(expression, ast.Constant):
            return _plain(expression.value)
        if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
            return -_number(self.constant(module, expression.operand))
        if isinstance(expression, ast.BinOp):
            return self._computed(module, expression)
        if isinstance(expression, ast.List | ast.Tuple | ast.Set):
            return [self.constant(module, part) for part in expression.elts]
        if isinstance(expression, ast.Attribute):
            return self._attribute(module, expression)
        if isinstance(expression, ast.Name):
            found = self.constant_node(module, expression.id)
            if found is not None:
                return self.constant(*found)
        raise Unknown

    def _computed(self, module: str, expression: ast.BinOp) -> Any:
        left, right = self.constant(module, expression.left), self.constant(module, expression.right)
        if type(left) is type(right) and isinstance(left, list | str) and isinstance(expression.op, ast.Add):
            return left + right
        operation = _OPERATIONS.get(type(expression.op))
        left, right = _number(left), _number(right)
        is_large = isinstance(expression.op, ast.Pow | ast.LShift) and not (0 <= right <= 64 and abs(left) <= 1 << 20)
        if operation is None or is_large:
            raise Unknown
        try:
            return operation(left, right)
        except (TypeError, ArithmeticError):
            raise Unknown from None

    def _attribute(self, module: str, expression: ast.Attribute) -> Any:
        if expression.attr == "value" and isinstance(expression.value, ast.Attribute):
            return self._attribute(module, expression.value)
        enumeration = self.enumeration(module, expression.value)
        if enumeration is None or expression.attr not in enumeration.members:
            raise Unknown
        return enumeration.members[expression.attr]

    def enumeration(self, module: str, expression: ast.expr) -> Enumeration | None:
        """Return the enumeration that an expression names, if its members are equal to strings or whole numbers."""
        owner = self.find_class(module, expression)
        if owner is None:
            return None
        where, node = owner
        names = self.names_of_bases(where, node)
        if not (names & {"Enum", "StrEnum", "IntEnum"}) or not (names & {"str", "int", "StrEnum", "IntEnum"}):
            return None
        members = {}
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                try:
                    members[statement.targets[0].id] = self.constant(where, statement.value)
                except Unknown:
                    return None
        return Enumeration(members, not any(map(_accepts_more, self.with_bases(where, node)))) if members else None

    def names_of_bases(self, module: str, node: ast.ClassDef) -> set[str]:
        """Return the last parts of the names of all bases, also of those that are not in the package."""
        return {last_name(base) for _, owner in self.with_bases(module, node) for base in owner.bases}

    def with_bases(self, module: str, node: ast.ClassDef) -> Iterator[tuple[str, ast.ClassDef]]:
        """Yield a class and its bases in the package, nearest first."""
        owners = self.definitions.with_bases(Defined(module, node))
        return ((owner.module, owner.node) for owner in owners if isinstance(owner.node, ast.ClassDef))


def methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Return the functions in the body of a class, by name; of several with one name, the last that is no overload."""
    return {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef) and not _overload(inner)}


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and what it contains, but not the bodies of functions and classes in it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from outside_functions(child)


def decorators(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    """Return the last parts of the names of decorators."""
    return set(map(called, node.decorator_list))


def _overload(node: ast.FunctionDef) -> bool:
    return "overload" in decorators(node)


def _accepts_more(owner: tuple[str, ast.ClassDef]) -> bool:
    """Whether an enumeration's ``_missing_`` may return a member for another value."""
    method = methods(owner[1]).get("_missing_")
    return method is not None and any(isinstance(inner, ast.Return) for inner in ast.walk(method))


def _plain(value: object) -> Any:
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise Unknown


def _number(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise Unknown
