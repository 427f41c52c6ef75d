"""The formats of a check's report, and what several of them share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module

from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Place

#: Each format, the module here that renders it, and the ending of files that get it if nobody says another.
FORMATS: Mapping[str, str] = {
    "text": ".txt",
    "json": ".json",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": "",
    "gitlab": "",
    "markdown": ".md",
    "html": ".html",
}


def renderer(name: str) -> Callable[[Outcome], str]:
    """The function that renders the format called `name`; only the formats that are asked for are imported."""
    render: Callable[[Outcome], str] = import_module(f"vcompat.report.{name}").render
    return render


def relative(path: str) -> str:
    """A path as tools want it that show it in a repository: from here, with slashes."""
    below = os.path.relpath(path)
    return (path if below.startswith("..") else below).replace(os.sep, "/")


def place_of(finding: Finding, report: Outcome) -> Place | None:
    """Where a tool should show the finding: the setting, else the first file of the plan, None where there is none."""
    if finding.place is not None:
        return finding.place
    return Place(report.files[0], 1, 1) if report.files else None


def message(finding: Finding) -> str:
    """The finding in a few sentences, without markup."""
    rule = finding.rule
    because = ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in finding.because)
    needs = ", ".join(f"{n.fact}" + (f" ({n.reason})" if n.reason else "") for n in finding.needs)
    parts = [f"{rule.title}." if finding.certainty == CERTAIN else f"Possible: {rule.title}.", rule.summary]
    parts += [f"Because {because}."] if because else []
    parts += [f"It depends on {needs}."] if needs else []
    parts += [f"Settled by the patch {finding.settled_by}."] if finding.settled_by else []
    return "\n".join(parts)


def level(finding: Finding) -> str:
    """``error``, ``warning`` or ``note``; what a patch settles is a note."""
    return "note" if finding.settled_by else finding.rule.severity
