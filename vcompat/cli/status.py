"""``vcompat status``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.outputs import WithReports, report_options, reports, write
from vcompat.evaluation.rank_patches import compare
from vcompat.foundation.errors import InputError
from vcompat.patching.process_reports import Process, read_process
from vcompat.patching.run_folder import default_parent, files_of, newest
from vcompat.report.parts.layout import printable

FORMATS: Mapping[str, str] = {"text": ".txt", "json": ".json", "html": ".html"}


@click.command(cls=WithReports)
@click.option(
    "--run", "folder", default="", metavar="DIR", type=click.Path(), help="The folder of a run (default: the last run)."
)
@report_options(FORMATS)
@color_option
@click.pass_context
def command(ctx: click.Context, /, folder: str, formats: Sequence[str], outputs: Sequence[str]) -> int:
    """Show which process of a run of `vcompat run` applied which patch, and whether all ranks agree.

    A process is listed when it has imported a package that patches change. Ranks with the same outcome are one entry.
    What patches did in one rank and not in another is a difference, and so are versions, and a rank that wrote nothing
    although the others on its host have ended. A rank that has not imported what a patch changes does not need it;
    that is no difference.

    Exit code: 0; 1 if two ranks differ; 2 if a file cannot be used, or there is none.
    """
    wanted = reports(ctx, formats, outputs, FORMATS)
    folder = folder or newest(default_parent(os.environ))
    if not folder:
        raise InputError("vcompat status", "no run was started by `vcompat run`", "--run DIR")
    processes: list[Process] = []
    unusable: list[str] = []
    for path in files_of(folder):
        try:
            processes.append(read_process(path))
        except InputError as error:
            unusable.append(printable(str(error)))
            click.echo(f"vcompat: {unusable[-1]}", err=True)
    if not processes:
        raise InputError(folder, "no process has written a ledger", "the folder of a run that has started")
    ranks = compare(processes)
    write(
        wanted,
        lambda form: str(import_module(f"vcompat.report.processes.run_status_{form}").render(folder, ranks, unusable)),
    )
    return 1 if ranks.fails else 2 if unusable else 0
