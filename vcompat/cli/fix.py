"""``vcompat fix``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from vcompat.cli.options import FILES_HELP, source_options, sources_of
from vcompat.cli.terminal import say, width
from vcompat.evaluation.check import check
from vcompat.evaluation.finding import Finding
from vcompat.fixes.editing.edit import Changed, apply, plan_edits
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_bytes
from vcompat.foundation.writing import write_bytes
from vcompat.report.layout import field
from vcompat.rules.database import load_rules
from vcompat.sources.gather import collect


@click.command(epilog=FILES_HELP)
@source_options
@click.option("--write", is_flag=True, help="Write the changes.")
@click.option("--backup", is_flag=True, help="With --write: keep the old text of each file as FILE.orig.")
def command(write: bool, backup: bool, **where: Any) -> int:
    """Show, as a diff, which settings to change so that certain findings go away.

    Python, YAML and TOML files keep their comments and their layout. A value that the script computes is left alone.
    What only another version or other hardware fixes is listed.

    Exit code: 0 if there is nothing to change, or everything was written; 1 if changes were only shown; 2 for input
    that cannot be used, and for a file that changed meanwhile; then nothing is written.
    """
    config, sources = sources_of(where)
    outcome = check(sources, config, load_rules(thorough=False))
    planned = plan_edits(outcome.judgement.findings, outcome.facts, collect(sources).plan.configurations)
    changed, refused = apply(planned.edits)
    for file in changed:
        say(_diff(file))
    if write:
        _write(changed, backup)
    listed = [left for left in planned.left if left.finding.is_certain or _is_in_a_file(left.finding)]
    skipped = [*((edit.rule, why) for edit, why in refused), *((left.finding.rule.id, left.why) for left in listed)]
    _list_skipped(skipped, len(planned.left) - len(listed))
    files = f"{len(changed)} file{'s' if len(changed) != 1 else ''}"
    done = f"{files} written" if write else f"{files} to change; --write writes {'it' if len(changed) == 1 else 'them'}"
    say(done if changed else "nothing to change")
    return 1 if changed and not write else 0


def _is_in_a_file(finding: Finding) -> bool:
    """Whether a run file leaves open what decides the finding."""
    return any(need.place is not None for need in finding.needs)


def _list_skipped(skipped: Iterable[tuple[str, str]], possible: int) -> None:
    """Findings that no edit fixes, each with the reason; `possible` findings that no file is about as one line."""
    for rule, why in skipped:
        say("\n".join(field("skipped:", f"{rule}: {why}", width())))
    if possible:
        findings = f"{possible} possible finding{'s' if possible != 1 else ''}"
        say("\n".join(field("skipped:", f"{findings}, which `vcompat check` lists: not certain", width())))


def _diff(file: Changed) -> str:
    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (file.before, file.after))
    name = os.path.relpath(file.path)
    shown = []
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
        color = {"+": "green", "-": "red", "@": "cyan"}.get(line[0])
        shown.append(click.style(line.rstrip("\n"), fg=color) if color else line.rstrip("\n"))
    return "\n".join(shown)


def _write(changed: Iterable[Changed], backup: bool) -> None:
    """Write all files, or none if one changed since it was read. Raises InputError."""
    changed = list(changed)
    for file in changed:
        if read_bytes(file.path, 20 * MB, "a run file") != file.before:
            raise InputError(file.path, "changed while it was read", "a file that nobody else writes; try again")
    for file in changed:
        if backup:
            write_bytes(Path(f"{file.path}.orig"), file.before)
        write_bytes(Path(os.path.realpath(file.path)), file.after)
