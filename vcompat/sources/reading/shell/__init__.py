"""Executes shell scripts abstractly. Nothing is run.

`run_shell` follows a script in the order in which bash would run it. What is not known becomes UNKNOWN: variables that
the caller sets, the output of programs, conditions. After a condition that is not known, both branches count.

Assumptions: folders to which the script changes exist; a variable of the caller for which the script has one word as
default (``${N:-8}``) is one word; activating an environment changes no variable but PATH.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.facts.presumption import Presumption
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.part import Mention
from vcompat.sources.reading.shell.running.directives import Directive, directives, slurm_options, slurm_variables
from vcompat.sources.reading.shell.running.execution import TooMuch, known_files
from vcompat.sources.reading.shell.running.shell_statements import Interpreter
from vcompat.sources.reading.shell.running.shells import shebang_options
from vcompat.sources.reading.shell.words.state import State, Variable, of_environment
from vcompat.sources.reading.word import UNKNOWN, Word

__all__ = ["Directive", "Ran", "run_shell", "slurm_options"]

#: Maximum file size in bytes. Launch scripts have a few kilobytes.
SIZE_LIMIT = 1_000_000
#: The environment of the caller, of which nothing is known.
_INHERITED = Environment()


class Ran(NamedTuple):
    """What a shell script starts."""

    invocations: Sequence[Invocation]
    """In the order in which they run."""
    directives: Sequence[Directive]
    environment: Environment
    """The environment of a program that would be started after the end of the script."""
    missing: Sequence[Mention]
    """Files that the script runs and that could not be read."""
    why_incomplete: str = ""
    """Why programs may be missing: the script is too long to be followed to its end, or a part cannot be parsed."""
    files: Mapping[Word, str | None] = {}
    """The files that the script has written, by path."""
    presumes: tuple[Presumption, ...] = ()
    """What the presuming reading presumed; empty in the certain reading."""
    read: Sequence[str] = ()
    """The paths of the files that were read to follow the script."""


def run_shell(  # noqa: PLR0913 - all but the text and its path have defaults
    text: str,
    path: str,
    *,
    line: int = 1,
    start: Environment = _INHERITED,
    arguments: tuple[Word, ...] | None = None,
    folder: Word = "",
    script: str = "",
    files: Mapping[Word, str | None] | None = None,
    reads: bool = True,
    jobs: bool = True,
    presuming: bool = False,
) -> Ran:
    """Follow the shell commands in `text`, which start at `line` of the file `path`.

    `arguments` are ``$1`` and so on; None if they are not known. `script` is the path of the script if `text` is one.
    `files` were written before. With `reads`, files that the script runs are read from this machine. With `jobs`, the
    scripts that it submits to a batch system are followed. With `presuming`, the caller adds nothing, and files that
    are not there change nothing. Raises InputError if the text is too large.
    """
    text = text.replace("\r\n", "\n")
    if script:
        text = _ended(text)
    of_system = tuple(directives(text, path, line))
    state = of_environment(start)
    state.positional = arguments
    state.folder = folder
    presumed: list[Presumption] = []
    state.presumed = presumed if presuming else None
    state.files = dict(files or {})
    if not any(directive.system == "SBATCH" for directive in of_system):
        # sbatch runs a copy of the script.
        state.script = state.source = script or UNKNOWN
    if "e" in (shebang_options(text) or ""):
        # Unless it is run by `bash run.sh`.
        state.errexit = None
    for name, (value, place) in slurm_variables(slurm_options(of_system)).items():
        state.variables.setdefault(name, Variable(value, True, place))
    machine = Interpreter(path, line, reads=_text_of if reads else None, follows_jobs=jobs)
    why = ""
    try:
        after = machine.framed("shell", lambda: machine.run_text(text, path, line, state))
    except (TooMuch, RecursionError):
        after, why = State(others=Others.UNKNOWN), f"{path} runs too many commands to be followed"
        after.why_open = why
    if after is None:
        after = state
    return Ran(
        machine.invocations,
        of_system,
        after.environment(),
        machine.missing,
        why or machine.why_incomplete,
        known_files(after),
        tuple(dict.fromkeys(presumed)),
        tuple(machine.found),
    )


def _text_of(path: str) -> str | None:
    try:
        return _ended(read_text(path, SIZE_LIMIT, "a shell script").replace("\r\n", "\n"))
    except InputError:
        return None


def _ended(text: str) -> str:
    """Return the text of a file, in which bash drops a backslash at the end, unlike in the text of `bash -c`."""
    return f"{text}\n" if text.endswith("\\") else text
