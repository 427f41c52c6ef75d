"""Runs simple commands: assignments, functions, builtins and programs."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.facts.facts import Place
from vcompat.sources.reading.shell.running import programs
from vcompat.sources.reading.shell.running.builtins import builtin_of
from vcompat.sources.reading.shell.running.execution import Machine
from vcompat.sources.reading.shell.running.variable_assignments import assign, value_of
from vcompat.sources.reading.shell.tree.nodes import (
    Assignment,
    CommandSubstitution,
    DoubleQuoted,
    Literal,
    Simple,
    Written,
    within,
)
from vcompat.sources.reading.shell.tree.spelling import spelled
from vcompat.sources.reading.shell.words.expansion import Expander
from vcompat.sources.reading.shell.words.state import EXPECTED, NO_MATTER, State, Variable
from vcompat.sources.reading.word import UNKNOWN, Word, base_name

#: Programs whose `eval "$(program ...)"` prepares PATH and functions only.
_HOOKS = frozenset("conda mamba micromamba pyenv ssh-agent brew direnv starship rbenv nodenv fnm modulecmd".split())


class Commands(Machine):
    """Runs simple commands."""

    def run_simple(self, command: Simple, state: State) -> State | None:
        """Run a simple command."""
        place = self.place(command)
        expander = Expander(state, self, command)
        arguments = command.words
        if _is_hook(arguments):
            state.status, state.success = 0, EXPECTED
            return state
        words = expander.fields(arguments)
        self.spelled = _spellings(arguments, words)
        assigns = command.assignments
        if words:
            return self._with_assignments(assigns, words, state, expander, place)
        for target in assigns:
            assign(target, expander, place)
        state.status, state.success = 0, EXPECTED
        if any(isinstance(node, CommandSubstitution) for node in within((assigns, arguments))):
            # The status of the last command substitution.
            state.status, state.success = self.substituted
        return state

    def _with_assignments(
        self, assigns: Sequence[Assignment], words: Sequence[Word], state: State, expander: Expander, place: Place
    ) -> State | None:
        """Run a command with variables of its own, as in ``A=1 cmd``."""
        if not assigns:
            return self.execute(words, state, place)
        before: dict[str, Variable | None] = {}
        for target in assigns:
            name = target.name
            value = value_of(target, expander)
            before.setdefault(name, state.variables.get(name))
            state.variables[name] = Variable(value, True, place)
        result = self.execute(words, state, place)
        if result is None:
            return None
        for name, variable in before.items():
            if variable is None:
                result.variables.pop(name, None)
            else:
                result.variables[name] = variable
        return result

    def execute(self, words: Sequence[Word], state: State, place: Place) -> State | None:
        """Run a command with expanded words."""
        name = words[0]
        if name in state.functions:
            return self.call(name, words[1:], state, place)
        state.success = NO_MATTER
        builtin = builtin_of(name)
        if builtin is not None:
            return builtin(self, words, state, place)
        if state.functions_open and isinstance(name, str) and not programs.is_program(name):
            # A function of a file that could not be read.
            state.open_all(f"{place}: {name} may be a function that is not known")
            state.output += UNKNOWN
        return programs.start(self, words, state, place)


def _spellings(arguments: Sequence[Written], words: Sequence[Word]) -> dict[Word, Word]:
    """Return how the words are spelled that are not known, if each argument is one word."""
    if len(arguments) != len(words) or all(isinstance(word, str) for word in words):
        return {}
    return {word: spelled(node) for node, word in zip(arguments, words, strict=True) if not isinstance(word, str)}


def _is_hook(arguments: Sequence[Written]) -> bool:
    """Return whether a command is ``eval "$(conda shell.bash hook)"`` or alike."""
    if len(arguments) != 2 or _literal(arguments[0]) != "eval":
        return False
    parts = arguments[1].parts
    if len(parts) == 1 and isinstance(parts[0], DoubleQuoted):
        parts = parts[0].parts
    only = parts[0] if len(parts) == 1 else None
    statements = only.statements if isinstance(only, CommandSubstitution) else ()
    command = statements[0].command if len(statements) == 1 else None
    words = command.words if isinstance(command, Simple) else ()
    return bool(words) and base_name(_literal(words[0])) in _HOOKS


def _literal(word: Written) -> Word:
    last = word.parts[-1] if word.parts else None
    return last.text if isinstance(last, Literal) else ""
