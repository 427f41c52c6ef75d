"""``vcompat rules``."""

from __future__ import annotations

import argparse

from vcompat.cli.terminal import say
from vcompat.foundation.errors import InputError
from vcompat.rules.database import load_rules
from vcompat.rules.rule import COMPONENTS

DESCRIPTION = """\
List the failures that vcompat knows: name, severity, effect and title.

`vcompat rules verify` holds them against the source of every upstream release.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--component", metavar="NAME", help="only failures of this component, such as vllm")


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each rule."""
    component = arguments.component
    rules = [rule for rule in load_rules() if component in (None, rule.component)]
    if not rules:
        raise InputError(f"--component {component}", "no rule speaks of it", "one of " + ", ".join(COMPONENTS))
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        say(f"{rule.id:<{width}}  {rule.severity:<7}  {rule.effect:<17}  {rule.title}")
    return 0
