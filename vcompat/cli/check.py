"""``vcompat check``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from vcompat.cli.options import FILES_HELP, source_options, sources_of
from vcompat.cli.terminal import say, width
from vcompat.evaluation.check import check
from vcompat.evaluation.compiled import Compile, Compiled
from vcompat.evaluation.judgement import read_baseline, write_baseline
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.report.formats import FORMATS, renderer
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.gather import Sources

#: The baseline of a project that names none.
_BASELINE = "vcompat-baseline.json"
#: Formats that are lines of a log; of the others, standard output holds one.
_LINES = ("text", "github")
_ORDER = "vcompat.options"


class _Check(click.Command):
    """Remembers in which order options were given: ``-o`` belongs to the ``--format`` before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ORDER] = [param.name for param in self.make_parser(ctx).parse_args(list(args))[2]]
        return super().parse_args(ctx, args)


@click.command(cls=_Check, epilog=FILES_HELP)
@source_options
@click.option("--all", "everything", is_flag=True, help="Print possible findings and what was not judged in full.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(list(FORMATS)),
    help="The format of a report (default: text). May be repeated, with -o after each, for several reports at once.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    type=click.Path(),
    help="Write the report of the --format before it to a file. Without one, the file's ending selects the format.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    help="Exit with 1 if a certain finding has this severity or above (default: error).",
)
@click.option(
    "--compile",
    "with_kernels",
    is_flag=True,
    help="Compile the Triton kernels of the installed vLLM (attention, experts, adapters) for the GPUs, which need not "
    "be there, in child processes, in less than a minute.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for possible findings, too.")
@click.option("--baseline", default="", metavar="FILE", type=click.Path(), help="Ignore the findings in this baseline.")
@click.option(
    "--write-baseline",
    is_flag=False,
    flag_value=_BASELINE,  # without `default`, beside which click 8.3 requires a value
    metavar="[FILE]",
    help=f"Write a baseline of today's findings and exit with 0 (default: the project's baseline, or {_BASELINE}).",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    everything: bool,
    formats: Sequence[str],
    outputs: Sequence[str],
    fail_on: str | None,
    with_kernels: bool,
    strict: bool,
    baseline: str,
    write_baseline: str | None,
    **where: Any,
) -> int:
    """Report what will go wrong in a run, why, and what to do.

    A finding is certain if the known facts decide it, and possible if an unknown fact would decide. Possible findings
    are listed by the input that would decide them, and do not fail the check.

    Exit code: 0, 1 for certain findings at or above --fail-on or an expired suppression, 2 for input that cannot be
    used.
    """
    reports = _reports(ctx.meta[_ORDER], list(formats), list(outputs))
    # The rules first: the driver is answering meanwhile.
    rules = load_rules(thorough=False)
    config, sources = sources_of(where)
    known = baseline or config.baseline
    config = config._replace(
        baseline=known if write_baseline is None else "",
        fail_on=fail_on or config.fail_on,
        strict=strict or config.strict,
    )
    compile_ = _compile(sources) if with_kernels else None
    outcome = check(sources, config, rules, compile_)._replace(width=width(), everything=everything)
    if write_baseline is not None:
        return _baseline(outcome, known if write_baseline == _BASELINE and known else write_baseline, known)
    _write(outcome, reports)
    return 1 if outcome.fails else 0


def _compile(sources: Sources) -> Compile:
    """Return what compiles with the packages that are checked. Raises InputError if they are not installed."""
    # Imported here: a check compiles nothing unless asked.
    from vcompat.cli.terminal import status
    from vcompat.kernels.here import compiler
    from vcompat.kernels.installed import WHERE, interpreter

    if sources.environment:
        raise InputError(WHERE, "--env names packages that are not installed here", "--python, or neither")
    python = interpreter(sources.python)

    def compile_(runs: Sequence[tuple[str, Facts]]) -> Compiled:
        with status() as show:
            return compiler(python, lambda done, total: show(f"compiled {done} of {total}"))(runs)

    return compile_


def _reports(order: Sequence[str | None], formats: list[str], outputs: list[str]) -> list[tuple[str, str]]:
    """Each report as its format and its file, empty for standard output. Raises InputError."""
    reports: list[tuple[str, str]] = []
    for name in order:
        if name == "formats":
            reports.append((formats.pop(0), ""))
        elif name == "outputs" and reports and not reports[-1][1]:
            reports[-1] = (reports[-1][0], outputs.pop(0))
        elif name == "outputs":
            file = outputs.pop(0)
            reports.append((_format_of(file), file))
    printed = [name for name, file in reports if not file]
    if len(printed) > 1 and not set(printed) <= set(_LINES):
        both = " and ".join(f"--format {name}" for name in printed)
        raise InputError("vcompat check", f"{both} would share standard output", "-o FILE for all but one")
    return reports or [("text", "")]


def _format_of(file: str) -> str:
    ending = os.path.splitext(file)[1].lower()
    found = next((name for name, usual in FORMATS.items() if usual and usual == ending), "")
    if not found:
        expected = "--format before it: " + ", ".join(FORMATS)
        raise InputError(f"-o {file}", "the file's ending selects no format", expected)
    return found


def _baseline(outcome: Outcome, path: str, known: str) -> int:
    if os.path.exists(path):
        # A run file that follows the option is taken for its value, and must not be lost.
        try:
            read_baseline(path)
        except InputError:
            expected = "a new file, or a baseline to replace"
            raise InputError(f"--write-baseline {path}", "exists and is not a baseline", expected) from None
    count = write_baseline(path, outcome.judgement.all_findings, __version__)
    say(f"Wrote {path} with {count} finding{'s' if count != 1 else ''}.")
    if path != known:
        say(f'To use it, pass --baseline {path}, or set baseline = "{path}" in the settings.')
    return 0


def _write(outcome: Outcome, reports: Sequence[tuple[str, str]]) -> None:
    for name, file in reports:
        text = renderer(name)(outcome)
        if file:
            # Imported here: most checks write no file.
            from pathlib import Path

            from vcompat.foundation.writing import write_whole

            write_whole(Path(file), click.unstyle(text).rstrip("\n") + "\n", "a file to write the report to")
        elif text:
            say(text.rstrip("\n"))
