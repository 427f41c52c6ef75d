"""Conditions as expressions over settings. None stands for a condition that cannot be expressed.

A condition here is sufficient: where it is true, the condition in the source is true. The reverse need not hold.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Sequence

from vcompat.foundation.comparisons import COMPARISONS, OPPOSITES
from vcompat.foundation.syntax import terms

#: A sufficient condition, or None.
Condition = ast.expr | None
TRUE, FALSE = ast.Constant(True), ast.Constant(False)


def is_true(node: Condition) -> bool:
    """Whether the condition is the constant true."""
    return isinstance(node, ast.Constant) and node.value is True


def is_false(node: Condition) -> bool:
    """Whether the condition is the constant false."""
    return isinstance(node, ast.Constant) and node.value is False


def negation(node: ast.expr) -> ast.expr:
    """Return the opposite of an expression."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Constant):
        return ast.Constant(not node.value)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return ast.Compare(node.left, [OPPOSITES[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.BoolOp):
        opposite = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.BoolOp(opposite, [negation(part) for part in node.values])
    return ast.UnaryOp(ast.Not(), node)


def all_of(parts: Iterable[Condition]) -> Condition:
    """Return the conjunction; None if a part is None and none is false."""
    flat: list[ast.expr] = []
    unknown = False
    for part in parts:
        if part is None:
            unknown = True
        elif is_false(part):
            return FALSE
        elif not is_true(part):
            flat += part.values if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.And) else [part]
    if unknown:
        return None
    distinct = _simplified(flat)
    if distinct is None:
        return FALSE
    return ast.BoolOp(ast.And(), distinct) if len(distinct) > 1 else distinct[0] if distinct else TRUE


def _simplified(parts: list[ast.expr]) -> list[ast.expr] | None:
    """A conjunction without repetitions, and without alternatives that another part excludes; None if it is false."""
    while True:
        distinct = list({ast.dump(part): part for part in parts}.values())
        known = {ast.dump(part) for part in distinct}
        opposites = {ast.dump(negation(part)) for part in distinct if not isinstance(part, ast.BoolOp)}
        if known & opposites:
            return None
        parts = []
        for part in distinct:
            if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.Or):
                if any(ast.dump(one) in known for one in part.values):
                    continue
                left = [one for one in part.values if ast.dump(one) not in opposites]
                if not left:
                    return None
                parts.append(ast.BoolOp(ast.Or(), left) if len(left) > 1 else left[0])
            elif isinstance(part, ast.BoolOp):
                parts += part.values
            else:
                parts.append(part)
        parts = _resolved(parts)
        if len(parts) == len(distinct) and all(map(_equal, parts, distinct)):
            return distinct


def _resolved(parts: list[ast.expr]) -> list[ast.expr]:
    """Replace ``(a or b) and (a or not b)`` by ``a``."""
    pairs = [part for part in parts if isinstance(part, ast.BoolOp) and len(part.values) == 2]
    for pair in pairs:
        for shared, rest in (pair.values, pair.values[::-1]):
            opposite = {ast.dump(shared), ast.dump(negation(rest))}
            for other in pairs:
                if {ast.dump(value) for value in other.values} == opposite:
                    return [shared if part is pair else part for part in parts if part is not other]
    return parts


def _equal(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


def any_of(parts: Iterable[Condition]) -> Condition:
    """Return the disjunction of the parts that are not None; None if there is none."""
    parts = list(parts)
    known = [part for part in parts if part is not None]
    if any(map(is_true, known)):
        return TRUE
    flat: list[ast.expr] = []
    for part in known:
        if not is_false(part):
            flat += part.values if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.Or) else [part]
    distinct = list({ast.dump(part): part for part in flat}.values())
    if not distinct:
        return FALSE if known and len(known) == len(parts) else None
    return ast.BoolOp(ast.Or(), distinct) if len(distinct) > 1 else distinct[0]


def comparison(left: ast.expr, ops: Sequence[ast.cmpop], right: Sequence[ast.expr]) -> ast.expr:
    """Return a comparison, computed if both sides are constants."""
    if len(ops) == 1:
        with contextlib.suppress(ValueError, TypeError):
            values = ast.literal_eval(left), ast.literal_eval(right[0])
            return ast.Constant(bool(COMPARISONS[type(ops[0])](*values)))
        if isinstance(ops[0], ast.Lt | ast.Gt | ast.NotEq) and _equal(left, right[0]):
            return FALSE
    return ast.Compare(left, list(ops), list(right))


def names_in(node: ast.expr) -> set[str]:
    """Return the settings in an expression."""
    return terms.names_in(node) - {"len"}
