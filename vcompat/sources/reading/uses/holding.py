"""Which variables certainly hold an object of another package: by annotation, or by the call that made it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from vcompat.foundation.syntax.bindings import assigned_by, bound_by, imported
from vcompat.foundation.syntax.blocks import Function
from vcompat.foundation.syntax.function_parameters import parameters
from vcompat.foundation.syntax.terms import class_named, dotted, is_none, text_of

_BEGINNINGS = ast.Assign | ast.AnnAssign | ast.arg
_NOTHING_INSIDE = (ast.expr_context, ast.operator, ast.cmpop)
#: Calls that narrow what a variable is.
_NARROWING = frozenset({"isinstance", "issubclass", "type"})
_ASKING = frozenset({"hasattr", "getattr"})


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
    nodes = [tree]
    for node in nodes:  # which grows
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, _NOTHING_INSIDE):
                nodes.append(value)
    return nodes


def rebound_names(nodes: Sequence[ast.AST], others: Collection[str]) -> frozenset[str]:
    """Return the names that a module binds to anything but None and imports of `others`. `nodes` are all its nodes."""
    return frozenset(_bound_in(nodes, others))


def holding_lines(nodes: Sequence[ast.AST], names: Collection[str]) -> list[int]:
    """Return the lines of a module in which a variable begins to hold an object of another package.

    `names` are those that are imported, here and below.
    """
    return [node.lineno for node in nodes if isinstance(node, _BEGINNINGS) and _begun(node, names) is not None]


def _begun(node: ast.Assign | ast.AnnAssign | ast.arg, names: Collection[str]) -> Holding | None:
    """What a variable holds after a statement, or as a parameter."""
    return _made_by(node.value, names) if isinstance(node, ast.Assign) else _annotated(node.annotation, names)


def held_by_function(function: Function, names: Collection[str]) -> dict[str, Holding]:
    """Return what the parameters and the variables of a function hold, of those that are bound once."""
    nodes = nodes_of(function)
    bound = Counter(_bound_in(nodes[1:], ()))
    holdings = {
        _target(node): _begun(node, names)
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
    }
    holdings |= {parameter.name: _annotated(parameter.annotation, names) for parameter in parameters(function)}
    return _never_narrowed(function, {name: held for name, held in holdings.items() if held and bound[name] == 1})


def held_by_class(owner: ast.ClassDef, names: Collection[str]) -> dict[str, Holding]:
    """Return what the attributes of ``self`` hold, of those that the class assigns once."""
    assigned: Counter[str] = Counter()
    holdings: dict[str, Holding] = {}
    for method in (node for node in owner.body if isinstance(node, Function)):
        variables = held_by_function(method, names)
        for node in nodes_of(method):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                assigned[dotted(node)] += 1
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                held = _begun(node, names)
                if isinstance(node, ast.Assign):
                    held = held or variables.get(dotted(node.value))
                    assigned[_target(node)] -= is_none(node.value)
                holdings.update({_target(node): held} if held else {})
    own = {name: held for name, held in holdings.items() if name.startswith("self.") and assigned[name] == 1}
    return _never_narrowed(owner, own)


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    """The variable that a statement assigns; empty if it is not one alone."""
    targets = assigned_by(node)
    return dotted(targets[0]) if len(targets) == 1 else ""


def _bound_in(nodes: Sequence[ast.AST], others: Collection[str]) -> Iterator[str]:
    nones = {
        id(part) for node in nodes if isinstance(node, ast.Assign) and is_none(node.value) for part in node.targets
    }
    for node in nodes:
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            yield from (name.bound for name in imported(node) if name.module.partition(".")[0] not in others)
        elif id(node) not in nones:
            yield from bound_by(node)


def _made_by(value: ast.expr, names: Collection[str]) -> Holding | None:
    """What a call of an imported name, or of a method of an imported class, returns."""
    name, dot, method = dotted(value.func).partition(".") if isinstance(value, ast.Call) else ("", "", "")
    is_known = name in names and (not dot or ("." not in method and name[:1].isupper()))
    return Holding(name, f".{method}()" if dot else "()") if is_known else None


def _annotated(annotation: ast.expr | None, names: Collection[str]) -> Holding | None:
    name = class_named(annotation)
    return Holding(name, "") if name in names else None


def _never_narrowed(scope: ast.AST, holdings: dict[str, Holding]) -> dict[str, Holding]:
    """Leave out what ``isinstance`` narrows; note the attributes that ``hasattr`` asks for."""
    for node in nodes_of(scope) if holdings else ():
        function = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        arguments = node.args if isinstance(node, ast.Call) and function in _NARROWING | _ASKING else []
        name = dotted(arguments[0]) if arguments else ""
        if name in holdings:
            attribute = text_of(arguments[1]) if function in _ASKING and len(arguments) > 1 else None
            if attribute is None:
                del holdings[name]
            else:
                holdings[name] = holdings[name]._replace(asked=holdings[name].asked | {attribute})
    return holdings
