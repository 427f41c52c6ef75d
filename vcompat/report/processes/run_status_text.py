"""Which process of a run applied which patch, as text."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.evaluation.rank_patches import Ranks
from vcompat.report.parts.layout import printable
from vcompat.report.processes.run_status_wording import alike, compared, total


def render(folder: str, ranks: Ranks, unusable: Sequence[str]) -> str:
    """The report; the command prints what is unusable before it."""
    lines = [f"{folder}: {total(ranks)}"]
    for group in alike(ranks):
        lines += ["", f"{group.title}: {group.about}"]
        lines += [f"  {status:<8} {name}" + (f": {reason}" if reason else "") for status, name, reason in group.patches]
        lines += [f"  {group.others}"] if group.others else []
    results = [f"{word}: {text}" for word, text in compared(ranks)]
    return "\n".join(map(printable, [*lines, *([""] if results else []), *results]))
