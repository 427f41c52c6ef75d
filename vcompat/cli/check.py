"""``vcompat check``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from vcompat.cli.shared.command_words import COMMAND_HELP, TakesCommand
from vcompat.cli.shared.options import FILES_HELP, source_options, sources_of
from vcompat.cli.shared.outputs import WithReports, report_options, reports, write
from vcompat.cli.shared.terminal import say, width
from vcompat.evaluation.checking import check
from vcompat.evaluation.judgement import read_baseline, write_baseline
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.report.parts.formats import FORMATS, renderer
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.gather import Sources

if TYPE_CHECKING:
    from vcompat.evaluation.compiled import Compile, Compiled

#: The baseline of a project that names none.
_BASELINE = "vcompat-baseline.json"


class _Check(TakesCommand, WithReports):
    """A command with reports that takes the command of a run."""


@click.command(cls=_Check, epilog=f"{FILES_HELP} {COMMAND_HELP}")
@source_options
@click.option("--all", "everything", is_flag=True, help="Print possible findings and what was not judged in full.")
@report_options(FORMATS)
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
@click.option("--fail-on-likely", is_flag=True, help="Exit with 1 for likely findings, too.")
@click.option("--strict", is_flag=True, help="Exit with 1 for likely and possible findings, too.")
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
    fail_on_likely: bool,
    strict: bool,
    baseline: str,
    write_baseline: str | None,
    **where: Any,
) -> int:
    """Report what will go wrong in a run, why, and what to do.

    A finding is certain if the known facts decide it. It is likely if it follows from what the files state, unless a
    call or a caller changes it that cannot be followed: 'presumes' names these. It is possible if an unknown fact would
    decide. Likely findings do not fail the check without --fail-on-likely. Possible ones are listed by the input that
    would decide them.

    Exit code: 0, 1 for certain findings at or above --fail-on or an expired suppression, 2 for input that cannot be
    used.
    """
    wanted = reports(ctx, formats, outputs, FORMATS)
    # The rules first: the driver is answering meanwhile.
    rules = load_rules(thorough=False)
    config, sources = sources_of(where)
    known = baseline or config.baseline
    config = config._replace(
        baseline=known if write_baseline is None else "",
        fail_on=fail_on or config.fail_on,
        strict=strict or config.strict,
        fail_on_likely=fail_on_likely or config.fail_on_likely,
    )
    compile_ = _compile(sources) if with_kernels else None
    outcome = check(sources, config, rules, compile_)._replace(width=width(), everything=everything)
    if write_baseline is not None:
        return _baseline(outcome, known if write_baseline == _BASELINE and known else write_baseline, known)
    write(wanted, lambda form: renderer(form)(outcome))
    return 1 if outcome.fails else 0


def _compile(sources: Sources) -> Compile:
    """Return what compiles with the packages that are checked. Raises InputError if they are not installed."""
    # Imported here: a check compiles nothing unless asked.
    from vcompat.cli.shared.terminal import status
    from vcompat.kernels.here import compiler
    from vcompat.kernels.installed_vllm import WHERE, interpreter

    if sources.environment:
        raise InputError(WHERE, "--env names packages that are not installed here", "--python, or neither")
    python = interpreter(sources.python)

    def compile_(runs: Sequence[tuple[str, Facts]]) -> Compiled:
        with status() as show:
            return compiler(python, lambda done, total: show(f"compiled {done} of {total}"))(runs)

    return compile_


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
