"""What every format of a check's report gets to see."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple

from vcompat.facts import Facts, Place
from vcompat.finding import CERTAIN, Finding
from vcompat.judgement import Judgement
from vcompat.rule import Rule


class Report(NamedTuple):
    """The outcome of a check."""

    judgement: Judgement
    facts: Facts
    rules: tuple[Rule, ...]
    """All that were held against the facts."""
    version: str
    """vcompat's own."""
    files: tuple[str, ...] = ()
    """Those of the plan that were read."""
    threshold: str = "error"
    """The severity from which on a finding fails the check."""
    width: int = 100
    """Columns of the terminal."""
    unjudged: Mapping[str, list[str]] = {}
    """Estimates and advice that could not be judged, with the facts that are not known."""
    only_certain: bool = False
    """Whether what is merely possible does not fail the check."""

    @property
    def fails(self) -> bool:
        """Whether the check fails."""
        return self.judgement.fails(self.threshold, self.only_certain)


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


def renderer(name: str) -> Callable[[Report], str]:
    """The function that renders the format called `name`; only the formats that are asked for are imported."""
    render: Callable[[Report], str] = import_module(f"vcompat.report.{name}").render
    return render


def relative(path: str) -> str:
    """A path as tools want it that show it in a repository: from here, with slashes."""
    below = os.path.relpath(path)
    return (path if below.startswith("..") else below).replace(os.sep, "/")


def place_of(finding: Finding, report: Report) -> Place | None:
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
