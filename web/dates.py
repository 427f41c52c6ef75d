"""When each rule was new: by the record ``web/dates.toml``, else by git. A rule that neither knows has no date.

``python -m web.dates`` adds to the record what git knows. The record keeps dates through a history that is rewritten or
cut off, and through a release archive, which has none.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import tomli

from vcompat.foundation.shipped import CHECKOUT
from vcompat.foundation.writing import write_whole

_RECORD = Path(__file__).with_name("dates.toml")


def dates() -> dict[str, str]:
    """Return the day on which each rule was new, as ``YYYY-MM-DD``, by the rule's id."""
    return {**_by_git(), **_recorded()}


def _recorded() -> Mapping[str, str]:
    if not _RECORD.is_file():
        return {}
    table = tomli.loads(_RECORD.read_text(encoding="utf-8"))
    return {rule: day for day, rules in table.items() for rule in rules.split()}


def _by_git() -> dict[str, str]:
    """Return the day of the first commit with each rule; nothing without git, or where the history is cut off."""
    if not (Path(CHECKOUT) / ".git").exists():
        return {}
    try:
        shallow = _git("rev-parse", "--is-shallow-repository").strip()
        log = _git("log", "--diff-filter=A", "--format=day %cs", "--name-only", "--", "rules")
    except (OSError, subprocess.CalledProcessError):
        return {}
    days: dict[str, str] = {}
    day = ""
    for line in log.splitlines() if shallow == "false" else ():
        if line.startswith("day "):
            day = line.removeprefix("day ")
        elif line.endswith(".toml"):
            # The log begins with the newest commit, so the oldest day stays.
            days[Path(line).stem] = day
    return days


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", CHECKOUT, *words], capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Write the record."""
    days: dict[str, list[str]] = {}
    for rule, day in sorted(dates().items()):
        if any(Path(CHECKOUT, "rules").glob(f"*/{rule}.toml")):
            days.setdefault(day, []).append(rule)
    lines = ["# The day on which each rule was new. `python -m web.dates` adds what git knows."]
    for day in sorted(days):
        lines += ["", f'"{day}" = """', *days[day], '"""']
    write_whole(_RECORD, "\n".join(lines) + "\n", "a checkout")
    return 0


if __name__ == "__main__":
    sys.exit(main())
