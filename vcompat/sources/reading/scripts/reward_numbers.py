"""Whether a reward function returns a number for each completion, by its code alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

#: Functions that return a number, or raise an exception.
_NUMBERS = frozenset({"float", "int", "len", "abs", "round", "bool", "sum"})
#: Functions that leave a list as it is.
_READ_ONLY = frozenset({"len", "sum", "print", "list", "sorted", "enumerate", "zip", "max", "min"})
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_Bindings = Mapping[str, "list[ast.expr | None]"]


def always_scores(function: ast.AST) -> bool:
    """Return whether what `function` returns is always a list of numbers; a function that raises returns nothing."""
    if isinstance(function, ast.Lambda):
        return _is_list(function.body, {}, ())
    if not isinstance(function, ast.FunctionDef):
        return False
    nodes = list(_own(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for node in nodes):
        return False
    bindings = _bindings(nodes)
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return bool(returned) and all(value is not None and _is_list(value, bindings, nodes) for value in returned)


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, without those of scopes in it."""
    stack: list[ast.AST] = [*function.body]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def _bindings(nodes: list[ast.AST]) -> _Bindings:
    """Return what each name is bound to; None for what is no plain assignment."""
    found: dict[str, list[ast.expr | None]] = {}
    plain = set[ast.AST]()
    targets: Sequence[ast.expr]
    value: ast.expr
    for node in nodes:
        if isinstance(node, ast.AugAssign):
            targets, value = [node.target], ast.BinOp(node.target, node.op, node.value)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets, value = node.targets if isinstance(node, ast.Assign) else [node.target], node.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name):
                plain.add(target)
                found.setdefault(target.id, []).append(value)
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node not in plain:
            found.setdefault(node.id, []).append(None)
    return found


def _is_list(value: ast.expr, bindings: _Bindings, nodes: list[ast.AST] | tuple[()]) -> bool:
    if isinstance(value, ast.ListComp):
        return _is_number(value.elt, bindings, frozenset())
    if isinstance(value, ast.List):
        return all(_is_number(item, bindings, frozenset()) for item in value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return any(isinstance(side, ast.List) and _is_list(side, bindings, nodes) for side in (value.left, value.right))
    if not isinstance(value, ast.Name):
        return False
    bound = bindings.get(value.id, [])
    is_bound = bound and all(
        one is not None and not isinstance(one, ast.Name) and _is_list(one, bindings, nodes) for one in bound
    )
    return bool(is_bound) and _gets_numbers(value.id, bindings, nodes)


def _gets_numbers(name: str, bindings: _Bindings, nodes: list[ast.AST] | tuple[()]) -> bool:
    """Return whether the list `name` is only read, returned, and appended numbers to."""
    allowed: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            allowed.add(node.value)
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in _READ_ONLY:
            allowed |= {*node.args}
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "append" and len(node.args) == 1:
            allowed |= {node.func.value} if _is_number(node.args[0], bindings, frozenset()) else set()
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]
    return all(use in allowed for use in uses)


def _is_number(value: ast.expr, bindings: _Bindings, seen: frozenset[str]) -> bool:
    """Return whether an expression is a number, or raises an exception: arithmetic with None does."""
    match value:
        case ast.Constant():
            return isinstance(value.value, int | float)
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return True
        case ast.IfExp():
            return _is_number(value.body, bindings, seen) and _is_number(value.orelse, bindings, seen)
        case ast.BoolOp():
            return all(_is_number(part, bindings, seen) for part in value.values)
        case ast.Call(func=ast.Name(id=name)):
            return name in _NUMBERS and name not in bindings
        case ast.Name(id=name) if name not in seen:
            bound = bindings.get(name, [])
            return bool(bound) and all(one is not None and _is_number(one, bindings, seen | {name}) for one in bound)
    return False
