"""``vcompat check``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from vcompat import __version__
from vcompat.cli.sources import add_arguments as add_sources
from vcompat.cli.sources import config_of, sources_of
from vcompat.cli.terminal import say, width
from vcompat.evaluation.check import check
from vcompat.evaluation.judgement import write_baseline
from vcompat.evaluation.outcome import Outcome
from vcompat.foundation.errors import InputError
from vcompat.report.formats import FORMATS, renderer
from vcompat.report.style import plain
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES

DESCRIPTION = """\
Say what will go wrong in a run, why, and what to do.

Without the files of a plan, and for what they leave open, findings are "possible" and name the facts that would decide
them.

Exit code 0: nothing at or above --fail-on. 1: findings, or a suppression that has expired. 2: input that cannot be
used.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_sources(parser)
    parser.add_argument(
        "--format",
        dest="outputs",
        action=_Format,
        choices=tuple(FORMATS),
        default=[],
        help="how to report (default: text); repeat it for several reports at once",
    )
    parser.add_argument(
        "-o",
        "--output",
        dest="outputs",
        action=_Output,
        metavar="FILE",
        help="write the report of the --format before it to a file; without one, the file's ending says the format",
    )
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        help="exit with 1 if a finding, certain or possible, that no patch settles is of this severity or above "
        "(default: error)",
    )
    parser.add_argument(
        "--only-certain", action="store_true", help="report what is merely possible, but do not fail for it"
    )
    parser.add_argument("--baseline", default="", metavar="FILE", help="findings that were there before do not count")
    parser.add_argument("--write-baseline", default="", metavar="FILE", help="write such a file, and exit with 0")


class _Format(argparse.Action):
    """Begins a report, which goes to the terminal unless ``-o`` follows."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), (values, "")])


class _Output(argparse.Action):
    """Sends the report begun last to a file, or begins one that the file's ending names."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        outputs = list(getattr(namespace, self.dest))
        if outputs and not outputs[-1][1]:
            outputs[-1] = (outputs[-1][0], values)
        else:
            outputs.append((_format_of(values), values))
        setattr(namespace, self.dest, outputs)


def _format_of(file: str) -> str:
    ending = os.path.splitext(file)[1].lower()
    found = next((name for name, usual in FORMATS.items() if usual and usual == ending), "")
    if not found:
        raise InputError(f"-o {file}", "the file's ending names no format", "--format before it: " + ", ".join(FORMATS))
    return found


def run(arguments: argparse.Namespace) -> int:
    """Gather, evaluate, judge, report."""
    # The rules first: the driver is answering meanwhile.
    rules = load_rules(thorough=False)
    config = config_of(arguments)
    config = config._replace(
        baseline="" if arguments.write_baseline else arguments.baseline or config.baseline,
        fail_on=arguments.fail_on or config.fail_on,
        only_certain=arguments.only_certain or config.only_certain,
    )
    report = check(sources_of(arguments, config), config, rules, width())
    if arguments.write_baseline:
        count = write_baseline(arguments.write_baseline, report.judgement.all_findings, __version__)
        say(f"written: {arguments.write_baseline}, with {count} finding{'s' if count != 1 else ''}")
        return 0
    _write(report, arguments.outputs or [("text", "")])
    return 1 if report.fails else 0


def _write(report: Outcome, outputs: Sequence[tuple[str, str]]) -> None:
    for name, file in outputs:
        text = renderer(name)(report)
        if file:
            # With them, for reports that go into files only.
            from pathlib import Path

            from vcompat.foundation.writing import write_whole

            write_whole(Path(file), plain(text).rstrip("\n") + "\n", "a file to write the report to")
        elif text:
            say(text.rstrip("\n"))
