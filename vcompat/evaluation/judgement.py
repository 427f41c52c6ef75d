"""Which findings count: not those that a project suppresses, with a reason and until a day, or has in a baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.evaluation.config import Suppression
from vcompat.evaluation.finding import Finding
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.rules.rule import Rule

if TYPE_CHECKING:
    from datetime import date

_EXPECTED = "a baseline; `vcompat check --write-baseline` writes one"


class Suppressed(NamedTuple):
    """A finding that does not count, and why."""

    finding: Finding
    reason: str


class Judgement(NamedTuple):
    """Findings that count, findings that do not, and suppressions that need attention."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...] = ()
    expired: tuple[str, ...] = ()
    """One sentence for each suppression whose day has passed. One is enough to fail the check."""
    unused: tuple[str, ...] = ()
    """One sentence for each suppression that suppresses nothing."""

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Those that count and those that do not."""
        return (*self.findings, *(suppressed.finding for suppressed in self.suppressed))

    def fails(self, threshold: str, strict: bool = False, on_likely: bool = False) -> bool:
        """Whether a finding reaches `threshold` (see `Finding.reaches`), or a suppression has expired."""
        return bool(self.expired) or any(finding.reaches(threshold, strict, on_likely) for finding in self.findings)


def judge(
    findings: Iterable[Finding],
    rules: Sequence[Rule],
    suppressions: Sequence[Suppression],
    accepted: frozenset[tuple[str, str, str]],
    day: Callable[[], date],
) -> Judgement:
    """Separate the findings that count from the others; `day` returns today's date.

    Raises InputError for a suppression of a rule that does not exist.
    """
    if not suppressions and not accepted:
        return Judgement(tuple(findings))
    # Imported here: most projects suppress nothing.
    from vcompat.evaluation.fleet_kinds import KINDS

    findings, today = list(findings), day()
    # A project has one list of suppressions, for checks and for fleets.
    _require_names(suppressions, [*(rule.id for rule in rules), *KINDS])
    valid = {s.rule: s for s in suppressions if s.expires >= today}
    counted, suppressed = [], []
    for finding in findings:
        if finding.rule.id in valid:
            suppressed.append(Suppressed(finding, valid[finding.rule.id].reason_text))
        elif _identity(finding) in accepted:
            suppressed.append(Suppressed(finding, "in the baseline"))
        else:
            counted.append(finding)
    expired = tuple(s.expired_text for s in suppressions if s.expires < today)
    # Those of findings about fleets are judged with the fleet.
    used = {*KINDS, *(finding.rule.id for finding in findings)}
    unused = tuple(s.unused_text for s in valid.values() if s.rule not in used)
    return Judgement(tuple(counted), tuple(suppressed), expired, unused)


def _require_names(suppressions: Sequence[Suppression], ids: Sequence[str]) -> None:
    for suppression in suppressions:
        if suppression.rule not in ids:
            near = did_you_mean(suppression.rule, ids)
            raise InputError(f"{suppression.where}.rule", f"there is no rule '{suppression.rule}'", near)


def _identity(finding: Finding) -> tuple[str, str, str]:
    """What identifies a finding in a baseline. A possible finding that becomes certain is a new one."""
    place = finding.place
    return finding.name, finding.certainty, os.path.basename(place.path) if place else ""


def read_baseline(path: str) -> frozenset[tuple[str, str, str]]:
    """The findings of the baseline at `path`. Raises InputError."""
    import json

    try:
        table: Any = json.loads(read_text(path, 20 * MB, _EXPECTED))
        return frozenset((item["rule"], item["certainty"], item["file"]) for item in table["findings"])
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}", f"not valid JSON: {error.msg}", _EXPECTED) from None
    except (KeyError, TypeError, RecursionError):
        raise InputError(path, "not a baseline", _EXPECTED) from None


def write_baseline(path: str, findings: Iterable[Finding], version: str) -> int:
    """Write a baseline of the `findings` that no patch fixes; return how many there are. Raises InputError."""
    # Imported here: only `--write-baseline` needs them.
    import json
    from pathlib import Path

    from vcompat.foundation.writing import write_whole

    items = sorted({_identity(finding) for finding in findings if not finding.fixed_by})
    table = {
        "vcompat": version,
        "findings": [{"rule": rule, "certainty": certainty, "file": file} for rule, certainty, file in items],
    }
    write_whole(Path(path), json.dumps(table, indent=2) + "\n", "a file to write the baseline to")
    return len(items)
