"""Jobs that a script or a command submits to Slurm: `sbatch options file arguments`, `sbatch --wrap commands`.

The job is followed as it starts: with its arguments, the variables that are exported, those that Slurm sets, and in the
folder in which it is submitted. Slurm runs a copy of the script, so that ``$0`` is not its path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.commands.wrappers import BATCH, inner_of
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.shell.running.directives import Directive, directives, slurm_options, slurm_variables
from vcompat.sources.reading.shell.running.execution import DEEPEST, Found, Machine, into
from vcompat.sources.reading.shell.running.shells import child_of, shebang_options
from vcompat.sources.reading.shell.words.shell_values import bounded, public
from vcompat.sources.reading.shell.words.state import State, Variable
from vcompat.sources.reading.word import UNKNOWN, Word, has_words


class _Start(NamedTuple):
    """A job that is submitted."""

    script: Found
    line: int
    """The line of its file at which the text of the script begins."""
    arguments: Sequence[Word]
    options: Mapping[str, tuple[Word, Place]]
    """By long name."""
    place: Place
    """The position of the command that submits it."""


def submit(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Follow the job that `sbatch` submits. Returns whether its commands could be followed."""
    inner = inner_of(list(map(public, words)), BATCH)
    options = words[1:] if inner is None else words[1 : inner.start]
    if not machine.follows_jobs or any(map(_is_not_followed, options)) or (inner is not None and not inner.certain):
        return False
    wrapped = _wrapped(options)
    if wrapped is not None:
        found = Found(machine.path, "#!/bin/sh\n" + wrapped)
        start = _Start(found, place.line - 1, (), _job(found, 0, options, place), place)
        return _follow(machine, start, state)
    if inner is None:
        return False
    script, *arguments = words[inner.start :]
    named = machine.find(script, state, beside=False) or machine.presumed_file(script, state, place)
    if named is None:
        machine.mention(script, "launch", place)
        return False
    return _follow(machine, _Start(named, 1, arguments, _job(named, 1, options, place), place), state)


def _follow(machine: Machine, start: _Start, state: State) -> bool:
    """Follow the script of a job."""
    file, line, arguments, job, _ = start
    letters = shebang_options(file.text)
    if letters is None or sum(frame.kind == "shell" for frame in machine.frames) >= DEEPEST:
        return False
    child = child_of(state, UNKNOWN, arguments, letters)
    _export(child, job, start.place)
    child.variables = {name: kept for name, kept in child.variables.items() if not name.startswith("SLURM_")}
    if child.others is Others.UNSET:
        child.others, child.why_open = Others.UNKNOWN, "Slurm sets variables of its own"
    for name, (value, at) in slurm_variables(job).items():
        child.variables[name] = Variable(value, True, at)
    folder: Word = job["--chdir"][0] if "--chdir" in job else ""
    if folder:
        child.folder = into(state.folder, folder)
    before = machine.job
    machine.job = {name: public(value) for name, (value, _) in job.items()}
    is_last = machine.is_last()
    try:
        after = machine.framed("shell", lambda: machine.run_text(file.text, file.path, line, child), is_last)
    finally:
        machine.job = before
    for path, text in (after or child).files.items():
        # The job writes it at some time later.
        if state.files.get(path) != text:
            state.files[path] = None
    state.output, state.status = bounded(state.output + UNKNOWN), None
    return True


def _job(file: Found, line: int, options: Sequence[Word], place: Place) -> Mapping[str, tuple[Word, Place]]:
    """Return the options of a job by long name: those on the command line outweigh those of the file."""
    typed = Directive("SBATCH", tuple(options), place)
    return slurm_options([*directives(file.text, file.path, line), typed])


def _export(child: State, job: Mapping[str, tuple[Word, Place]], place: Place) -> None:
    """Keep of the variables what ``--export`` passes on: without it, all of them."""
    if "--export" not in job:
        if child.get("SBATCH_EXPORT") is not None:
            _may_export_less(child, place)
        return
    value, place = job["--export"]
    if not isinstance(value, str):
        child.variables = {}
        child.others, child.why_open = Others.UNKNOWN, f"{place}: the variables of the job are not known"
        return
    names = value.split(",")
    known = {name: variable for name, variable in child.variables.items() if name in names}
    if "ALL" not in names:
        child.variables = known
        child.others, child.why_open = Others.UNKNOWN, f"{place}: sbatch passes on some variables only"
    for name in names:
        variable, equals, text = name.partition("=")
        if equals:
            child.variables[variable] = Variable(text, True, place)


def _may_export_less(child: State, place: Place) -> None:
    """Open the variables that the job has only if the caller has not set SBATCH_EXPORT."""
    exported = [name for name, variable in child.variables.items() if variable.value is not None]
    if exported and child.presumed is not None:
        child.presumed.append(Presumption(CALLER, "the caller does not set SBATCH_EXPORT", place))
    elif child.presumed is None:
        for name in exported:
            child.variables[name] = Variable(UNKNOWN, None, child.variables[name].place)


def _wrapped(options: Sequence[Word]) -> Word | None:
    """Return the commands of ``--wrap``; None if there is a script instead."""
    for word, following in pairwise([*options, ""]):
        if word.startswith("--wrap="):
            return word.partition("=")[2]
        if word == "--wrap":
            return following
    return None


def _is_not_followed(option: Word) -> bool:
    return has_words(option) or option in ("-h", "--help", "--usage", "-V", "--version", "--test-only")
