"""``vcompat diagnose``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from vcompat.cli.shared.options import around_options, color_option, path, set_option, split
from vcompat.cli.shared.outputs import WithReports, report_options, reports, write
from vcompat.cli.shared.rehearsed import expanded
from vcompat.cli.shared.terminal import width
from vcompat.foundation.errors import InputError

if TYPE_CHECKING:
    from vcompat.diagnosis.diagnosing import Diagnosis
    from vcompat.diagnosis.stated.around import Around
    from vcompat.rules.rule import Rule

FOUND, NOTHING = 0, 1


#: The formats of a diagnosis, and the file ending that selects each.
FORMATS = {"text": ".txt", "json": ".json", "markdown": ".md", "html": ".html"}


@click.command(cls=WithReports)
@click.argument("logs", nargs=-1, metavar="[LOG]...", type=path)
@report_options(FORMATS)
@click.option("--all", "everything", is_flag=True, help="Show each rule that matches in full.")
@click.option(
    "--follow",
    "follows",
    is_flag=True,
    help="Read logs that are still written, until a failure has ended a process, or until Ctrl-C or SIGTERM.",
)
@around_options
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
    follows: bool,
    files: tuple[str, ...],
    here: bool,
    settings: tuple[str, ...],
) -> int:
    """Name the cause of a failure that a log shows.

    A LOG is a file, a folder with the logs of several processes, or - for standard input; plain, or compressed with
    gzip or zstd. Prefixes of launchers, loggers, vLLM and Ray are understood. The versions, the GPUs and the settings
    that the log states decide between rules. --with and --here add what the log does not state, and --set overrides it.

    With the logs of all ranks of a run that hangs, or the stacks that py-spy prints of them, the answer begins with the
    rank that the other ranks wait for, what it does, and what they wait in.

    Where no rule is certain, leads say what the code of the releases tells: which of them have what is missing, and
    what to install.

    The exit code is 0 if a cause was found, 1 if nothing known matches or there is only a lead, and 2 if nothing could
    be read.
    """
    wanted = reports(ctx, formats, outputs, FORMATS)
    # Imported here: the help needs none of it.
    from vcompat.diagnosis.diagnosing import diagnose_paths
    from vcompat.diagnosis.stated.around import facts_around
    from vcompat.rules.database import load_rules

    if not logs and sys.stdin.isatty():
        raise InputError("diagnose", "no log", "a file, a folder, or a log on standard input")
    logs, files, _ = expanded(logs, files)
    around = facts_around(files, here) if files or here else None
    diagnose = _follow if follows else diagnose_paths
    rules = load_rules(thorough=False)
    diagnosis = diagnose(logs or ("-",), rules, dict(map(split, settings)), around)
    if diagnosis.leads:
        from vcompat.fixes.lead_changes import with_commands

        diagnosis = diagnosis._replace(leads=with_commands(diagnosis.leads, diagnosis.facts, rules))
    write(wanted, lambda form: _rendered(diagnosis, form, everything))
    return FOUND if diagnosis.is_cause_found else NOTHING


def _follow(
    logs: Sequence[str], rules: Iterable[Rule], settings: Mapping[str, str], around: Around | None
) -> Diagnosis:
    """Diagnose logs that are still written. Ctrl-C and SIGTERM end the reading, not the answer."""
    import signal

    from vcompat.cli.shared.terminal import status
    from vcompat.diagnosis.diagnosing import diagnosis
    from vcompat.diagnosis.follow import follow
    from vcompat.diagnosis.log_search import Search
    from vcompat.diagnosis.stated.around import Around
    from vcompat.facts.facts import Facts

    signals: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, frame: signals.append(number))
    search = Search(rules)
    try:
        with status() as show:
            read = "Following {:,} logs, {:,} lines; Ctrl-C prints the diagnosis of what was read"
            found = follow(logs, search, lambda: bool(signals), lambda *counts: show(read.format(*counts)))
        return diagnosis(found, search, settings, around or Around(Facts()))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _rendered(diagnosis: Diagnosis, form: str, everything: bool) -> str:
    """The diagnosis in a format. Only the formats that are used are imported."""
    if form == "text":
        from vcompat.report.diagnoses.diagnosis import render

        return render(diagnosis, width(least=40), everything)
    text: str = import_module(f"vcompat.report.diagnoses.diagnosis_{form}").render(diagnosis)
    return text
