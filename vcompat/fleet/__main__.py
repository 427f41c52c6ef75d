"""The program that each rank runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from vcompat.cli.fleet import FORMATS, fleet_options, judged
from vcompat.cli.shared.outputs import WithReports, reports
from vcompat.cli.shared.terminal import prepare, width
from vcompat.evaluation.fleet.clocks import apart
from vcompat.evaluation.fleet.exchanges import exchanges, exercised, summary
from vcompat.evaluation.fleet.fleet_finding import Entry, Group, finding
from vcompat.evaluation.fleet.judge_fleet import Asked
from vcompat.fleet.job_place import Place, place
from vcompat.fleet.rendezvous import Gathered, gather, tell, told
from vcompat.foundation.errors import InputError
from vcompat.sources.nodes.collect import Collected, answered
from vcompat.sources.probe.node_report import whole_report_as_text


@click.command(cls=WithReports, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--timeout",
    type=click.FloatRange(1, 3600),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long rank 0 waits for the reports of the others, and for the exercise.",
)
@click.option(
    "--exercise",
    is_flag=True,
    help="Also exchange data between all ranks, over NCCL if all have GPUs and over gloo otherwise, and compare it.",
)
@fleet_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    timeout: float,
    exercise: bool,
    formats: Sequence[str],
    outputs: Sequence[str],
    **options: Any,
) -> int:
    """Judge all processes of a job: start this with the launch command of the run, in place of its script.

    For example: torchrun --nnodes 8 --nproc-per-node 8 ... -m vcompat.fleet. Every rank probes its node, rank 0 judges
    all reports as `vcompat fleet` does and prints the result. A rank that does not report in time is a finding.

    With --exercise, all ranks add up, broadcast and swap data. Ranks and pairs that are wrong, slow, blocked or silent
    are findings.

    Exit code of all ranks: 0, 1 for findings at or above --fail-on, 2 for input that cannot be used.
    """
    wanted = reports(ctx, formats, outputs, FORMATS)
    here = place()
    if "RANK" not in os.environ:
        # A task of srun: from here on it is like the rank that a launcher started. The rendezvous takes MASTER_PORT.
        os.environ |= here.variables
    gathered = gather(here, whole_report_as_text(), timeout, exercise)
    if here.rank:
        return told(gathered, here, timeout)
    code = 2
    try:
        # Other ranks are not trusted more than files.
        collected = answered((f"rank {rank}", text) for rank, text in gathered.texts.items())
        code = judged(collected, _asked(gathered, here, collected, timeout), wanted, options)
        sys.stdout.flush()
        return code
    finally:
        tell(gathered, here, code)


def _asked(gathered: Gathered, here: Place, collected: Collected, limit: float) -> Asked:
    findings = []
    if gathered.failure:
        findings += finding("ranks-cannot-connect", [Entry("gloo", (Group(gathered.failure, ()),))])
    findings += finding("clocks-differ", apart(gathered.clocks))
    asked = Asked(silent=gathered.silent)
    if gathered.heard is None:
        return asked._replace(more=tuple(findings))
    done, refused = exercised(gathered.heard.results, gathered.heard.quiet, here.size, collected.reports, limit)
    if refused:
        findings += finding("reports-rejected", [Entry(where, (Group(reason, ()),)) for where, reason in refused])
    return asked._replace(more=(*findings, *exchanges(done)), exercise=summary(done, gathered.backend))


def main() -> int:
    """Run the command; return the exit code."""
    prepare()
    try:
        return int(
            command.main(prog_name="python -m vcompat.fleet", standalone_mode=False, terminal_width=width()) or 0
        )
    except (InputError, click.ClickException) as error:
        message = error.format_message() if isinstance(error, click.ClickException) else str(error)
        print(f"vcompat: {message}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of gloo and of names that do not resolve must not keep the process.
    os._exit(code)
