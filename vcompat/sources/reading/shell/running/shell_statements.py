"""Executes statements abstractly: lists, pipelines, branches, loops, functions and redirections.

A statement takes a state and returns the state after it; None if execution does not go on after it. Where a condition
is not known, every branch runs on a copy, and the results are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.shell.running import redirections
from vcompat.sources.reading.shell.running.commands import Commands
from vcompat.sources.reading.shell.running.execution import DEEPEST, MOST_CHARACTERS, MOST_TEXTS, TooMuch
from vcompat.sources.reading.shell.running.loops import Loops
from vcompat.sources.reading.shell.running.variable_assignments import declare
from vcompat.sources.reading.shell.tree.nodes import (
    Binary,
    Calculation,
    Case,
    CaseItem,
    Command,
    CountedFor,
    Declaration,
    Declared,
    For,
    FunctionDefinition,
    Group,
    If,
    Joined,
    Let,
    Redirection,
    Simple,
    Statement,
    Subshell,
    Test,
    While,
    Written,
    within,
)
from vcompat.sources.reading.shell.tree.syntax import Block, parse
from vcompat.sources.reading.shell.words import conditions
from vcompat.sources.reading.shell.words.arithmetic import evaluate
from vcompat.sources.reading.shell.words.expansion import Expander
from vcompat.sources.reading.shell.words.patterns import Item, Unmatchable, items_of, matches
from vcompat.sources.reading.shell.words.shell_values import bounded, same, without_last_lines
from vcompat.sources.reading.shell.words.state import EXPECTED, LIKELY, NO_MATTER, Function, State, merged
from vcompat.sources.reading.word import UNKNOWN, Word, has_words, readable

#: Statements whose failure ends the script under `set -e`.
_FAILING = (Simple, Declaration, Test, Calculation, Let, Subshell)


class Interpreter(Loops, Commands):
    """Executes statements."""

    # Texts.

    def run_text(self, text: Word, path: str, line: int, state: State) -> State | None:
        """Run shell text that starts at `line` of `path`."""
        self.texts += 1
        self.characters += len(text)
        if self.texts > MOST_TEXTS or self.characters > MOST_CHARACTERS or self.nested > DEEPEST:
            raise TooMuch
        self.nested += 1
        before, reasons = (self.path, self.line), len(self.reasons)
        self.path, self.line = path, line - 1
        current: State | None = state
        try:
            for block in self._blocks(text, path, state):
                self.line = line - 1 + block.line
                if current is None:
                    break
                current = self.block(block.statements, current)
                if block.error and current is not None:
                    place = Place(path, line - 1 + block.error, 1)
                    current.open_all(f"{place}: a syntax error")
                    self.reasons.append(f"{place}: after a syntax error")
                    self.why_incomplete = self.why_incomplete or f"{place}: a syntax error"
        finally:
            self.path, self.line = before
            self.nested -= 1
            if len(self.frames) > 1:
                del self.reasons[reasons:]
        return current

    def _blocks(self, text: Word, path: str, state: State) -> Sequence[Block]:
        try:
            return parse(text, path)
        except InputError as error:
            if self.texts == 1:
                raise
            state.open_all(str(error))
            return ()

    def block(self, statements: Sequence[Statement], state: State) -> State | None:
        current: State | None = state
        for statement in statements:
            if current is None:
                return None
            current = self.statement(statement, current)
        return current

    def statement(self, statement: Statement, state: State) -> State | None:
        """Run one statement."""
        self.tick()
        self.depth += 1
        try:
            if self.depth > 150:
                raise TooMuch
            if statement.in_background:
                return self._in_background(statement, state)
            return self._foreground(statement, state)
        finally:
            self.depth -= 1

    def _foreground(self, statement: Statement, state: State) -> State | None:
        command = statement.command
        if statement.is_negated:
            with self.condition():
                result = self._redirected(statement, command, state)
            if result is not None:
                result.status = None if result.status is None else int(result.status == 0)
                result.success = NO_MATTER
            return result
        result = self._redirected(statement, command, state)
        is_pipeline = isinstance(command, Joined) and command.operator in ("|", "|&")
        fails = isinstance(command, _FAILING) or is_pipeline
        if result is None or self.in_condition or not fails or result.status in (None, 0):
            return result
        if result.errexit is not False:
            self.escape(result if result.errexit else result.copy())
        return None if result.errexit else result

    def _in_background(self, statement: Statement, state: State) -> State:
        before, self.background = self.background, True
        try:
            self.isolated(state, lambda copy: self._foreground(statement, copy))
        finally:
            self.background = before
        state.status, state.success = 0, EXPECTED
        return state

    def _redirected(self, statement: Statement, command: Command | None, state: State) -> State | None:
        before = self.has_own_input
        try:
            return self._with_streams(statement.redirections, statement, command, state)
        finally:
            self.has_own_input = before

    def _with_streams(
        self, redirects: Sequence[Redirection], statement: Statement, command: Command | None, state: State
    ) -> State | None:
        self.has_own_input = False
        if not redirects:
            return self.command(command, state)
        expander = Expander(state, self, statement)
        streams = redirections.streams(redirects, expander, self)
        stdin, output = state.stdin, state.output
        state.stdin = streams.stdin if streams.reads else stdin
        self.has_own_input = streams.reads
        state.output = ""
        before = {name: state.files.get(name) for name in streams.files}
        # The files are cut before the command runs, which can also write them itself.
        state.files.update(dict.fromkeys(streams.files, redirections.BEING_WRITTEN))
        result = self.command(command, state)
        if result is None:
            for name in streams.files:
                for frame in self.frames:
                    for left in frame.left:
                        left.files[name] = None
            return None
        text, result.stdin, result.output = result.output, stdin, output
        if streams.stdout is None:
            result.output = bounded(output + text)
        for name, stream in streams.files.items():
            untouched = result.files.get(name) == redirections.BEING_WRITTEN
            result.files[name] = before[name]
            redirections.write(result, name, text if stream.is_stdout and untouched else None, stream.appends)
        return result

    # Commands.

    def command(self, command: Command | None, state: State) -> State | None:
        """Run a command without its redirections."""
        if command is None:
            state.status, state.success = 0, EXPECTED
            return state
        return _RUNS[type(command)](self, command, state)

    def run_group(self, command: Group, state: State) -> State | None:
        return self.block(command.statements, state)

    def run_subshell(self, command: Subshell, state: State) -> State | None:
        inner = self.isolated(state, lambda copy: self.block(command.statements, copy))
        return state if inner is not None else None

    def run_definition(self, command: FunctionDefinition, state: State) -> State | None:
        state.functions[command.name] = Function(command.body, self.path, self.line)
        state.status, state.success = 0, EXPECTED
        return state

    def run_declaration(self, command: Declaration, state: State) -> State | None:
        if command.kind == "local" and not state.scopes:
            # An error, after which the script goes on. The values are expanded before.
            given = [part for part in command.arguments if not isinstance(part, Declared)]
            values = [part if isinstance(part, Written) else part.value for part in given]
            Expander(state, self, command).fields([value for value in values if value])
            state.status, state.success = 1, NO_MATTER
            return state
        declare(command, Expander(state, self, command), self.place(command))
        return state

    def run_test(self, command: Test, state: State) -> State | None:
        if "BASH_REMATCH" in state.variables or _matches_a_regex(command):
            state.set("BASH_REMATCH", UNKNOWN, self.place(command))
        return self.decided(state, conditions.extended(command.condition, Expander(state, self, command)))

    def run_calculation(self, command: Calculation, state: State) -> State | None:
        value = evaluate(command.expression, Expander(state, self, command))
        return self.decided(state, None if value is None else value != 0)

    def run_let(self, command: Let, state: State) -> State | None:
        value = None
        for expression in command.expressions:
            value = evaluate(expression, Expander(state, self, command))
        return self.decided(state, None if value is None else value != 0)

    @staticmethod
    def decided(state: State, condition: bool | None) -> State:
        """Set the status of a condition."""
        state.status = None if condition is None else int(not condition)
        state.success = NO_MATTER
        return state

    # Lists and pipelines.

    def run_joined(self, command: Joined, state: State) -> State | None:
        operator = command.operator
        if operator in ("|", "|&"):
            return self._pipeline(command, state)
        with self.condition():
            self.before_or += operator == "||"
            try:
                left = self.statement(command.left, state)
            finally:
                self.before_or -= operator == "||"
        if left is None:
            return None
        if left.status is not None:
            return self.statement(command.right, left) if (left.status == 0) == (operator == "&&") else left
        if operator == "&&" and left.success == EXPECTED and not self.before_or:
            return self.statement(command.right, left)
        skipped = left.copy()
        skipped.status, skipped.success = (0 if operator == "||" else None), NO_MATTER
        if operator == "&&" and left.success == LIKELY and not self.before_or:
            return merged([self.statement(command.right, left), skipped])
        place = self.place(command.right)
        result = self.branch(
            lambda copy: self.statement(command.right, copy), left, f"{place}: runs after {operator} only"
        )
        return merged([result, skipped])

    def branch(self, run: Callable[[State], State | None], state: State, reason: str) -> State | None:
        """Run something on a copy that may not run."""
        before = len(self.invocations)
        with self.uncertain(reason):
            result = run(state.copy())
        if result is None:
            self.may_end(before, Place(self.path, self.line + 1))
        return result

    def _pipeline(self, command: Joined, state: State) -> State | None:
        def left(copy: State) -> State | None:
            return self.statement(command.left, copy)

        def right(copy: State) -> State | None:
            copy.stdin = output
            return self.statement(command.right, copy)

        before = state.status
        first = self.isolated(state, left, keep_output=False)
        state.status = before
        output = first.output if first is not None else UNKNOWN
        second = self.isolated(state, right)
        if second is None:
            return None
        if state.pipefail is not False and state.status == 0 and (first is None or first.status != 0):
            state.status = first.status if first is not None and state.pipefail else None
        if first is not None:
            state.success = min(first.success or LIKELY, state.success)
        return state

    def isolated(self, state: State, run: Callable[[State], State | None], keep_output: bool = True) -> State | None:
        """Run something in a subshell. Files that it writes, its output and its status remain."""
        before = state.output
        copy = state.copy()
        copy.output = ""
        inner = self.framed("shell", lambda: run(copy))
        if inner is None:
            return None
        state.files = dict(inner.files)
        state.status, state.success = inner.status, inner.success
        if keep_output:
            state.output = bounded(before + inner.output)
        return inner

    # What expansions need.

    def substitute(self, statements: Sequence[Statement], state: State) -> Word:
        """Return the output of ``$(...)``."""
        text = redirections.of_read(statements, Expander(state, self, statements[0]), self) if statements else ""
        self.substituted = (None, NO_MATTER)
        if text is not None:
            return without_last_lines(text)
        with self.condition():
            inner = self.isolated(state, lambda copy: self.block(statements, copy), keep_output=False)
        self.substituted = (None, NO_MATTER) if inner is None else (inner.status, inner.success)
        return UNKNOWN if inner is None else without_last_lines(inner.output)

    def run_inside(self, statements: Sequence[Statement], state: State) -> None:
        """Run the commands of ``<(...)``."""
        self.isolated(state, lambda copy: self.block(statements, copy), keep_output=False)

    # Branches.

    def run_if(self, command: If, state: State) -> State | None:
        if not command.condition:
            return self.block(command.then, state)
        with self.condition():
            decided = self.block(command.condition, state)
        if decided is None:
            return None
        otherwise = command.otherwise
        if decided.status is not None:
            if decided.status == 0:
                return self.block(command.then, decided)
            if otherwise:
                return self.run_if(otherwise, decided)
            decided.status = 0
            return decided
        reason = f"{self.place(command)}: in a branch of if"
        yes = self.branch(lambda copy: self.block(command.then, copy), decided, reason)
        if otherwise:
            no = self.branch(lambda copy: self.run_if(otherwise, copy), decided, reason)
        else:
            no = decided
            no.status = 0
        return merged([yes, no])

    def run_case(self, command: Case, state: State) -> State | None:
        expander = Expander(state, self, command)
        text = expander.text(command.word)
        reason = f"{self.place(command)}: in a branch of case"
        results: list[State | None] = []
        items = command.items
        for index, item in enumerate(items):
            fits = self._fits(item, text, expander)
            if fits is False:
                continue
            statements = list(item.statements)
            following = index
            while items[following].end == ";&" and following + 1 < len(items):
                following += 1
                statements += items[following].statements
            run: Callable[[State], State | None] = lambda copy, body=statements: self.block(body, copy)  # type: ignore[misc]  # noqa: E731
            if fits and item.end != ";;&":
                if not results:
                    return run(state)
                return merged([*results, self.branch(run, state, reason)])
            result = self.branch(run, state, reason)
            if item.end == ";;&":
                state = merged([result, state]) or state
            else:
                results.append(result)
        state.status = 0
        return merged([*results, state])

    @staticmethod
    def _fits(item: CaseItem, text: Word, expander: Expander) -> bool | None:
        fits: bool | None = False
        for pattern in item.patterns:
            try:
                items = items_of(expander.runs(pattern))
                fits = conditions.either(fits, True if _matches_all(items) else _matched(items, text))
            except Unmatchable:
                fits = conditions.either(fits, None)
        return fits

    # Functions.

    def call(self, name: Word, words: Sequence[Word], state: State, place: Place) -> State | None:
        """Run the function `name` with the arguments `words`."""
        function = state.functions[name]
        if function is None or sum(frame.kind == "function" for frame in self.frames) >= DEEPEST:
            why = f"{place}: the function {readable(name)} is not known"
            with self.uncertain(why):
                self.invoke((name, *words), state, place, state.environment())
            state.open_all(why)
            state.output += UNKNOWN
            return state
        path, line = self.path, self.line
        positional, source = state.positional, state.source
        state.positional = None if any(map(has_words, words)) and len(words) > 100 else tuple(words)
        state.source = source if function.path == path else UNKNOWN
        state.scopes = (*state.scopes, {})
        self.path, self.line = function.path, function.line
        try:
            result = self.framed("function", lambda: self.statement(function.body, state))
        finally:
            self.path, self.line = path, line
        if result is None:
            return None
        for variable, value in result.scopes[-1].items():
            if value is None:
                result.variables.pop(variable, None)
            else:
                result.variables[variable] = value
        result.scopes = result.scopes[:-1]
        result.positional, result.source = positional, source
        return result


_RUNS: Mapping[type[Command], Callable[[Interpreter, Any, State], State | None]] = {
    Simple: Interpreter.run_simple,
    Declaration: Interpreter.run_declaration,
    Let: Interpreter.run_let,
    Joined: Interpreter.run_joined,
    Test: Interpreter.run_test,
    Calculation: Interpreter.run_calculation,
    Group: Interpreter.run_group,
    Subshell: Interpreter.run_subshell,
    FunctionDefinition: Interpreter.run_definition,
    If: Interpreter.run_if,
    Case: Interpreter.run_case,
    While: Interpreter.run_while,
    For: Interpreter.run_for,
    CountedFor: Interpreter.run_counted,
}


def _matches_a_regex(command: Test) -> bool:
    return any(isinstance(node, Binary) and node.operator == "=~" for node in within(command))


def _matches_all(items: Sequence[Item]) -> bool:
    return [item.kind for item in items] == ["*"]


def _matched(items: Sequence[Item], text: Word) -> bool | None:
    if isinstance(text, str):
        return matches(items, text)
    plain = all(item.kind == "c" for item in items)
    return same(text, "".join(item.chars for item in items)) if plain else None
