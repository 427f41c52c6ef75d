"""Reads launch scripts (shell and Slurm): what they start, with which words, environment, folder and files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import Presumption
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.commands.entry_points import Programs
from vcompat.sources.reading.commands.repeated import put_together
from vcompat.sources.reading.commands.started import PYTHON, Started, read_started
from vcompat.sources.reading.commands.wrappers import LAUNCHING, inner_of, unwrapped
from vcompat.sources.reading.invocation import Environment, Invocation
from vcompat.sources.reading.part import Mention
from vcompat.sources.reading.shell import Ran, run_shell, slurm_options
from vcompat.sources.reading.shell.running.programs import is_program
from vcompat.sources.reading.word import Word, base_name, readable

#: The option of Python whose value is code.
_CODE = re.compile(r"-[A-Za-z]*c")
#: What code needs to start a program or an engine, or to be more than its text.
_STARTING = re.compile(
    r"\b(os|subprocess|pty|runpy|asyncio|multiprocessing|importlib|vllm|trl|exec|eval|__import__|system)\b"
)
#: Maximum file size in bytes. Launch scripts have a few kilobytes.
SIZE_LIMIT = 1_000_000


class LaunchRuns(NamedTuple):
    """The launchers and scripts that a launch script starts."""

    runs: Sequence[tuple[Started, Invocation]]
    """In the order in which they are started."""
    missing: Sequence[Mention]
    """Files that the launch script runs and that could not be read."""
    directives: Mapping[str, Word]
    """The options of the batch job, by long name."""
    environment: Environment
    """The environment after the end of the script."""
    others: int = 0
    """How many programs it starts that are neither a launcher nor Python."""
    why_incomplete: str = ""
    """Why runs may be missing."""
    unseen: Place | None = None
    """The first command that may start a server in a way that is not followed: code or commands in a text."""
    presumes: tuple[Presumption, ...] = ()
    """What the presuming reading presumed; empty in the certain reading."""
    read: Sequence[str] = ()
    """The paths of the files that were read to follow it."""


def read_launch_runs(path: str, presuming: bool = False) -> LaunchRuns:
    """Follow the launch script at `path`; `presuming` that the caller adds nothing. Raises InputError."""
    text = read_text(path, SIZE_LIMIT, "a launch script")
    first = text.partition("\n")[0]
    if re.match(r"#!.*\b(fish|csh|tcsh|pwsh|perl|node|ruby)\b", first):
        raise InputError(path, f"a script for {first[2:].strip()}", "a script for bash or sh")
    return runs_of(run_shell(text, path, script=path, presuming=presuming))


def _of_unknown_program(invocation: Invocation) -> Started | None:
    """Return the script that a program starts which is not known, such as ``$LAUNCHER train.py``."""
    words = invocation.words
    if not words or isinstance(words[0], str):
        return None
    for index, word in enumerate(words):
        if isinstance(word, str) and word.endswith(".py"):
            return Started("", {}, word, "", words[index + 1 :], why_open="the launcher is not known")
    return None


def _is_program(word: Word) -> bool:
    return is_program(word) if isinstance(word, str) else "/" in word


def _of_project(invocation: Invocation, programs: Programs) -> Started | None:
    """Return what a program starts that the project declares."""
    words = unwrapped(invocation.words).words
    first = words[0] if words else ""
    if isinstance(first, str) and os.path.basename(os.path.dirname(first)) == "bin":
        # A program of an environment, such as .venv/bin/NAME.
        named = programs.around(invocation)
        name = os.path.basename(first)
        given = tuple(name if word == first else word for word in invocation.words)
        return read_started(given, named) if name in named else None
    if not words or (_is_program(first) and first not in LAUNCHING):
        return None
    return read_started(invocation.words, programs.around(invocation))


#: Programs that run commands in a text or a file, on other machines or in sessions of their own.
_OPAQUE = frozenset("ssh pdsh sbatch salloc qsub bsub tmux screen parallel kubectl".split())


def starts_unseen(words: Sequence[Word]) -> bool:
    """Return whether a command may start programs that `read_started` does not tell."""
    if read_started(words) is not None:
        return False
    plain = unwrapped(words).words
    inner = inner_of(plain, LAUNCHING) if plain else None
    rest = plain[inner.start :] if inner is not None else plain
    name = base_name(rest[0]) if rest else ""
    if isinstance(name, str) and PYTHON.fullmatch(name):
        # Without a script or a module, Python has code on its command line.
        own = rest[1 : rest.index("-m")] if "-m" in rest else rest[1:]
        return any(_CODE.match(readable(word)) for word in own) and _may_start(own)
    return bool({name, base_name(plain[0] if plain else "")} & _OPAQUE)


def _may_start(words: Sequence[Word]) -> bool:
    """Return whether code on a command line may start a program or an engine."""
    return any(not isinstance(word, str) or _STARTING.search(word) for word in words)


def runs_of(ran: Ran) -> LaunchRuns:
    """Return the launchers and scripts among the programs that were started."""
    runs, programs = [], Programs()
    for invocation in ran.invocations:
        started = read_started(invocation.words)
        started = started or _of_unknown_program(invocation) or _of_project(invocation, programs)
        if started is not None:
            runs.append((started, invocation))
    options = {name: value for name, (value, _) in slurm_options(ran.directives).items()}
    others = len(ran.invocations) - len(runs)
    unseen = next((each.place for each in ran.invocations if starts_unseen(each.words)), None)
    why = ran.why_incomplete
    return LaunchRuns(
        put_together(runs), ran.missing, options, ran.environment, others, why, unseen, ran.presumes, ran.read
    )
