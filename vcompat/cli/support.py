"""``vcompat support``."""

from __future__ import annotations

import argparse

from vcompat.cli.terminal import say
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.report.support import table
from vcompat.rules.record import load_record
from vcompat.upstream.requirements import PARTNERS

DESCRIPTION = """\
Print what the releases of a package declare of the others, newest first: which vLLM each TRL takes, which torch each
vLLM is built for, what each torch wheel on the package index is built for.

It is each release's own metadata, as recorded; extras count where they bear the other package's name.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("package", nargs="?", default="trl", help=f"one of {', '.join(PARTNERS)} (default: trl)")


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    package = arguments.package
    if package not in PARTNERS:
        raise InputError(package, "nothing is recorded of it", did_you_mean(package, PARTNERS) or ", ".join(PARTNERS))
    for line in table(load_record(package)):
        say(line)
    return 0
