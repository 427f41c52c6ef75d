"""Tries changes to run files in memory, and keeps those that fix a finding and cause no other.

After each change all run files are read again and all rules are evaluated again. A change is dropped if its finding
stays, if a finding applies for certain that did not before, or if a setting cannot be determined anymore.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vcompat.evaluation.checking import Assessed, assess
from vcompat.evaluation.config import Config
from vcompat.evaluation.finding import Finding
from vcompat.fixes.editing.change import SET, Cannot, Edit
from vcompat.fixes.editing.choose import choices
from vcompat.fixes.editing.edit import LIMIT, Changed, edited
from vcompat.foundation.bounded_reading import read_bytes, reading_instead
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule
from vcompat.sources.gather import RunFacts, Sources, surroundings

#: Which findings are changed for: those of a rule whose severity is one of these.
FAILURES, ALL = ("error", "warning"), ("error", "warning", "note")


class Fixed(NamedTuple):
    """Findings that the same changes fix."""

    findings: tuple[str, ...]
    """Their names."""
    edits: tuple[Edit, ...]


class Left(NamedTuple):
    """A certain or likely finding that no change fixes."""

    finding: Finding
    why: str


class Result(NamedTuple):
    """What to write, and what it achieves."""

    changed: tuple[Changed, ...]
    fixed: tuple[Fixed, ...]
    left: tuple[Left, ...]
    """Certain findings that remain, with the reason why no change fixes them."""
    possible: tuple[Finding, ...]
    """Findings that are only possible, which are not changed for."""
    advice: tuple[Finding, ...]
    """Certain findings of a severity that was not to be changed for."""


def fix_files(sources: Sources, config: Config, rules: tuple[Rule, ...], severities: Sequence[str]) -> Result:
    """Find the changes that fix certain and likely findings of these `severities`. Nothing is written.

    Raises InputError for input that cannot be used.
    """
    trial = _Trial(sources, config, rules)
    fixed: list[Fixed] = []
    why: dict[str, str] = {}
    # Once more after a change: what stood against another change may be gone.
    while new := list(_fix_each(trial, severities, why)):
        fixed += new
    findings = [finding for finding in trial.state.judgement.findings if not finding.fixed_by]
    certain = [finding for finding in findings if finding.is_certain or finding.is_likely]
    return Result(
        trial.changed(),
        tuple(fixed),
        tuple(Left(f, why.get(_key(f), "")) for f in certain if f.rule.severity in severities),
        tuple(finding for finding in findings if not (finding.is_certain or finding.is_likely)),
        tuple(finding for finding in certain if finding.rule.severity not in severities),
    )


def _fix_each(trial: _Trial, severities: Sequence[str], why: dict[str, str]) -> Iterator[Fixed]:
    """Yield what can be fixed of the findings that apply, and state why another one cannot."""
    for finding in trial.applying():
        if finding.rule.severity in severities and (present := trial.again(finding)):
            done, why[_key(finding)] = trial.fix(present)
            if done:
                yield done


class _Trial:
    """The run files with the changes so far, and what a check finds in them."""

    def __init__(self, sources: Sources, config: Config, rules: tuple[Rule, ...]) -> None:
        self.sources, self.config, self.rules = sources, config, rules
        self.around = surroundings(sources)
        self.contents: dict[str, bytes] = {}
        self.original: dict[str, Changed] = {}
        """The changed files by real path, as they were."""
        self.state = assess(sources, config, rules, self.around)

    def applying(self) -> list[Finding]:
        """The certain and likely findings that no patch fixes."""
        return _applying(self.state)

    def again(self, finding: Finding) -> Finding | None:
        """The same finding with the present positions; None if it does not apply any more, for certain or likely."""
        return next((other for other in self.applying() if _key(other) == _key(finding)), None)

    def fix(self, finding: Finding) -> tuple[Fixed | None, str]:
        """Make the first changes that fix `finding`. Return what they fix, or None and the reason."""
        reasons = []
        for choice in choices(finding, self.state):
            if isinstance(choice, str):
                reasons.append(choice)
                continue
            before = self.applying()
            try:
                self._make(choice, finding)
            except Cannot as reason:
                reasons.append(str(reason))
                continue
            # What has become possible is not fixed.
            gone = [_told(other) for other in before if not _count(self.state, other)]
            return Fixed(tuple(dict.fromkeys((_told(finding), *gone))), choice), ""
        return None, "; ".join(dict.fromkeys(reasons))

    def _make(self, edits: tuple[Edit, ...], finding: Finding) -> None:
        """Make the changes if the result is better. Raises Cannot."""
        new = {**self.contents, **edited(edits, self.contents)}
        with reading_instead(new):
            try:
                after = assess(self.sources, self.config, self.rules, self.around)
            except InputError as error:
                raise Cannot(f"{_shown(edits)} would make a file unusable: {error}") from None
        _compare(self.state, after, edits, finding)
        for edit in edits:
            real = os.path.realpath(edit.place.path)
            if real not in self.original:
                self.original[real] = Changed(edit.place.path, read_bytes(edit.place.path, LIMIT, "a run file"), b"")
        self.contents, self.state = new, after

    def changed(self) -> tuple[Changed, ...]:
        """The files that changed, before and after."""
        both = [file._replace(after=self.contents[real]) for real, file in self.original.items()]
        return tuple(file for file in both if file.before != file.after)


def _compare(before: Assessed, after: Assessed, edits: tuple[Edit, ...], finding: Finding) -> None:
    """Raise Cannot if the changes do not fix `finding`, or are not for the better."""
    new = Counter(map(_key, _applying(after))) - Counter(map(_key, _applying(before)))
    if new:
        raise Cannot(f"{_shown(edits)} would cause {', '.join(sorted(new))}")
    if _count(after, finding) >= _count(before, finding):
        left = next(other for other in after.judgement.findings if _key(other) == _key(finding))
        open_ = ", ".join(need.fact or need.reason for need in left.needs)
        raise Cannot(f"{_shown(edits)} {f'leaves it open, by {open_}' if open_ else 'does not fix it'}")
    if len(before.gathered.runs) != len(after.gathered.runs):
        raise Cannot(f"{_shown(edits)} would change which runs there are")
    for run, then in zip(before.gathered.runs, after.gathered.runs, strict=True):
        _compare_facts(run, then, edits)


def _compare_facts(before: RunFacts, after: RunFacts, edits: tuple[Edit, ...]) -> None:
    """Raise Cannot if something was known of a run and no longer is, or has not become what it should."""
    facts = {f"{'env' if edit.is_variable else 'plan'}.{edit.setting}": edit for edit in edits}
    for name in before.facts.known:
        if after.facts.is_open(name) and not (name in facts and facts[name].action != SET):
            raise Cannot(f"{_shown(edits)} would leave {name} unknown: {after.facts.why_unknown(name)}")
    if before.takes_defaults and not after.takes_defaults:
        raise Cannot(f"{_shown(edits)} would leave the settings of the run unknown")


def _applying(state: Assessed) -> list[Finding]:
    """Return the findings to change for: the certain ones, then the likely ones."""
    findings = [finding for finding in state.judgement.findings if not finding.fixed_by]
    return [*(one for one in findings if one.is_certain), *(one for one in findings if one.is_likely)]


def _told(finding: Finding) -> str:
    return f"{finding.name} (likely)" if finding.is_likely else finding.name


def _count(state: Assessed, finding: Finding) -> int:
    """How often the finding applies or might apply."""
    return sum(_key(other) == _key(finding) and not other.fixed_by for other in state.judgement.findings)


def _key(finding: Finding) -> str:
    """What tells a finding from others, also after lines have moved."""
    return finding.name


def _shown(edits: Sequence[Edit]) -> str:
    return ", ".join(dict.fromkeys(map(str, edits)))
