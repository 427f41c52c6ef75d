"""The value of an expression in a constructor, and when it is true, as expressions over settings."""

from __future__ import annotations

import ast
from typing import Any

from vcompat.upstream.settings.code import Code, Unknown
from vcompat.upstream.settings.constructor_state import Binding, Instance, State, Value
from vcompat.upstream.settings.logic import (
    FALSE,
    TRUE,
    Condition,
    all_of,
    any_of,
    comparison,
    is_false,
    is_true,
    negation,
)

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_COMPARED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
#: Longest list of constants that an expression may contain.
_LONGEST = 64


class Values:
    """Evaluates expressions of one release."""

    def __init__(self, code: Code) -> None:
        self._code = code

    def value(self, node: ast.expr, state: State, module: str) -> Binding:
        """Return the value of an expression; None if it is not known."""
        if isinstance(node, ast.Name):
            return state.names[node.id] if node.id in state.names else self._constant(node, module)
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value, state, module)
            return state.get(owner, node.attr) if isinstance(owner, Instance) else self._constant(node, module)
        if isinstance(node, ast.IfExp):
            return self._choice(node, state, module)
        if isinstance(node, ast.Call):
            return self._call(node, state, module)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return self._combined(node, state, module)
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value, state, module)
        if isinstance(node, ast.Compare | ast.BoolOp) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            return self._truth_as_value(node, state, module)
        return self._constant(node, module)

    def condition(self, node: ast.expr, state: State, module: str) -> tuple[Condition, Condition]:
        """Return sufficient conditions for the expression being true and being false."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true, false = self.condition(node.operand, state, module)
            return false, true
        if isinstance(node, ast.BoolOp):
            pairs = [self.condition(part, state, module) for part in node.values]
            truths, falsehoods = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            if isinstance(node.op, ast.And):
                return all_of(truths), any_of(falsehoods)
            return any_of(truths), all_of(falsehoods)
        if isinstance(node, ast.Compare):
            return self._compared(node, state, module)
        value = self.value(node, state, module)
        if isinstance(value, Instance):
            return TRUE, FALSE
        if value is None:
            return None, None
        known = value.node
        if isinstance(known, ast.Constant | ast.List):
            known = ast.Constant(bool(known.value if isinstance(known, ast.Constant) else known.elts))
        return _guarded(known, value.guard), _guarded(negation(known), value.guard)

    def _compared(self, node: ast.Compare, state: State, module: str) -> tuple[Condition, Condition]:
        operands = [self.value(part, state, module) for part in (node.left, *node.comparators)]
        if all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            if len(operands) != 2 or not _is_single(operands[1]):
                return None, None
            if isinstance(operands[0], Instance):
                result = isinstance(node.ops[0], ast.IsNot)
                return ast.Constant(result), ast.Constant(not result)
        elif not all(isinstance(op, _COMPARED) for op in node.ops):
            return None, None
        known = [value for value in operands if isinstance(value, Value)]
        if len(known) != len(operands):
            return None, None
        guard = all_of(value.guard for value in known)
        result_node = comparison(known[0].node, node.ops, [value.node for value in known[1:]])
        return _guarded(result_node, guard), _guarded(negation(result_node), guard)

    def _choice(self, node: ast.IfExp, state: State, module: str) -> Binding:
        """The arm that keeps a value of the user, else one that is known, where the condition chooses it."""
        true, false = self.condition(node.test, state, module)
        arms = [(self.value(node.body, state, module), true), (self.value(node.orelse, state, module), false)]
        choices = [
            Value(arm.node, all_of([way, arm.guard]))
            for arm, way in arms
            if isinstance(arm, Value) and way is not None and not is_false(way)
        ]
        choices.sort(key=lambda value: not isinstance(value.node, ast.Name))
        return choices[0] if choices else None

    def _call(self, node: ast.Call, state: State, module: str) -> Binding:
        name = ast.unparse(node.func)
        if name == "len" and len(node.args) == 1:
            value = self.value(node.args[0], state, module)
            if isinstance(value, Value) and isinstance(value.node, ast.Name):
                return Value(ast.Call(ast.Name("len", ast.Load()), [value.node], []), value.guard)
        if name == "getattr" and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            owner = self.value(node.args[0], state, module)
            return state.get(owner, str(node.args[1].value)) if isinstance(owner, Instance) else None
        if name in ("cast", "typing.cast") and len(node.args) == 2:
            return self.value(node.args[1], state, module)
        return self._of_enumeration(node, name, state, module) if len(node.args) == 1 else None

    def _of_enumeration(self, node: ast.Call, name: str, state: State, module: str) -> Binding:
        """The members of an enumeration, or what is converted to one: a member is equal to its value."""
        if name in ("list", "tuple", "set"):
            listed = self._code.enumeration(module, node.args[0])
            return _display(list(listed.members.values())) if listed else None
        enumeration = None if node.keywords else self._code.enumeration(module, node.func)
        members = enumeration.members.values() if enumeration else [None]
        return self.value(node.args[0], state, module) if all(isinstance(one, str) for one in members) else None

    def _combined(self, node: ast.BinOp, state: State, module: str) -> Binding:
        left, right = self.value(node.left, state, module), self.value(node.right, state, module)
        if not isinstance(left, Value) or not isinstance(right, Value):
            return None
        if isinstance(left.node, ast.Constant) and isinstance(right.node, ast.Constant):
            return self._constant(ast.BinOp(left.node, node.op, right.node), module)
        return Value(ast.BinOp(left.node, node.op, right.node), all_of([left.guard, right.guard]))

    def _truth_as_value(self, node: ast.expr, state: State, module: str) -> Binding:
        """A condition as a value, if it is known exactly and is a truth value, not an operand."""
        if isinstance(node, ast.BoolOp):
            # `a or b` is one of the operands, not its truth; where only the truth counts, `condition` is asked.
            first = self.value(node.values[0], state, module)
            if isinstance(node.op, ast.Or) and isinstance(first, Value) and isinstance(first.node, ast.Name):
                return Value(first.node, all_of([first.node, first.guard]))
            return None
        true, false = self.condition(node, state, module)
        if true is None or false is None or ast.dump(negation(true)) != ast.dump(false):
            return None
        return Value(true)

    def _constant(self, node: ast.expr, module: str) -> Binding:
        try:
            return _display(self._code.constant(module, node))
        except Unknown:
            return None


def _display(value: Any) -> Binding:
    if isinstance(value, list):
        flat = all(not isinstance(part, list) for part in value) and len(value) <= _LONGEST
        return Value(ast.List([_literal(part) for part in value], ast.Load())) if flat else None
    return Value(_literal(value))


def _literal(value: Any) -> ast.expr:
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _is_single(value: Binding) -> bool:
    """Whether a value is None, True or False, which ``is`` compares reliably."""
    return isinstance(value, Value) and isinstance(value.node, ast.Constant) and value.node.value in (None, True, False)


def _guarded(node: ast.expr, guard: Condition) -> Condition:
    return node if is_true(guard) else all_of([guard, node])
