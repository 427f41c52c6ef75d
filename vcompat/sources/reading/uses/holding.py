"""Which variables certainly hold an object of another package: by annotation, or by the call that made it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

_BEGINNINGS = ast.Assign | ast.AnnAssign | ast.arg
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_NOTHING_INSIDE = (ast.expr_context, ast.operator, ast.cmpop)
#: Calls that narrow what a variable is.
_NARROWING = frozenset({"isinstance", "issubclass", "type"})


class Holding(NamedTuple):
    """What a variable holds."""

    name: str
    """An imported name: a class, or what is called."""
    path: str
    """Empty for an object of the class; ``()`` for what a call of the name returns, ``.f()`` for one of its method."""
    asked: frozenset[str] = frozenset()
    """Attributes that ``hasattr`` or ``getattr`` asks for."""


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of a tree, as ``ast.walk`` does, but for contexts and operators."""
    found = [tree]
    for node in found:  # which grows
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, _NOTHING_INSIDE):
                found.append(value)
    return found


def rebound_names(nodes: Sequence[ast.AST], others: Collection[str]) -> frozenset[str]:
    """Return the names that a module binds to anything but None and imports of `others`. `nodes` are all its nodes."""
    return frozenset(_bound_in(nodes, others))


def holding_lines(nodes: Sequence[ast.AST], imported: Collection[str]) -> list[int]:
    """Return the lines of a module in which a variable begins to hold an object of another package."""
    return [node.lineno for node in nodes if isinstance(node, _BEGINNINGS) and _begins(node, imported)]


def _begins(node: ast.Assign | ast.AnnAssign | ast.arg, imported: Collection[str]) -> bool:
    if isinstance(node, ast.Assign):
        return _made_by(node.value, imported) is not None
    return _annotated(node.annotation, imported) is not None


def held_by_function(function: _Function, imported: Collection[str]) -> dict[str, Holding]:
    """Return what the parameters and the variables of a function hold, of those that are bound once."""
    nodes = nodes_of(function)
    bound = Counter(_bound_in(nodes[1:], ()))
    found: dict[str, Holding] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            _add(found, node.targets[0].id, _made_by(node.value, imported))
        elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            _add(found, node.target.id, _annotated(node.annotation, imported))
    for parameter in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        _add(found, parameter.arg, _annotated(parameter.annotation, imported))
    return _never_narrowed(function, {name: held for name, held in found.items() if bound[name] == 1})


def held_by_class(owner: ast.ClassDef, imported: Collection[str]) -> dict[str, Holding]:
    """Return what the attributes of ``self`` hold, of those that the class assigns once."""
    assigned: Counter[str] = Counter()
    found: dict[str, Holding] = {}
    for method in (node for node in owner.body if isinstance(node, _Function)):
        parameters = held_by_function(method, imported)
        for node in nodes_of(method):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                assigned[ast.unparse(node)] += 1
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                held = _made_by(node.value, imported)
                if held is None and isinstance(node.value, ast.Name):
                    held = parameters.get(node.value.id)
                if _is_none(node.value):
                    assigned[ast.unparse(node.targets[0])] -= 1
                _add(found, ast.unparse(node.targets[0]), held)
            elif isinstance(node, ast.AnnAssign):
                _add(found, ast.unparse(node.target), _annotated(node.annotation, imported))
    own = {name: held for name, held in found.items() if name.startswith("self.") and assigned[name] == 1}
    return _never_narrowed(owner, own)


def _add(found: dict[str, Holding], name: str, held: Holding | None) -> None:
    if held is not None:
        found[name] = held


def _bound_in(nodes: Sequence[ast.AST], others: Collection[str]) -> Iterator[str]:
    nones: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_none(node.value):
            nones.update(map(id, node.targets))
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in nones:
            yield node.id
        elif isinstance(node, _Function | ast.ClassDef | ast.ExceptHandler):
            yield node.name or ""
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                origin = module or alias.name
                if getattr(node, "level", 0) or origin.partition(".")[0] not in others:
                    yield alias.asname or alias.name.partition(".")[0]


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _made_by(value: ast.expr, imported: Collection[str]) -> Holding | None:
    """What a call of an imported name, or of a method of an imported class, returns."""
    called = value.func if isinstance(value, ast.Call) else None
    if isinstance(called, ast.Name) and called.id in imported:
        return Holding(called.id, "()")
    if (
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and called.value.id in imported
        and called.value.id[:1].isupper()
    ):
        return Holding(called.value.id, f".{called.attr}()")
    return None


def _annotated(annotation: ast.expr | None, imported: Collection[str]) -> Holding | None:
    """The class that an annotation names, alone or with None."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return None
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        parts = [part for part in (annotation.left, annotation.right) if not _is_none(part)]
        return _annotated(parts[0], imported) if len(parts) == 1 else None
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).rpartition(".")[2] == "Optional":
        return _annotated(annotation.slice, imported)
    return Holding(annotation.id, "") if isinstance(annotation, ast.Name) and annotation.id in imported else None


def _never_narrowed(scope: ast.AST, found: dict[str, Holding]) -> dict[str, Holding]:
    """Leave out what ``isinstance`` narrows; note the attributes that ``hasattr`` asks for."""
    if not found:
        return found
    for node in nodes_of(scope):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        name = ast.unparse(node.args[0]) if node.func.id in (*_NARROWING, "hasattr", "getattr") else ""
        if name in found:
            attribute = node.args[1] if len(node.args) > 1 else None
            if node.func.id in ("hasattr", "getattr") and isinstance(attribute, ast.Constant):
                found[name] = found[name]._replace(asked=found[name].asked | {str(attribute.value)})
            else:
                del found[name]
    return found
