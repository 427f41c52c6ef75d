"""``vcompat fleet``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from vcompat.cli.shared.options import all_of, color_option, path, set_option, sources_of
from vcompat.cli.shared.outputs import Report, WithReports, report_options, reports, write
from vcompat.cli.shared.terminal import width
from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding, Group, finding
from vcompat.evaluation.fleet.judge_fleet import Asked, judge
from vcompat.foundation.errors import InputError
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.nodes.collect import Collected, answered, collect_reports

FORMATS: Mapping[str, str] = {"text": ".txt", "json": ".json", "html": ".html", "junit": ".xml"}
_EXAMPLES = (
    "Slurm: `srun --label vcompat probe --format json | vcompat fleet --from -`. Jobs of torchrun and "
    "accelerate gather the reports themselves, and can exchange data: `torchrun ... -m vcompat.fleet --exercise`."
)


#: The options of all commands that judge a fleet.
fleet_options = all_of(
    click.argument("files", nargs=-1, metavar="[RUN FILES]...", type=path),
    click.option("--expect", type=click.IntRange(1), metavar="N", help="How many nodes there must be."),
    set_option,
    report_options(FORMATS),
    click.option(
        "--fail-on",
        type=click.Choice([*SEVERITIES, "never"]),
        help="Exit with 1 if a finding has this severity or above (default: error).",
    ),
    click.option("--strict", is_flag=True, help="Exit with 1 for possible findings of rules, too."),
    click.option("--config", "config_file", metavar="FILE", type=path, help="The project's settings."),
    click.option("--no-config", is_flag=True, help="Ignore the project's settings."),
    color_option,
)


@click.command(cls=WithReports, epilog=_EXAMPLES)
@click.option(
    "--from",
    "origins",
    multiple=True,
    metavar="PATH",
    type=path,
    help="Reports of `vcompat probe`, one of each node or process: a file with one or more, a folder with *.json, or "
    "- for standard input. May be repeated.",
)
@click.option("--ray", "cluster", metavar="ADDRESS", help="Probe all nodes of this Ray cluster, such as auto.")
@click.option(
    "--timeout",
    type=click.FloatRange(1, 3600),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the nodes of --ray may take.",
)
@fleet_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    origins: Sequence[str],
    cluster: str | None,
    timeout: float,
    formats: Sequence[str],
    outputs: Sequence[str],
    **options: Any,
) -> int:
    """Judge the nodes of a job as a whole: what differs, what is missing, what is wrong with some.

    Reads reports that `vcompat probe` wrote on each node, or has the nodes of a Ray cluster probed. Versions, builds,
    drivers, GPUs and variables are compared; ranks, ports, names, clocks, /dev/shm and the health of GPUs are judged.
    The rules of `vcompat check` are evaluated once for each kind of node, also for a run if its files are given.

    Exit code: 0, 1 for findings at or above --fail-on, 2 for input that cannot be used.
    """
    # Imported here: only this command compares the time of reports with this clock.
    from time import time

    wanted = reports(ctx, formats, outputs, FORMATS)
    if bool(origins) == (cluster is not None):
        raise click.UsageError("Give either --from PATH or --ray ADDRESS.")
    if cluster is None:
        return judged(collect_reports(origins), Asked(now=time()), wanted, options)
    collected, found = _of_ray(cluster, timeout)
    return judged(collected, Asked(now=time(), more=tuple(found)), wanted, options)


def _of_ray(address: str, limit: float) -> tuple[Collected, list[FleetFinding]]:
    """Return the reports of a Ray cluster, and a finding for nodes without one. Raises InputError."""
    # Imported here: a fleet without Ray does not need it.
    from vcompat.sources.nodes.ray_cluster import ask_nodes

    answers = ask_nodes(address, limit)
    absent = [Entry(name, (Group(reason, ()),)) for name, reason in answers.failed]
    if not answers.texts:
        name, reason = answers.failed[0] if answers.failed else ("no node", "the cluster has none that is alive")
        raise InputError(f"--ray {address}", f"no report can be used: {name}: {reason}", "a cluster that runs tasks")
    return answered(answers.texts), finding("nodes-missing", absent)


def judged(collected: Collected, asked: Asked, wanted: Sequence[Report], options: Mapping[str, Any]) -> int:
    """Judge reports with the options of `fleet_options`, write what is `wanted`, and return the exit code.

    `asked` has what is known beside the options. Raises InputError.
    """
    config, sources = sources_of({**options, **_NOWHERE})
    config = config._replace(fail_on=options["fail_on"] or config.fail_on, strict=options["strict"] or config.strict)
    asked = asked._replace(files=sources.files, settings=tuple(sources.settings.items()), expected=options["expect"])
    if sources.files:
        _refuse_others(sources.files)
    outcome = judge(collected, asked, config, load_rules(thorough=False))._replace(width=width())
    write(wanted, lambda form: str(import_module(f"vcompat.report.fleets.fleet_{form}").render(outcome)))
    return 1 if outcome.fails else 0


def _refuse_others(files: Sequence[str]) -> None:
    """Raise InputError for a file that would be ignored, since the reports state what it states."""
    # Imported here: most fleets are judged without files.
    from vcompat.sources.reading.recognize import ENVIRONMENT, FACTS, TARGET, recognize

    for file in files:
        if recognize(file).kind in (TARGET, ENVIRONMENT, FACTS):
            raise InputError(file, "states packages or hardware, which the reports state", "files of the run")


#: The options of a check that a fleet has not: all else comes from the reports.
_NOWHERE = {"facts_files": (), "no_probe": True, "target": "", "environment": "", "newest": False, "python": ""}
