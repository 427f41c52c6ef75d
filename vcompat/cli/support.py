"""``vcompat support``."""

from __future__ import annotations

import click

from vcompat.cli.options import color_option
from vcompat.cli.terminal import say
from vcompat.report.support import table
from vcompat.rules.record import load_record
from vcompat.upstream.requirements import PARTNERS


@click.command()
@click.argument("package", metavar="[PACKAGE]", type=click.Choice(list(PARTNERS)), default="trl")
@color_option
def command(package: str) -> int:
    """Print what the releases of a package require of others, newest first.

    Which vLLM each TRL supports, which torch each vLLM is built for, what each torch wheel on the package index is
    built for. It is each release's own metadata, as recorded; extras count if they have the other package's name.
    PACKAGE is trl by default.
    """
    for line in table(load_record(package)):
        say(line)
    return 0
