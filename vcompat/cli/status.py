"""``vcompat status``."""

from __future__ import annotations

import os

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import say
from vcompat.evaluation.rank_patches import compare
from vcompat.foundation.errors import InputError
from vcompat.patching.processes import Process, read_process
from vcompat.patching.run_folder import default_parent, files_of, newest
from vcompat.report.parts.layout import printable
from vcompat.report.processes.run_status import render


@click.command()
@click.option(
    "--run", "folder", default="", metavar="DIR", type=click.Path(), help="The folder of a run (default: the last run)."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to print it."
)
@color_option
def command(folder: str, form: str) -> int:
    """Show which process of a run of `vcompat run` applied which patch, and whether all ranks agree.

    A process is listed when it has imported a package that patches change. Ranks with the same outcome are one entry.
    What patches did in one rank and not in another is a difference, and so are versions, and a rank that wrote nothing
    although the others on its host have ended. A rank that has not imported what a patch changes does not need it;
    that is no difference.

    Exit code: 0; 1 if two ranks differ; 2 if a file cannot be used, or there is none.
    """
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
    if form == "json":
        # Imported here: text is what most people read.
        from vcompat.report.processes.run_status_json import render as render_json

        say(render_json(folder, ranks, unusable))
    else:
        say(f"{folder}: {render(ranks)}")
    return 1 if ranks.fails else 2 if unusable else 0
