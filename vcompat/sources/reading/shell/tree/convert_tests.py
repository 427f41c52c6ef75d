"""Converts the expressions of ``[[ ... ]]``.

The tree has the operators with other precedences than bash; they are combined anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vcompat.sources.reading.shell.tree.convert_arithmetic import Arithmetic
from vcompat.sources.reading.shell.tree.convert_words import Mode
from vcompat.sources.reading.shell.tree.nodes import Binary, Expression, Grouped, Unary, Written

if TYPE_CHECKING:
    import tree_sitter

_EXPRESSIONS = frozenset("binary_expression unary_expression parenthesized_expression".split())
_JOINING = frozenset("&& || ( ) !".split())
_BINARY = frozenset("= == != =~ < >".split())
_COMPARING = frozenset("-eq -ne -lt -le -gt -ge -nt -ot -ef".split())
_DEEPEST = 30


def leaves(nodes: Sequence[tree_sitter.Node]) -> list[tree_sitter.Node]:
    """Return the words and operators of a condition."""
    result, pending = [], list(reversed(nodes))
    while pending:
        node = pending.pop()
        if node.type in _EXPRESSIONS:
            pending += reversed(node.children)
        elif node.type != "comment":
            result.append(node)
    return result


class Tests(Arithmetic):
    """Converts ``[[ ... ]]``."""

    def condition(self, nodes: Sequence[tree_sitter.Node]) -> Expression:
        """Convert what is between the brackets."""
        tokens: list[str | Written] = []
        group: list[tree_sitter.Node] = []
        mode = Mode.WORD
        for node in leaves(nodes):
            operator = "" if node.is_named else node.type
            adjacent = bool(group) and node.start_byte == group[-1].end_byte
            if group and not (adjacent and not operator):
                tokens.append(self.word(group, mode))
                group, mode = [], Mode.WORD
            if node.type == "test_operator" or operator in _JOINING | _BINARY:
                tokens.append(self.source.text(node.start_byte, node.end_byte))
                mode = Mode.PATTERN if operator in _BINARY else Mode.WORD
            else:
                group.append(node)
        if group:
            tokens.append(self.word(group, mode))
        return _Parser(self, tokens).whole()


class _Parser:
    """Combines words and operators by precedence."""

    def __init__(self, converter: Tests, tokens: list[str | Written]) -> None:
        self.converter, self.tokens = converter, tokens
        self.tokens.reverse()

    def whole(self) -> Expression:
        """Return the expression. Raises NotFollowed if there is none."""
        result = self._either(0)
        if self.tokens:
            raise self.converter.fail()
        return result

    def _ahead(self) -> str:
        return str(self.tokens[-1]) if self.tokens and isinstance(self.tokens[-1], str) else ""

    def _either(self, depth: int) -> Expression:
        left = self._both(depth)
        while self._ahead() == "||":
            self.tokens.pop()
            left = Binary("||", left, self._both(depth))
        return left

    def _both(self, depth: int) -> Expression:
        left = self._one(depth)
        while self._ahead() == "&&":
            self.tokens.pop()
            left = Binary("&&", left, self._one(depth))
        return left

    def _one(self, depth: int) -> Expression:
        if depth > _DEEPEST or not self.tokens:
            raise self.converter.fail()
        token = self.tokens.pop()
        if token == "!":
            return Unary("!", self._one(depth + 1))
        if token == "(":
            inner = self._either(depth + 1)
            if self._ahead() != ")":
                raise self.converter.fail()
            self.tokens.pop()
            return Grouped(inner)
        if isinstance(token, str):
            return Unary(token, self._word())
        if self._ahead() in _BINARY | _COMPARING:
            operator = str(self.tokens.pop())
            return Binary(operator, token, self._word())
        return token

    def _word(self) -> Written:
        token = self.tokens.pop() if self.tokens else None
        if not isinstance(token, Written):
            raise self.converter.fail()
        return token
