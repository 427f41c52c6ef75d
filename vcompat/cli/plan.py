"""``vcompat plan``."""

from __future__ import annotations

import argparse

from vcompat.cli.sources import FILES_HELP
from vcompat.cli.terminal import say
from vcompat.facts.value import show
from vcompat.foundation.errors import InputError
from vcompat.report.style import style
from vcompat.sources.gather import Sources, collect

DESCRIPTION = """\
Print every setting that the files of a plan make, with its place, and what they leave open, with the reason.

Nothing is judged, and nothing of this machine is looked at.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES_HELP)


def run(arguments: argparse.Namespace) -> int:
    """Read and print."""
    facts, plan = collect(Sources(arguments.files, probe=False))
    known = sorted(facts.known.items())
    if not known and not facts.reasons:
        raise InputError(arguments.files[0], "says nothing of a run", "a training script or a configuration")
    width = max(len(name) for name in [*facts.known, *facts.reasons])
    for name, fact in known:
        say(f"{name:<{width}}  {style(show(fact.value), bold=True)}    {fact.source}")
    for name, reason in sorted(facts.reasons.items()):
        say(f"{name:<{width}}  {style('unknown', 'yellow')}    {reason}")
    if plan.takes_defaults:
        say("\nwhat is not here has its default")
    return 0
