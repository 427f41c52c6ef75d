"""``vcompat probe``."""

from __future__ import annotations

import json

import click

from vcompat import __version__


@click.command()
def command() -> int:
    """Print the facts of this machine as JSON, for `vcompat check --facts` here or elsewhere.

    Nothing of torch, vLLM, TRL or transformers is imported. What could not be found out is listed with the reason.
    Values of variables whose names speak of keys, tokens or passwords are not printed.
    """
    from vcompat.probe.machine import probe_machine
    from vcompat.probe.report import report

    click.echo(json.dumps(report(probe_machine(), __version__), indent=2))
    return 0
