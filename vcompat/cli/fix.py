"""``vcompat fix``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from vcompat.cli.shared.command_words import COMMAND_HELP, TakesCommand
from vcompat.cli.shared.options import FILES_HELP, source_options, sources_of
from vcompat.cli.shared.terminal import say, width
from vcompat.evaluation.finding import Finding
from vcompat.fixes.editing.edit import LIMIT, Changed
from vcompat.fixes.editing.tried_edits import ALL, FAILURES, Result, fix_files
from vcompat.foundation.bounded_reading import read_bytes
from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_bytes
from vcompat.report.parts.layout import field
from vcompat.rules.database import load_rules


@click.command(cls=TakesCommand, epilog=f"{FILES_HELP} {COMMAND_HELP}")
@source_options
@click.option("--write", is_flag=True, help="Write the changes.")
@click.option("--backup", is_flag=True, help="With --write: keep the old text of each file as FILE.orig.")
@click.option("--advice", is_flag=True, help="Change settings for notes, too, not only for errors and warnings.")
def command(write: bool, backup: bool, advice: bool, **where: Any) -> int:
    """Show, as a diff, which settings to change so that certain and likely findings go away.

    Python, YAML and TOML files and launch scripts keep their comments and their layout. A value that the script
    computes is left alone. Each change is checked before it is shown: it fixes its finding and causes no other.
    What only another version or other hardware fixes is listed.

    Exit code: 0 if there is nothing to change, or everything was written; 1 if changes were only shown; 2 for input
    that cannot be used, and for a file that is read-only or changed meanwhile; then nothing is written.
    """
    config, sources = sources_of(where)
    result = fix_files(sources, config, load_rules(thorough=False), ALL if advice else FAILURES)
    for file in result.changed:
        say(_diff(file))
    if write:
        _write(result.changed, backup)
    for fixed in result.fixed:
        edits = ", ".join(dict.fromkeys(map(str, fixed.edits)))
        _list("fixed:" if write else "fixes:", f"{', '.join(fixed.findings)}: {edits}")
    _list_skipped(result)
    count = len(result.changed)
    files = f"{count} file{'s' if count != 1 else ''}"
    done = f"{files} written" if write else f"{files} to change; --write writes {'it' if count == 1 else 'them'}"
    say(done if count else "nothing to change")
    return 1 if count and not write else 0


def _list_skipped(result: Result) -> None:
    """Findings that no edit fixes, each with the reason; those that no file is about as one line."""
    for left in result.left:
        _list("skipped:", f"{left.finding.name}: {left.why}")
    in_files = [finding for finding in result.possible if _is_in_a_file(finding)]
    for finding in in_files:
        _list("skipped:", f"{finding.name}: not certain")
    _list_number(len(result.possible) - len(in_files), "possible finding", "which `vcompat check` lists: not certain")
    _list_number(len(result.advice), "note", "--advice changes settings for notes")


def _is_in_a_file(finding: Finding) -> bool:
    """Whether a run file leaves open what decides the finding."""
    return any(need.place is not None for need in finding.needs)


def _list_number(number: int, what: str, why: str) -> None:
    if number:
        _list("skipped:", f"{number} {what}{'s' if number != 1 else ''}, {why}")


def _list(label: str, text: str) -> None:
    say("\n".join(field(label, text, width())))


def _diff(file: Changed) -> str:
    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (file.before, file.after))
    name = os.path.relpath(file.path)
    shown = []
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
        color = {"+": "green", "-": "red", "@": "cyan"}.get(line[0])
        shown.append(click.style(line.rstrip("\r\n"), fg=color) if color else line.rstrip("\r\n"))
    return "\n".join(shown)


def _write(changed: Iterable[Changed], backup: bool) -> None:
    """Write all files, or none if one is read-only or changed since it was read. Raises InputError."""
    changed = list(changed)
    for file in changed:
        if not os.stat(file.path).st_mode & 0o222 or not os.access(file.path, os.W_OK):
            raise InputError(file.path, "is read-only", "a file that can be written")
        if read_bytes(file.path, LIMIT, "a run file") != file.before:
            raise InputError(file.path, "changed while it was read", "a file that nobody else writes; try again")
    for file in changed if backup else ():
        write_bytes(Path(f"{file.path}.orig"), file.before)
    written: list[Changed] = []
    try:
        for file in changed:
            write_bytes(Path(os.path.realpath(file.path)), file.after)
            written.append(file)
    except InputError:
        _restore(written)
        raise


def _restore(written: Sequence[Changed]) -> None:
    for file in written:
        with suppress(InputError):
            write_bytes(Path(os.path.realpath(file.path)), file.before)
