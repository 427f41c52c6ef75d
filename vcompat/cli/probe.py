"""``vcompat probe``."""

from __future__ import annotations

import json

import click

from vcompat.cli.options import color_option
from vcompat.cli.terminal import say
from vcompat.foundation.version import __version__


@click.command()
@color_option
def command() -> int:
    """Print the facts of this machine as JSON, for `vcompat check --facts` here or elsewhere.

    Nothing of torch, vLLM, TRL or transformers is imported. What could not be found out is listed with the reason.
    Values of variables whose names contain KEY, TOKEN or PASSWORD are not printed.
    """
    from vcompat.sources.probe.machine import probe_machine
    from vcompat.sources.probe.report import report

    say(json.dumps(report(probe_machine(), __version__), indent=2))
    return 0
