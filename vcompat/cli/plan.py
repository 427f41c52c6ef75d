"""``vcompat plan``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from vcompat.cli.shared.command_words import COMMAND_HELP, TakesCommand
from vcompat.cli.shared.options import FILES_HELP, color_option, path
from vcompat.cli.shared.terminal import say, width
from vcompat.facts.derive import in_effect
from vcompat.foundation.errors import InputError
from vcompat.report.checks.stated_settings import heading, render
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.invocation import COMMAND
from vcompat.sources.reading.word import readable


@click.command(cls=TakesCommand, epilog=f"{FILES_HELP} {COMMAND_HELP}")
@click.argument("files", nargs=-1, metavar="[RUN FILES]...", type=path)
@click.option("--all", "everything", is_flag=True, help="Print each setting that is not known on a line of its own.")
@color_option
@click.pass_context
def command(ctx: click.Context, /, files: Sequence[str], words: Sequence[str], everything: bool) -> int:
    """Show every setting that run files state, with its place, and what they leave open, with the reason.

    Nothing is judged, and nothing about this machine is read.
    """
    if not files and not words:
        raise click.UsageError("Missing argument 'RUN FILES...', or a command after --.", ctx)
    gathered = collect(Sources(files, probe=False, command=words))
    if not gathered.facts.known and not gathered.facts.reasons:
        raise InputError(
            files[0] if files else COMMAND, "states nothing about a run", "a training script or a configuration"
        )
    several = len(gathered.runs) > 1
    for number, run in enumerate(gathered.runs):
        if several:
            say(("\n" if number else "") + heading(run.name, run.command))
        say(render(in_effect(run.facts, run.takes_defaults), run.takes_defaults, width(), everything))
    missing = [
        f"{readable(mention.path)}, named in {mention.place}, was not found" for mention in gathered.plan.missing
    ]
    if missing:
        say("\n" + "\n".join(missing))
    return 0
