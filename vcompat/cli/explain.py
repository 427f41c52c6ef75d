"""``vcompat explain``."""

from __future__ import annotations

import click

from vcompat.cli.terminal import width
from vcompat.database import find_rule, load_rules
from vcompat.report.text import explain


@click.command()
@click.argument("rule")
def command(rule: str) -> int:
    """Print all that is known about one failure: what happens and why, what to do, and how its range was measured.

    RULE is the name that `vcompat check` and `vcompat rules` print.
    """
    click.echo(explain(find_rule(load_rules(), rule), width()))
    return 0
