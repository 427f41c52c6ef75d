"""``vcompat check``."""

from __future__ import annotations

import argparse

from vcompat import __version__
from vcompat.cli.settings import split
from vcompat.cli.terminal import say, width
from vcompat.database import load_rules
from vcompat.evaluate import evaluate
from vcompat.gather import gather
from vcompat.rule import SEVERITIES

DESCRIPTION = """\
Say what will go wrong in a run, why, and what to do.

Without a script, and for what it leaves open, findings are "possible" and name the facts that would decide them.

Exit code 0: nothing at or above --fail-on. 1: findings. 2: input that cannot be used.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("script", nargs="?", help="a training script; it is read for its settings and never run")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="FACT=VALUE",
        help="state a fact, such as packages.vllm=0.7.2, gpu.compute_capability=7.0 or plan.vllm_mode=colocate; "
        "'none' says that there is nothing (a package not installed), 'unknown' that it is not known",
    )
    parser.add_argument(
        "--facts", action="append", default=[], metavar="FILE", help="add the facts that `vcompat probe` saved"
    )
    parser.add_argument("--no-probe", action="store_true", help="do not look at this machine; judge only what is given")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to report (default: text)")
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        default="error",
        help="exit with 1 if a finding, certain or possible, that no patch settles is of this severity or above "
        "(default: error)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Gather, evaluate, report."""
    given = dict(split(setting) for setting in arguments.settings)
    # The rules first: the driver is answering meanwhile.
    rules = load_rules(thorough=False)
    facts = gather(arguments.script, given, arguments.facts, probe=not arguments.no_probe)
    findings = evaluate(rules, facts)
    if arguments.format == "json":
        from vcompat.report import json

        say(json.render(findings, facts, len(rules), __version__))
    else:
        from vcompat.report import text

        say(text.render(findings, facts, len(rules), width()))
    return 1 if any(finding.reaches(arguments.fail_on) for finding in findings) else 0
