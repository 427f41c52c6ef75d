"""``vcompat probe``."""

from __future__ import annotations

import argparse
import json

from vcompat import __version__
from vcompat.cli.terminal import say

DESCRIPTION = """\
Print the facts of this machine as JSON, for `vcompat check --facts` here or elsewhere.

Nothing of torch, vLLM, TRL or transformers is imported. What could not be found out is listed with the reason.
Values of variables whose names speak of keys, tokens or passwords are not printed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command takes nothing."""


def run(arguments: argparse.Namespace) -> int:
    """Collect and print."""
    from vcompat.sources.probe.machine import probe_machine
    from vcompat.sources.probe.report import report

    say(json.dumps(report(probe_machine(), __version__), indent=2))
    return 0
