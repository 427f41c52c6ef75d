"""The formats of a check's report, and what several of them share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Place

#: Each format, which is also the name of the module here that renders it, and the file ending that selects it.
FORMATS: Mapping[str, str] = {
    "text": ".txt",
    "json": ".json",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": "",
    "markdown": ".md",
    "html": ".html",
}


def renderer(name: str) -> Callable[[Outcome], str]:
    """The function that renders the format called `name`. Only the formats that are used are imported."""
    render: Callable[[Outcome], str] = import_module(f"vcompat.report.checks.{name}").render
    return render


def relative(path: str) -> str:
    """A path relative to the current folder, with slashes, as tools that show a repository expect it."""
    below = os.path.relpath(path)
    return (path if below.startswith("..") else below).replace(os.sep, "/")


def at(place: Place) -> str:
    """A place as ``folder/train.py:3:48``: path, line and column, as far as they are known."""
    return ":".join([relative(place.path), *(str(number) for number in (place.line, place.column) if number)])


def place_of(finding: Finding, outcome: Outcome) -> Place | None:
    """Where a tool should show the finding.

    The setting, if a file states it. Otherwise, for a certain finding, the first run file as a whole (line 0), since
    tools that show findings in a repository show none without a file. A possible finding gets no file that does not
    mention it: then None.
    """
    if finding.place is not None or not finding.is_certain:
        return finding.place
    return Place(outcome.files[0]) if outcome.files else None


def message(finding: Finding) -> str:
    """The finding in a few sentences, without markup."""
    because = ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in finding.because)
    needs = ", ".join(need.text for need in finding.needs)
    word = "" if finding.is_certain else f"{finding.certainty.capitalize()}: "
    parts = [f"{word}{finding.title}.", finding.summary]
    parts += [f"Because {because}."] if because else []
    parts += [f"It presumes that {'; '.join(map(str, finding.presumes))}."] if finding.presumes else []
    parts += [f"It depends on {needs}."] if needs else []
    parts += [f"Fixed by patch {finding.fixed_by}."] if finding.fixed_by else []
    return "\n".join(parts)


def level(finding: Finding) -> str:
    """``error``, ``warning`` or ``note``. A finding that is only possible, or that a patch fixes, is a note.

    A likely one is a warning at most, since it does not fail a check by default.
    """
    if finding.fixed_by or not (finding.is_certain or finding.is_likely):
        return "note"
    return "warning" if finding.is_likely and finding.rule.severity == "error" else finding.rule.severity
