"""The values of a script that are constant: literals, names bound once to a literal, and literals in dictionaries."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


#: The value of an expression that is not constant.
UNKNOWN: Any = _Unknown()

_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Constants:
    """Knows the names of one script that are bound exactly once, and to a literal."""

    def __init__(self, tree: ast.Module) -> None:
        bindings = Counter(_bound_names(tree))
        self._values: dict[str, ast.expr] = {}
        for node in tree.body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            value = getattr(node, "value", None)
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(value, ast.expr):
                name = targets[0].id
                if bindings[name] == 1:
                    self._values[name] = value

    def value(self, node: ast.expr) -> Any:
        """The constant that `node` is, or UNKNOWN."""
        node = self._resolved(node)
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return UNKNOWN

    def keywords(self, call: ast.Call) -> Iterator[tuple[str | None, ast.expr]]:
        """The keyword arguments of `call`, with those of a constant ``**dictionary``; (None, node) for any other."""
        for keyword in call.keywords:
            if keyword.arg is not None:
                yield keyword.arg, keyword.value
            else:
                yield from self._dictionary(keyword.value)

    def items(self, call: ast.Call) -> Iterator[tuple[str | None, ast.expr]]:
        """What a call of ``dict.update`` sets: its keyword arguments and the items of a dictionary argument."""
        yield from self.keywords(call)
        for argument in call.args:
            yield from self._dictionary(argument)

    def _dictionary(self, node: ast.expr) -> Iterator[tuple[str | None, ast.expr]]:
        node = self._resolved(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
            yield from self.keywords(node)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                name = UNKNOWN if key is None else self.value(key)
                yield (name if isinstance(name, str) else None), value
        else:
            yield None, node

    def _resolved(self, node: ast.expr) -> ast.expr:
        seen = set()
        while isinstance(node, ast.Name) and node.id in self._values and node.id not in seen:
            seen.add(node.id)
            node = self._values[node.id]
        return node


def _bound_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, _DEFINING):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
