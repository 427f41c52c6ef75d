"""``vcompat fix``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from vcompat.cli.sources import add_arguments as add_sources
from vcompat.cli.sources import config_of, sources_of
from vcompat.cli.terminal import say
from vcompat.evaluation.check import check
from vcompat.fixes.editing.edit import Changed, apply, plan_edits
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_bytes
from vcompat.foundation.writing import write_bytes
from vcompat.report.style import style
from vcompat.rules.database import load_rules
from vcompat.sources.gather import collect

DESCRIPTION = """\
Show, as a diff, how to change the files of the plan so that the findings go away that a setting fixes.

Python, YAML and TOML files keep their comments and their layout. A value that the script computes is left alone, and
so is what only another version or other hardware fixes; both are listed.

Exit code: 0 if nothing is to be changed, or all was written. 1 if there are changes that were only shown. 2 for input
that cannot be used, and for a file that changed meanwhile; then nothing is written.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_sources(parser)
    parser.add_argument("--write", action="store_true", help="write the changes")
    parser.add_argument("--backup", action="store_true", help="with --write: keep each file's old text as FILE.orig")


def run(arguments: argparse.Namespace) -> int:
    """Find what to change, show it, and write it if that is wanted."""
    rules = load_rules(thorough=False)
    config = config_of(arguments)
    sources = sources_of(arguments, config)
    report = check(sources, config, rules)
    planned = plan_edits(report.judgement.findings, report.facts, collect(sources).plan.configurations)
    changed, refused = apply(planned.edits)
    for file in changed:
        say(_diff(file))
    if arguments.write:
        _write(changed, arguments.backup)
    _say_what_is_left(
        [
            *((edit.rule, why) for edit, why in refused),
            *((left.finding.rule.id, left.why) for left in planned.left),
        ]
    )
    count = f"{len(changed)} file{'s' if len(changed) != 1 else ''}"
    say(f"{count} {'written' if arguments.write else 'to change; --write does it'}" if changed else "nothing to change")
    return 1 if changed and not arguments.write else 0


def _diff(file: Changed) -> str:
    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (file.before, file.after))
    name = os.path.relpath(file.path)
    lines = unified_diff(before, after, f"a/{name}", f"b/{name}")
    shown = []
    for line in lines:
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[0], "")
        shown.append(style(line.rstrip("\n"), colour))
    return "\n".join(shown)


def _write(changed: Iterable[Changed], backup: bool) -> None:
    """Write all files, or none if one changed since it was read. Raises InputError."""
    changed = list(changed)
    for file in changed:
        if read_bytes(file.path, 20 * MB, "a file of the plan") != file.before:
            raise InputError(file.path, "changed while it was looked at", "a file that nobody else writes; try again")
    for file in changed:
        if backup:
            write_bytes(Path(f"{file.path}.orig"), file.before)
        write_bytes(Path(os.path.realpath(file.path)), file.after)


def _say_what_is_left(left: list[tuple[str, str]]) -> None:
    for rule, why in left:
        say(f"not changed: {rule}: {why}")
