"""Converts statements of tree-sitter-bash to those of `nodes`.

Lists and pipelines are made flat first: tree-sitter-bash attaches redirections and ``!`` to whole lists, and joins an
assignment at the end of a line with the command in the next one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from vcompat.sources.reading.shell.tree.convert_parameters import split_at
from vcompat.sources.reading.shell.tree.convert_simple import REDIRECTS, Simple
from vcompat.sources.reading.shell.tree.convert_words import BREAK, DEEPEST, NOTHING, Mode, Piece
from vcompat.sources.reading.shell.tree.here_documents import take_out
from vcompat.sources.reading.shell.tree.nodes import (
    Calculation,
    Case,
    CaseItem,
    Command,
    CountedFor,
    Expression,
    For,
    FunctionDefinition,
    Group,
    If,
    Joined,
    Statement,
    Subshell,
    Test,
    While,
    Written,
)
from vcompat.sources.reading.shell.tree.source import Source

if TYPE_CHECKING:
    import tree_sitter

_BLANK = re.compile(rb"(?:[ \t\n]|\\\n)*")
_SIMPLE = frozenset("command variable_assignment variable_assignments declaration_command unset_command".split())
_BREAK = "\n"


class _Redirects(NamedTuple):
    """The redirections that follow a statement."""

    nodes: list[tree_sitter.Node]


class Commands(Simple):
    """Converts statements."""

    def commands_of(self, text: str) -> list[Statement]:
        """Convert the text of a command substitution with backquotes."""
        if self.depth > DEEPEST:
            raise self.fail()
        source = Source(text, self.at, self.source.budget)
        source.lines = [self.at] * len(source.lines)
        take_out(source)
        root = source.parse().root_node
        if root.has_error:
            raise self.fail()
        return Commands(source, self.depth + 10).statements(root.children)

    def converter(self, source: Source) -> Commands:
        """Return a converter for a text inside of this one."""
        return Commands(source, self.depth + 10)

    def statements(self, nodes: Sequence[tree_sitter.Node]) -> list[Statement]:
        """Convert statements with what separates them."""
        result: list[Statement] = []
        separated, end = True, nodes[0].start_byte if nodes else 0
        for node in nodes:
            gap = self.source.data[end : node.start_byte]
            if not _BLANK.fullmatch(gap):
                raise self.fail()
            separated = separated or BREAK.search(gap) is not None
            end = node.end_byte
            if node.type == "comment":
                continue
            if node.is_named:
                if not separated:
                    raise self.fail()
                result += self.statement(node)
                separated = False
            elif node.type == "&" and result and not separated:
                result[-1] = replace(result[-1], in_background=True)
                separated = True
            elif node.type == ";":
                separated = True
            else:
                raise self.fail()
        return result

    def statement(self, node: tree_sitter.Node) -> list[Statement]:
        """Convert one statement. It is several where the tree has joined lines."""
        self.at = line = self.source.line(node)
        self.depth += 1
        self.source.budget.statements -= 1
        if self.depth > DEEPEST or node.has_error or self.source.budget.statements < 0:
            raise self.fail()
        tokens: list[str | Statement] = []
        for token in self._flat(node):
            if isinstance(token, str):
                tokens.append(token)
                continue
            for number, converted in enumerate(self._converted_item(*token)):
                tokens += [*([_BREAK] if number else []), converted]
        self.depth -= 1
        self.at = line
        return [self._list(part) for part in _split(tokens, (_BREAK,))[0]]

    def _flat(self, node: tree_sitter.Node) -> list[str | tuple[tree_sitter.Node | None, list[tree_sitter.Node]]]:
        """Return the commands of a list with their redirections, and the operators between them."""
        result: list[str | tuple[tree_sitter.Node | None, list[tree_sitter.Node]]] = []
        pending: list[tree_sitter.Node | _Redirects] = [node]
        while pending:
            item = pending.pop()
            if isinstance(item, _Redirects):
                last = result[-1]
                if not isinstance(last, tuple):
                    raise self.fail()
                last[1].extend(item.nodes)
            elif item.type in ("list", "pipeline", "negated_command"):
                pending += reversed([child for child in item.children if child.type != "comment"])
            elif item.type == "redirected_statement":
                body = item.child_by_field_name("body")
                redirects = [child for child in item.children if child != body and child.type != "comment"]
                if body is None:
                    result.append((None, redirects))
                else:
                    pending += [_Redirects(redirects), body]
            elif item.type in REDIRECTS:
                result.append((None, [item]))
            elif item.is_named:
                result.append((item, []))
            elif item.type in ("&&", "||", "|", "|&", "!"):
                result.append(item.type)
            else:
                raise self.fail()
        return result

    def _list(self, tokens: Sequence[str | Statement]) -> Statement:
        parts, operators = _split(tokens, ("&&", "||"))
        return self._joined([self._pipeline(part) for part in parts], operators)

    def _pipeline(self, tokens: Sequence[str | Statement]) -> Statement:
        negated = 0
        while negated < len(tokens) and tokens[negated] == "!":
            negated += 1
        parts, operators = _split(tokens[negated:], ("|", "|&"))
        commands = [part[0] for part in parts if len(part) == 1 and isinstance(part[0], Statement)]
        if len(commands) < len(parts):
            raise self.fail()
        result = self._joined(commands, operators)
        return replace(result, is_negated=True) if negated % 2 else result

    @staticmethod
    def _joined(statements: Sequence[Statement], operators: Sequence[str]) -> Statement:
        result = statements[0]
        for operator, following in zip(operators, statements[1:], strict=True):
            result = Statement(result.line, Joined(result.line, operator, result, following))
        return result

    # Commands.

    def _converted_item(self, node: tree_sitter.Node | None, redirects: list[tree_sitter.Node]) -> list[Statement]:
        """Convert a command with its redirections."""
        if node is None:
            return self.simple(redirects)
        self.at = line = self.source.line(node)
        if node.type in _SIMPLE:
            inner = [node] if node.type == "variable_assignment" else node.children
            return self.simple([*inner, *redirects])
        if node.type == "test_command" and node.children[0].type == "[":
            return self.simple([*self.test_words(node), *redirects])
        if node.type == "function_definition":
            # The redirections are those of the body, for each call.
            return [Statement(line, self._function(node, redirects))]
        convert = _COMPOUND.get(node.type)
        if convert is None or any(child.type not in REDIRECTS for child in redirects):
            raise self.fail()
        command = convert(self, node)
        self.at = line
        return [Statement(line, command, self.redirections(redirects) if redirects else ())]

    def _test(self, node: tree_sitter.Node) -> Test:
        inner = node.children
        if inner[0].type != "[[" or inner[-1].type != "]]":
            raise self.fail()
        return Test(self.source.line(node), self.condition(inner[1:-1]))

    def _compound(self, node: tree_sitter.Node) -> Calculation | Group:
        inner, line = node.children, self.source.line(node)
        if inner[0].type == "((" and inner[-1].type == "))":
            pieces = self.pieces(inner[0].end_byte, inner[-1].start_byte, inner[1:-1])
            return Calculation(line, self.arithmetic(pieces) or NOTHING)
        if inner[0].type != "{" or inner[-1].type != "}":
            raise self.fail()
        return Group(line, self._many(inner[1:-1]))

    def _many(self, nodes: Sequence[tree_sitter.Node]) -> tuple[Statement, ...]:
        return tuple(self.statements(nodes))

    def _function(self, node: tree_sitter.Node, following: Sequence[tree_sitter.Node]) -> FunctionDefinition:
        name, body = self._field(node, "name"), self._field(node, "body")
        redirects = [child for child in node.children if child.type in REDIRECTS]
        statements = self._converted_item(body, [*redirects, *following])
        line = self.source.line(node)
        return FunctionDefinition(line, self.source.text(name.start_byte, name.end_byte), statements[0])

    # Branches and loops.

    def _if(self, node: tree_sitter.Node) -> If:
        children = [child for child in node.children if child.type != "comment"]
        clauses = [child for child in children if child.type in ("elif_clause", "else_clause")]
        own = [child for child in node.children if child not in clauses]
        then = next((number for number, child in enumerate(own) if child.type == "then"), 0)
        if not then or own[-1].type not in ("fi", own[-1].type if node.type != "if_statement" else ""):
            raise self.fail()
        last = len(own) - (node.type == "if_statement")
        result = If(self.source.line(node), self._many(own[1:then]), self._many(own[then + 1 : last]))
        otherwise: If | None = None
        for clause in reversed(clauses if node.type == "if_statement" else []):
            if clause.type == "else_clause":
                otherwise = If(self.source.line(clause), (), self._many(clause.children[1:]))
            else:
                otherwise = replace(self._if(clause), otherwise=otherwise)
        return replace(result, otherwise=otherwise)

    def _case(self, node: tree_sitter.Node) -> Case:
        children = node.children
        start = next((number for number, child in enumerate(children) if child.type == "in" and not child.is_named), 0)
        if not start or children[-1].type != "esac":
            raise self.fail()
        word = self.groups(children[1:start])
        if len(word) != 1:
            raise self.fail()
        items = [child for child in children[start + 1 : -1] if child.is_named and child.type != "comment"]
        line = self.source.line(node)
        return Case(line, self.word(word[0]), tuple(self._case_item(item) for item in items))

    def _case_item(self, node: tree_sitter.Node) -> CaseItem:
        children = node.children
        end = [child.type for child in children].index(")")
        patterns, rest = children[:end], children[end + 1 :]
        if not patterns[0].is_named and patterns[0].type == "(":
            patterns = patterns[1:]
        operator = rest[-1].type if rest and rest[-1].type in (";;", ";&", ";;&") else ";;"
        return CaseItem(
            tuple(self.word(group, Mode.PATTERN) for group in self._alternatives(patterns)),
            self._many(rest[:-1] if rest and rest[-1].type == operator else rest),
            operator,
        )

    def _alternatives(self, nodes: Sequence[tree_sitter.Node]) -> list[list[tree_sitter.Node]]:
        parts, _ = _split(list(nodes), ("|",))
        result = []
        for part in parts:
            groups = self.groups(part)
            if len(groups) != 1:
                raise self.fail()
            result.append(groups[0])
        return result

    def _while(self, node: tree_sitter.Node) -> While:
        body = self._field(node, "body")
        inner = [child for child in node.children[1:] if child != body]
        is_until = node.children[0].type == "until"
        return While(self.source.line(node), self._many(inner), self._body(body), is_until)

    def _field(self, node: tree_sitter.Node, name: str) -> tree_sitter.Node:
        child = node.child_by_field_name(name)
        if child is None:
            raise self.fail()
        return child

    def _body(self, node: tree_sitter.Node) -> tuple[Statement, ...]:
        first, last = node.children[0].type, node.children[-1].type
        if (first, last) not in (("do", "done"), ("{", "}")):
            raise self.fail()
        return self._many(node.children[1:-1])

    def _for(self, node: tree_sitter.Node) -> For:
        name, body = self._field(node, "variable"), self._field(node, "body")
        children = [child for child in node.children[2:] if child != body]
        words = [child for child in children if child.is_named]
        items: tuple[Written, ...] | None = None
        if any(child.type == "in" for child in children):
            groups = self.groups(words)
            items = tuple(self.word(group) for group in groups)
            self._on_one_line(groups)
        elif any(child.type != "comment" for child in words):
            raise self.fail()
        text, is_select = self.source.text(name.start_byte, name.end_byte), node.children[0].type == "select"
        return For(self.source.line(node), text, items, self._body(body), is_select)

    def _on_one_line(self, groups: Sequence[Sequence[tree_sitter.Node]]) -> None:
        for left, right in itertools.pairwise(groups):
            if BREAK.search(self.source.data, left[-1].end_byte, right[0].start_byte):
                raise self.fail()

    def _counted(self, node: tree_sitter.Node) -> CountedFor:
        body, kinds = self._field(node, "body"), [child.type for child in node.children]
        start, end = node.children[kinds.index("((")], node.children[kinds.index("))")]
        pieces: list[Piece] = self.pieces(start.end_byte, end.start_byte, node.children)
        expressions: list[Expression | None] = []
        for is_last in (False, False, True):
            part, semicolon, pieces = split_at(pieces, ";")
            if bool(semicolon) == is_last:
                raise self.fail()
            expressions.append(self.arithmetic(part))
        first, condition, step = expressions
        return CountedFor(self.source.line(node), first, condition, step, self._body(body))


_COMPOUND: Mapping[str, Callable[[Commands, tree_sitter.Node], Command]] = {
    "compound_statement": Commands._compound,
    "subshell": lambda own, node: Subshell(own.source.line(node), own._many(node.children[1:-1])),
    "test_command": Commands._test,
    "if_statement": Commands._if,
    "case_statement": Commands._case,
    "while_statement": Commands._while,
    "for_statement": Commands._for,
    "c_style_for_statement": Commands._counted,
}


def _split(tokens: Sequence[object], separators: Sequence[str]) -> tuple[list[list], list[str]]:  # type: ignore[type-arg]
    """Return the parts between separators, and the separators."""
    parts: list[list[object]] = [[]]
    between: list[str] = []
    for token in tokens:
        kind = token if isinstance(token, str) else "" if isinstance(token, Statement) else getattr(token, "type", "")
        if kind in separators:
            between.append(kind)
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, between
