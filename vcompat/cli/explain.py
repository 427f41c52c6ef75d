"""``vcompat explain``."""

from __future__ import annotations

import argparse

from vcompat.cli.terminal import say, width
from vcompat.report.text import explain
from vcompat.report.verification import seen_in
from vcompat.rules.database import find_rule, load_rules
from vcompat.upstream import verify
from vcompat.upstream.verdicts import measured_packages

DESCRIPTION = """\
Print all that is known about one failure: what happens and why, what to do, and how its range was measured.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("rule", help="the name that `vcompat check` and `vcompat rules` print")


def run(arguments: argparse.Namespace) -> int:
    """Print the rule."""
    rule = find_rule(load_rules(), arguments.rule)
    view = verify.recorded(measured_packages(rule))
    say(explain(rule, width(), list(seen_in(rule, view))))
    return 0
