"""Shells that a script starts: `bash -c text`, `bash file`, ``./file``, `bash` with its commands on standard input."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.shell.running.execution import DEEPEST, Found, Machine
from vcompat.sources.reading.shell.words.shell_values import bounded, matchable, program_of
from vcompat.sources.reading.shell.words.state import State, of_environment
from vcompat.sources.reading.word import UNKNOWN, Gap, Word, as_one, base_name, has, has_words, readable

SHELLS = frozenset("bash sh dash ash ksh zsh".split())
#: An option with a value: `-o pipefail`, `-euo pipefail`.
_VALUED = re.compile(r"[-+]\w*[oO]|--(rcfile|init-file)")
_SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch")


class _Start(NamedTuple):
    """The start of a shell."""

    script: Word
    """``$0``."""
    arguments: Sequence[Word]
    options: str
    place: Place
    goes_on: bool = False
    """Whether the program that starts it may start others after it."""


def run_shell_program(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Run `bash` with its arguments. Returns whether its commands could be followed."""
    index, options = 1, ""
    while index < len(words) and re.fullmatch(r"[-+]\w+|--\w[\w-]*", option := matchable(words[index])):
        options += "" if option.startswith("--") else option[1:]
        index += 2 if _VALUED.fullmatch(option) else 1
    index += list(words[index : index + 1]) == ["--"]
    rest = words[index:]
    if "c" in options:
        if not rest or has_words(rest[0]):
            return False
        script = rest[1] if len(rest) > 1 else base_name(words[0])
        text = Found(machine.path, rest[0])
        return _run(machine, text, place.line, state, _Start(script, rest[2:], options, place))
    if rest and "s" not in options:
        return _file(machine, rest, state, place, options)
    if state.stdin is not None:
        text = Found(machine.path, state.stdin)
        return _run(machine, text, place.line, state, _Start("bash", rest, options, place))
    return False


def run_script(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Run ``./file arguments`` if it is a shell script."""
    name = program_of(words[0])
    if not name or name.startswith("python"):
        return False
    file, is_named_so = machine.find(words[0], state, beside=False), name.endswith(_SCRIPTS)
    if file is None and is_named_so:
        file = machine.presumed_file(words[0], state, place)
    if file is None:
        if isinstance(words[0], str) and is_named_so:
            machine.mention(words[0], "launch", place)
        return False
    options = shebang_options(file.text)
    if options is None and state.presumed is not None and is_named_so and not file.text.startswith("#!"):
        # Without such a line, the shell runs the file; other programs may not.
        state.presumed.append(Presumption(CALLER, f"a shell runs {readable(words[0])}", place))
        options = ""
    return options is not None and _file(machine, words, state, place, options)


def shebang_options(text: Word) -> str | None:
    """Return the letters of the options in the first line of a shell script; None if it is none."""
    first = matchable(text.partition("\n")[0])
    match = re.search(r"\b(?:ba|da|z|k)?sh\b(.*)", first) if first.startswith("#!") else None
    return match and "".join(re.findall(r"(?<= -)\w+", match[1]))


def _file(machine: Machine, words: Sequence[Word], state: State, place: Place, options: str) -> bool:
    file, script = machine.find(words[0], state), words[0]
    if file is None:
        file = machine.presumed_file(words[0], state, place)
        # The folder in which it is started may not be that of the project.
        script = os.path.abspath(file.path) if file is not None else script
    if file is None:
        machine.mention(words[0], "launch", place)
        return False
    return _run(machine, file, 1, state, _Start(script, words[1:], options, place))


def run_in_shell(machine: Machine, file: Found, line: int, state: State, place: Place) -> bool:
    """Run the text of `file`, which begins at `line` of it, in a shell of its own. Returns whether it was followed."""
    return _run(machine, file, line, state, _Start("sh", (), "", place, goes_on=True))


def _run(machine: Machine, file: Found, line: int, state: State, start: _Start) -> bool:
    """Run a text in a shell of its own, which has the exported variables only."""
    if sum(frame.kind == "shell" for frame in machine.frames) >= DEEPEST:
        return False
    child = child_of(state, start.script, start.arguments, start.options)
    child.source = file.path if file.path != machine.path else UNKNOWN
    reasons = len(machine.reasons)
    is_last = not start.goes_on and machine.is_last()
    if has(file.text, Gap.PART) and not _only_arguments(file.text):
        machine.reasons.append(f"{start.place}: a part of the commands is not known")
    try:
        after = machine.framed("shell", lambda: machine.run_text(file.text, file.path, line, child), is_last)
    finally:
        del machine.reasons[reasons:]
    state.status = None
    if after is not None:
        state.files, state.status = dict(after.files), after.status
        state.output = bounded(state.output + after.output)
    return True


def child_of(state: State, script: Word, arguments: Sequence[Word], options: str) -> State:
    """Return the state of a shell that `state` starts; `script` is ``$0``, `options` has the letters of its options."""
    child = of_environment(_cleaned(state.environment()))
    child.presumed = state.presumed
    child.positional, child.script = tuple(arguments), script
    child.folder, child.files, child.stdin = state.folder, dict(state.files), state.stdin
    child.errexit = "e" in options
    child.allexport = "a" in options
    return child


def _only_arguments(text: Word) -> bool:
    """Return whether no command starts with a part that is not known."""
    return not re.search(r"(^|[;&|(\n])\s*\0", matchable(text))


def _cleaned(environment: Environment) -> Environment:
    values = {name: None if value is None else as_one(value) for name, value in environment.values.items()}
    return environment._replace(values=values)
