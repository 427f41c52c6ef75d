"""Expands words: braces, tildes, parameters, commands, arithmetic, splitting into words, quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from vcompat.facts.facts import Place
from vcompat.sources.reading.shell.tree.nodes import (
    ArithmeticExpansion,
    CommandSubstitution,
    DoubleQuoted,
    Literal,
    Located,
    Parameter,
    Part,
    ProcessSubstitution,
    SingleQuoted,
    Statement,
    Written,
)
from vcompat.sources.reading.shell.words import quoting
from vcompat.sources.reading.shell.words.arithmetic import evaluate
from vcompat.sources.reading.shell.words.braces import Token, braced
from vcompat.sources.reading.shell.words.parameters import Around, Expanded, Parameters, literal_index
from vcompat.sources.reading.shell.words.patterns import Run
from vcompat.sources.reading.shell.words.shell_values import MOST_WORDS, ONE, Value, bounded
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.shell.words.tildes import in_command, with_homes
from vcompat.sources.reading.word import (
    UNKNOWN,
    UNKNOWN_WORDS,
    Gap,
    PartlyKnown,
    Word,
    concat,
    is_only,
    mapped,
    with_gap,
)

_BLANKS = re.compile(r"[ \t\n]+")


class Runner(Protocol):
    """Runs the commands inside of words."""

    def substitute(self, statements: Sequence[Statement], state: State) -> Word:
        """Return the output of a command substitution, without the line ends at its end."""

    def run_inside(self, statements: Sequence[Statement], state: State) -> None:
        """Run the commands of a process substitution."""

    def place(self, node: Located) -> Place:
        """Return the position of a node."""

    def leave(self, state: State) -> None:
        """Record that the script ends here if a parameter is not set."""


class Expander:
    """Expands words in one state, which assignments in expansions change."""

    def __init__(self, state: State, runner: Runner, node: Located) -> None:
        self.state, self.runner, self.node = state, runner, node
        self.parameters = Parameters(self)

    # What arithmetic reads and sets.

    def text(self, word: Written) -> Word:
        """Return the word without splitting, as in an assignment or in double quotes."""
        return bounded(concat(text for text, _ in self.runs(word)))

    def variable(self, name: str) -> Value:
        return self.state.get(name)

    def assign(self, name: str, value: Word) -> None:
        self.state.set(name, value, self.runner.place(self.node))

    def leave(self) -> None:
        self.runner.leave(self.state)

    # Words.

    def assigned(self, word: Written) -> Word:
        """Return the value that an assignment gets from the word."""
        return bounded(concat(text for text, _ in self.runs(word, assigned=True)))

    def runs(self, word: Written | None, assigned: bool = False) -> list[Run]:
        """Return the word without splitting, with the parts in which wildcards are ordinary characters."""
        return self._runs_of(with_homes(_compact(_tokens(word)), self._home(), assigned))

    def last_of_braces(self, word: Written) -> Word:
        """Return the value in ``export X={a,b}``, which assigns one after another, without expanding tildes."""
        words = braced(_tokens(word))
        if len(words) == 1:
            return self.assigned(word)
        return bounded(concat(text for text, _ in self._runs_of(words[-1])))

    def _runs_of(self, tokens: Sequence[Token]) -> list[Run]:
        result: list[Run] = []
        for token in tokens:
            result += [token] if isinstance(token, tuple) else self._whole(token)
        return result

    def _whole(self, part: Part) -> list[Run]:
        if isinstance(part, DoubleQuoted):
            return [(concat(map(self.quoted, part.parts)), True)]
        if isinstance(part, SingleQuoted):
            return [(self._single(part), True)]
        if isinstance(part, Parameter):
            return [(self.parameters.joined(self.parameters.expand(part, Around.VALUE)), False)]
        return [(self.quoted(part), False)]

    @staticmethod
    def _single(part: SingleQuoted) -> Word:
        return quoting.ansi_c(part.text) if part.ansi else part.text

    def quoted(self, part: Part, literal: str = '$`"\\') -> Word:
        """Return a part of a double-quoted text."""
        if isinstance(part, Literal):
            return quoting.double_quoted(part.text, literal)
        if isinstance(part, Parameter):
            return self.parameters.joined(self.parameters.expand(part, Around.QUOTES))
        if isinstance(part, CommandSubstitution):
            return self.runner.substitute(part.statements, self.state)
        if isinstance(part, ArithmeticExpansion):
            value = evaluate(part.expression, self)
            return ONE if value is None else str(value)
        if isinstance(part, ProcessSubstitution):
            self.runner.run_inside(part.statements, self.state)
            return ONE
        if isinstance(part, (DoubleQuoted, SingleQuoted)):
            return concat(text for text, _ in self._whole(part))
        return UNKNOWN

    def here_document(self, parts: Sequence[Part]) -> Word:
        """Return the text of a here-document whose delimiter is not quoted."""
        return bounded(concat(self.quoted(part, "$`\\") for part in parts))

    def fields(self, words: Sequence[Written], elements: bool = False) -> list[Word]:
        """Return the words of a command, or with `elements` those of an array."""
        result: list[Word] = []
        for word in words:
            expanded = [_compact(tokens) for tokens in braced(_tokens(word))]
            if elements or len(expanded) > 1:
                expanded = [with_homes(tokens, self._home(), assigned=False) for tokens in expanded]
            else:
                expanded = [in_command(tokens, self._home()) for tokens in expanded]
            for tokens in expanded:
                result += self._fields(tokens)
            if len(result) > MOST_WORDS:
                return [*result[:MOST_WORDS], UNKNOWN_WORDS]
        return result

    def _fields(self, tokens: Sequence[Token]) -> list[Word]:
        fields = _Fields(self._separators(), self.state.noglob is True)
        for token in tokens:
            if isinstance(token, tuple):
                fields.add(*token)
            else:
                self._part(token, fields)
        return fields.finished()

    def _part(self, part: Part, fields: _Fields) -> None:
        if isinstance(part, DoubleQuoted):
            self._double(part, fields)
        elif isinstance(part, SingleQuoted):
            fields.add(self._single(part), True)
        elif isinstance(part, Parameter):
            self._parameter(part, fields)
        else:
            fields.split(self.quoted(part))

    def default(self, word: Written) -> list[Word]:
        """Return the words of a default such as that of ``${X:-a b}``, which is split outside of quotes."""
        fields = _Fields(self._separators(), self.state.noglob is True)
        for token in with_homes(_compact(_tokens(word)), self._home(), assigned=False):
            if isinstance(token, tuple):
                fields.add(*token) if token[1] else fields.split(token[0])
            else:
                self._part(token, fields)
        return fields.finished()

    def _double(self, part: DoubleQuoted, fields: _Fields) -> None:
        inner = part.parts
        if len(inner) != 1 or not isinstance(inner[0], Parameter):
            fields.add("", not any(self._is_list(each) for each in inner))
        for each in inner:
            if not isinstance(each, Parameter):
                fields.add(self.quoted(each), True)
                continue
            expanded = self.parameters.expand(each, Around.QUOTES)
            if expanded.many:
                fields.several(expanded.words)
            else:
                fields.add(expanded.words[0], True)

    @staticmethod
    def _is_list(part: Part) -> bool:
        return isinstance(part, Parameter) and "@" in (part.name, literal_index(part.index))

    def _parameter(self, part: Parameter, fields: _Fields) -> None:
        expanded: Expanded = self.parameters.expand(part, Around.NOTHING)
        if expanded.split:
            fields.several(expanded.words)
        elif not expanded.many:
            fields.split(expanded.words[0])
        else:
            for index, word in enumerate(expanded.words):
                if index:
                    fields.finish()
                fields.split(word)

    def _separators(self) -> str | None:
        value = self.state.get("IFS")
        if value is None:
            return " \t\n"
        return value if isinstance(value, str) else None

    def _home(self) -> Word:
        home = self.state.get("HOME")
        return home if isinstance(home, (str, PartlyKnown)) else ONE


def _tokens(word: Written | None) -> list[Token]:
    tokens: list[Token] = []
    for part in word.parts if word else ():
        if isinstance(part, Literal):
            tokens += quoting.unquoted(part.text)
        else:
            tokens.append(part)
    return tokens


def _compact(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with consecutive characters as one."""
    result: list[Token] = []
    for token in tokens:
        last = result[-1] if result else None
        if isinstance(token, tuple) and isinstance(last, tuple) and last[1] == token[1]:
            result[-1] = (last[0] + token[0], token[1])
        else:
            result.append(token)
    return result


class _Fields:
    """Builds the words of a command from parts with and without quotes."""

    def __init__(self, separators: str | None, noglob: bool) -> None:
        self.separators, self.noglob = separators, noglob
        self.done: list[Word] = []
        self.current: list[Run] | None = None

    def add(self, text: Word, quoted: bool = False) -> None:
        """Add a part that is not split."""
        if text or quoted:
            self.current = [*(self.current or []), (text, quoted)]

    def several(self, words: Sequence[Word]) -> None:
        """Add words of which the first continues the current one."""
        for index, word in enumerate(words):
            if index:
                self.finish()
            self.add(word, True)

    def split(self, text: Word) -> None:
        """Add the value of an expansion without quotes."""
        if self.separators != " \t\n":
            self._split_at(text, self.separators)
            return
        pieces = mapped(text, _BLANKS.split)
        for index, piece in enumerate(pieces):
            if index:
                self.finish()
            self.add(piece)

    def _split_at(self, text: Word, separators: str | None) -> None:
        if separators == "":
            self.add(text)
        elif separators is None or any(char.isspace() for char in separators):
            plain = separators is not None and not any(char in text for char in separators)
            self.add(text if plain or not text else UNKNOWN)
        else:
            pieces = mapped(text, re.compile(f"[{re.escape(separators)}]").split)
            for index, piece in enumerate(pieces):
                if index:
                    # Each separator ends a word, also an empty one.
                    self.add("", True)
                    self.finish()
                self.add(piece)

    def finish(self) -> None:
        """End the current word."""
        if self.current is not None:
            self.done.append(self._word(self.current))
        self.current = None

    def finished(self) -> list[Word]:
        self.finish()
        return self.done

    def _word(self, runs: list[Run]) -> Word:
        if not self.noglob and any(not quoted and ("*" in text or "?" in text) for text, quoted in runs):
            return UNKNOWN_WORDS
        # A part that is not quoted and not known can have blanks.
        text = concat(text if quoted else with_gap(text, Gap.WORDS, old=Gap.PART) for text, quoted in runs)
        return UNKNOWN_WORDS if is_only(text, Gap.WORDS) else bounded(text)
