"""Which findings count: without those that a project suppresses, for a reason and until a day, or has in a baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.evaluation.config import Suppression
from vcompat.evaluation.finding import Finding
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_text
from vcompat.foundation.suggest import did_you_mean
from vcompat.rules.rule import Rule

if TYPE_CHECKING:
    from datetime import date

_EXPECTED = "a baseline that `vcompat check --write-baseline` wrote"


class Quiet(NamedTuple):
    """A finding that does not count, and why."""

    finding: Finding
    reason: str


class Judgement(NamedTuple):
    """What is left to say of a run."""

    findings: tuple[Finding, ...]
    quiet: tuple[Quiet, ...] = ()
    expired: tuple[str, ...] = ()
    """Of each suppression whose day has come, a sentence. One is enough to fail."""
    idle: tuple[str, ...] = ()
    """Of each suppression that nothing needs any more, a sentence."""

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Those that count and those that do not."""
        return (*self.findings, *(quiet.finding for quiet in self.quiet))

    def fails(self, threshold: str, only_certain: bool = False) -> bool:
        """Whether something counts that is of severity `threshold` or above, or a suppression has expired."""
        return bool(self.expired) or any(finding.reaches(threshold, only_certain) for finding in self.findings)


def judge(
    findings: Iterable[Finding],
    rules: Sequence[Rule],
    suppressions: Sequence[Suppression],
    accepted: frozenset[tuple[str, str, str]],
    day: Callable[[], date],
) -> Judgement:
    """Tell the findings that count from those that do not; `day` says which day it is.

    Raises InputError for a suppression of no rule.
    """
    if not suppressions and not accepted:
        return Judgement(tuple(findings))
    findings, today = list(findings), day()
    ids = [rule.id for rule in rules]
    for suppression in suppressions:
        if suppression.rule not in ids:
            near = did_you_mean(suppression.rule, ids)
            raise InputError(f"{suppression.where}.rule", f"there is no rule '{suppression.rule}'", near)
    valid = {s.rule: s for s in suppressions if s.expires >= today}
    loud, quiet = [], []
    for finding in findings:
        if finding.rule.id in valid:
            suppression = valid[finding.rule.id]
            quiet.append(Quiet(finding, f"suppressed until {suppression.expires}: {suppression.reason}"))
        elif _identity(finding) in accepted:
            quiet.append(Quiet(finding, "known from the baseline"))
        else:
            loud.append(finding)
    struck = {finding.rule.id for finding in findings}
    expired = [
        f"{s.where}: the suppression of {s.rule} expired on {s.expires} (it said: {s.reason})"
        for s in suppressions
        if s.expires < today
    ]
    idle = [f"{s.where}: nothing is left of {s.rule} to suppress" for s in valid.values() if s.rule not in struck]
    return Judgement(tuple(loud), tuple(quiet), tuple(expired), tuple(idle))


def _identity(finding: Finding) -> tuple[str, str, str]:
    """What makes a finding the one that was there before: a possible one that becomes certain is another."""
    place = finding.place
    return finding.rule.id, finding.certainty, os.path.basename(place.path) if place else ""


def read_baseline(path: str) -> frozenset[tuple[str, str, str]]:
    """The findings of the baseline at `path`. Raises InputError."""
    import json

    try:
        table: Any = json.loads(read_text(path, 20 * MB, _EXPECTED))
        return frozenset((item["rule"], item["certainty"], item["file"]) for item in table["findings"])
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}", f"not valid JSON: {error.msg}", _EXPECTED) from None
    except (KeyError, TypeError, RecursionError):
        raise InputError(path, "no baseline", _EXPECTED) from None


def write_baseline(path: str, findings: Iterable[Finding], version: str) -> int:
    """Write a baseline of the `findings` that are not settled; return how many there are. Raises InputError."""
    # With them, for those who write one only.
    import json
    from pathlib import Path

    from vcompat.foundation.writing import write_whole

    items = sorted({_identity(finding) for finding in findings if not finding.settled_by})
    table = {
        "vcompat": version,
        "findings": [{"rule": rule, "certainty": certainty, "file": file} for rule, certainty, file in items],
    }
    write_whole(Path(path), json.dumps(table, indent=2) + "\n", "a file to write the baseline to")
    return len(items)
