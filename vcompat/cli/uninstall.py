"""``vcompat uninstall``."""

from __future__ import annotations

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import say
from vcompat.patching.installing import uninstall


@click.command()
@click.option("--python", default="", metavar="PATH", type=click.Path(), help="Uninstall for another interpreter.")
@color_option
def command(python: str) -> int:
    """Remove the file that `vcompat install` wrote. Processes that run keep their patches.

    Exit code: 0, or 2 if the file cannot be removed.
    """
    removed = uninstall(python)
    say(f"Removed {removed}." if removed else "Nothing is installed.")
    return 0
