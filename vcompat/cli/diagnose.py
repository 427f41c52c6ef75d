"""``vcompat diagnose``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from vcompat.cli.options import color_option, path, set_option, split
from vcompat.cli.outputs import WithReports, report_options, reports, write
from vcompat.cli.terminal import width
from vcompat.foundation.errors import InputError

if TYPE_CHECKING:
    from vcompat.diagnosis.diagnose import Diagnosis

FOUND, NOTHING = 0, 1


#: The formats of a diagnosis, and the file ending that selects each.
FORMATS = {"text": ".txt", "json": ".json", "markdown": ".md", "html": ".html"}


@click.command(cls=WithReports)
@click.argument("logs", nargs=-1, metavar="[LOG]...", type=path)
@report_options(FORMATS)
@click.option("--all", "everything", is_flag=True, help="Show each rule that matches in full.")
@click.option(
    "--with",
    "files",
    multiple=True,
    metavar="FILE",
    type=path,
    help="A file of the run: its script, a launch script, a configuration, a lock file, or what `vcompat probe` wrote "
    "on its machine. May be repeated.",
)
@click.option("--here", is_flag=True, help="The run failed on this machine, with the packages installed here.")
@set_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    logs: tuple[str, ...],
    formats: Sequence[str],
    outputs: Sequence[str],
    everything: bool,
    files: tuple[str, ...],
    here: bool,
    settings: tuple[str, ...],
) -> int:
    """Name the cause of a failure that a log shows.

    A LOG is a file, a folder with the logs of several processes, or - for standard input; plain, or compressed with
    gzip or zstd. Prefixes of launchers, loggers, vLLM and Ray are understood. The versions, the GPUs and the settings
    that the log states decide between rules. --with and --here add what the log does not state, and --set overrides it.

    The exit code is 0 if a cause was found, 1 if nothing known matches, and 2 if nothing could be read.
    """
    wanted = reports(ctx, formats, outputs, FORMATS)
    # Imported here: the help needs none of it.
    from vcompat.diagnosis.around import facts_around
    from vcompat.diagnosis.diagnose import diagnose_paths
    from vcompat.rules.database import load_rules

    if not logs and sys.stdin.isatty():
        raise InputError("diagnose", "no log", "a file, a folder, or a log on standard input")
    around = facts_around(files, here) if files or here else None
    found = diagnose_paths(logs or ("-",), load_rules(thorough=False), dict(map(split, settings)), around)
    write(wanted, lambda form: _rendered(found, form, everything))
    return FOUND if found.causes else NOTHING


def _rendered(found: Diagnosis, form: str, everything: bool) -> str:
    """The diagnosis in a format. Only the formats that are used are imported."""
    if form == "text":
        from vcompat.report.diagnosis import render

        return render(found, width(), everything)
    text: str = import_module(f"vcompat.report.diagnosis_{form}").render(found)
    return text
