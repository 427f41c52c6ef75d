"""Reads launch scripts (shell and Slurm): what they start, with which words, environment, folder and files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_text
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Environment, Invocation
from vcompat.sources.plan.part import Mention
from vcompat.sources.plan.shell import Ran, run_shell, slurm_options
from vcompat.sources.plan.started import Started, read_started

#: Maximum file size in bytes. Launch scripts have a few kilobytes.
SIZE_LIMIT = 1_000_000


class LaunchRuns(NamedTuple):
    """The launchers and scripts that a launch script starts."""

    runs: Sequence[tuple[Started, Invocation]]
    """In the order in which they are started."""
    missing: Sequence[Mention]
    """Files that the launch script runs and that could not be read."""
    directives: Mapping[str, str]
    """The options of the batch job, by long name."""
    environment: Environment
    """The environment after the end of the script."""
    others: int = 0
    """How many programs it starts that are neither a launcher nor Python."""
    why_incomplete: str = ""
    """Why runs may be missing."""


def read_launch_runs(path: str) -> LaunchRuns:
    """Follow the launch script at `path`. Raises InputError if it cannot be read."""
    text = read_text(path, SIZE_LIMIT, "a launch script")
    first = text.partition("\n")[0]
    if re.match(r"#!.*\b(fish|csh|tcsh|pwsh|perl|node|ruby)\b", first):
        raise InputError(path, f"a script for {first[2:].strip()}", "a script for bash or sh")
    return runs_of(run_shell(text, path, script=path))


def _of_unknown_program(invocation: Invocation) -> Started | None:
    """Return the script that a program starts which is not known, such as ``$LAUNCHER train.py``."""
    words = invocation.words
    if not words or not (UNKNOWN in words[0] or UNKNOWN_WORDS in words[0]):
        return None
    for index, word in enumerate(words):
        if word.endswith(".py") and UNKNOWN not in word and UNKNOWN_WORDS not in word:
            return Started("", {}, word, "", words[index + 1 :], why_open="the launcher is not known")
    return None


def runs_of(ran: Ran) -> LaunchRuns:
    """Return the launchers and scripts among the programs that were started."""
    runs = []
    for invocation in ran.invocations:
        started = read_started(invocation.words)
        started = started or _of_unknown_program(invocation)
        if started is not None:
            runs.append((started, invocation))
    options = {name: value for name, (value, _) in slurm_options(ran.directives).items()}
    return LaunchRuns(runs, ran.missing, options, ran.environment, len(ran.invocations) - len(runs), ran.why_incomplete)
