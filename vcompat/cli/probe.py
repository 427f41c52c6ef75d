"""``vcompat probe``."""

from __future__ import annotations

import json

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import say


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["pretty", "json"]),
    default="pretty",
    help="pretty: indented (default). json: one line, for collecting the reports of many nodes.",
)
@color_option
def command(form: str) -> int:
    """Print the facts of this machine as JSON, for `vcompat check --facts` and `vcompat fleet`, here or elsewhere.

    Nothing of torch, vLLM, TRL or transformers is imported. What could not be found out is listed with the reason.
    Values of variables whose names contain KEY, TOKEN or PASSWORD are not printed.
    """
    from vcompat.sources.probe.node_report import whole_report
    from vcompat.sources.probe.probe_report import one_line

    table = whole_report()
    say(json.dumps(table, indent=2) if form == "pretty" else one_line(table))
    return 0
