"""``vcompat diagnose``."""

from __future__ import annotations

import sys

import click

from vcompat.cli.options import color_option, path, set_option, split
from vcompat.cli.terminal import say, width
from vcompat.foundation.errors import InputError

FOUND, NOTHING = 0, 1


@click.command()
@click.argument("logs", nargs=-1, metavar="[LOG]...", type=path)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="The format (default: text)."
)
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
def command(
    logs: tuple[str, ...], form: str, everything: bool, files: tuple[str, ...], here: bool, settings: tuple[str, ...]
) -> int:
    """Name the cause of a failure that a log shows.

    A LOG is a file, a folder with the logs of several processes, or - for standard input; plain, or compressed with
    gzip or zstd. Prefixes of launchers, loggers, vLLM and Ray are understood. The versions, the GPUs and the settings
    that the log states decide between rules. --with and --here add what the log does not state, and --set overrides it.

    The exit code is 0 if a cause was found, 1 if nothing known matches, and 2 if nothing could be read.
    """
    # Imported here: the help needs none of it.
    from vcompat.diagnosis.around import facts_around
    from vcompat.diagnosis.diagnose import diagnose_paths
    from vcompat.rules.database import load_rules

    if not logs and sys.stdin.isatty():
        raise InputError("diagnose", "no log", "a file, a folder, or a log on standard input")
    around = facts_around(files, here) if files or here else None
    found = diagnose_paths(logs or ("-",), load_rules(thorough=False), dict(map(split, settings)), around)
    if form == "json":
        from vcompat.report.diagnosis_json import render as render_json

        say(render_json(found))
    else:
        from vcompat.report.diagnosis import render

        say(render(found, width(), everything))
    return FOUND if found.causes else NOTHING
