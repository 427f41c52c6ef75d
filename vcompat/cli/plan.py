"""``vcompat plan``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from vcompat.cli.options import FILES_HELP, color_option, path
from vcompat.cli.terminal import say, width
from vcompat.foundation.errors import InputError
from vcompat.report.plan import render
from vcompat.sources.gather import Sources, collect


@click.command(epilog=FILES_HELP)
@click.argument("files", nargs=-1, required=True, metavar="RUN FILES...", type=path)
@click.option("--all", "everything", is_flag=True, help="Print each setting that is not known on a line of its own.")
@color_option
def command(files: Sequence[str], everything: bool) -> int:
    """Show every setting that run files state, with its place, and what they leave open, with the reason.

    Nothing is judged, and nothing about this machine is read.
    """
    facts, plan = collect(Sources(files, probe=False))
    if not facts.known and not facts.reasons:
        raise InputError(files[0], "states nothing about a run", "a training script or a configuration")
    say(render(facts, plan.takes_defaults, width(), everything))
    return 0
