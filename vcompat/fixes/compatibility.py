"""Which releases exclude each other, and why: by what they declare, and by the rules that apply with certainty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from packaging.specifiers import SpecifierSet

from vcompat.evaluation.finding import Finding
from vcompat.fixes.evaluator import Evaluator
from vcompat.fixes.releases import FIRST_WITH_GRPO, Catalogue, Pin, Wish


class Reason(NamedTuple):
    """The reason why a release is ruled out."""

    kind: str
    """The reason without details, to group releases that are ruled out for the same reason."""
    text: str
    """The reason with details."""
    rule: str = ""
    """The id of the rule that applies; empty if the reason is none."""


class Compatibility:
    """The judgement of releases for one wish. Results are kept, because a search asks for the same pairs again."""

    def __init__(self, wish: Wish, catalogue: Catalogue, evaluator: Evaluator, accepted: Iterable[str] = ()) -> None:
        """`accepted` are the ids of rules that rule nothing out."""
        self._wish, self._catalogue, self._evaluator = wish, catalogue, evaluator
        self._accepted = frozenset(accepted)
        self._by_itself: dict[Pin, Reason | None] = {}
        self._together: dict[tuple[Pin, Pin], Reason | None] = {}
        self._conflicting: set[str] = set()

    def releases(self, package: str) -> list[Pin]:
        """Return the releases of a package, newest first."""
        return [Pin(package, version) for version in sorted(self._catalogue.releases[package], reverse=True)]

    def by_itself(self, pin: Pin) -> Reason | None:
        """Return the reason why a release is ruled out independent of other packages; None if it is not."""
        if pin not in self._by_itself:
            self._by_itself[pin] = self._find_by_itself(pin)
        return self._by_itself[pin]

    def _find_by_itself(self, pin: Pin) -> Reason | None:
        kept = self._wish.kept.get(pin.package, SpecifierSet())
        if not kept.contains(pin.version, prereleases=True):
            return _same(f"--keep {pin.package}{kept}")
        # Like an installer, which installs a yanked release only if it is pinned.
        pinned = any(part.operator == "==" and not part.version.endswith("*") for part in kept)
        if not pinned and pin.version in self._catalogue.yanked.get(pin.package, ()):
            return _same("yanked")
        if not pinned and pin.package == "trl" and pin.version < FIRST_WITH_GRPO:
            return _same("does not include GRPO")
        python = self._declared(pin, "python")
        if python and self._wish.python not in SpecifierSet(python):
            return _same(f"requires Python {python}")
        if pin.package == "vllm" and not self._evaluator.is_built(pin):
            return _same("no build is known for the CUDA version that is stated for torch")
        return self.excluded((pin,))

    def together(self, pin: Pin, other: Pin) -> Reason | None:
        """Return the reason why two releases are incompatible; None if they are not."""
        pair = (pin, other) if pin.package < other.package else (other, pin)
        if pair not in self._together:
            self._together[pair] = self._declared_against(pin, other) or self.excluded(pair)
        return self._together[pair]

    def _declared_against(self, one: Pin, other: Pin) -> Reason | None:
        for asking, asked in ((one, other), (other, one)):
            said = self._declared(asking, asked.package)
            if said and not SpecifierSet(said).contains(asked.version, prereleases=True):
                kind = f"{asking.package} requires another version of {asked.package}"
                return Reason(kind, f"{asking} requires {asked.package}{said}")
        return None

    def _declared(self, pin: Pin, of: str) -> str:
        return self._catalogue.declares.get(pin.package, {}).get(of, {}).get(pin.version, "")

    def excluded(self, pins: Sequence[Pin]) -> Reason | None:
        """Return the rule that excludes a set, whatever the other packages are; None if there is none."""
        finding = self._excluding(pins)
        return _of_finding(finding) if finding else None

    def conflict(self, pins: Sequence[Pin]) -> frozenset[Pin] | None:
        """Return the releases of a set of which a rule excludes the combination; None if no rule does."""
        finding = self._excluding(pins)
        if finding is None:
            return None
        self._conflicting.add(finding.rule.id)
        return self._evaluator.deciding(finding.rule, pins)

    def _excluding(self, pins: Sequence[Pin]) -> Finding | None:
        avoidable = (
            finding for finding in self._evaluator.certain(pins) if self.counts(finding) and _is_avoidable(finding)
        )
        return next((finding for finding in avoidable if finding.rule.id not in self._accepted), None)

    def counts(self, finding: Finding) -> bool:
        """Whether a finding is certain, reaches the threshold, and is not accepted because a patch fixes it."""
        patched = self._wish.allow_patched and any(fix.removes_failure for fix in finding.fixes)
        return finding.reaches(self._wish.threshold) and not patched

    def why_stuck(self, packages: Sequence[str]) -> list[tuple[Pin, Reason]]:
        """Return the releases that are ruled out by themselves, or with every release of another package."""
        left = {package: [pin for pin in self.releases(package) if not self.by_itself(pin)] for package in packages}
        reasons = [(pin, self._why_alone(pin, left)) for package in packages for pin in self.releases(package)]
        return [(pin, reason) for pin, reason in reasons if reason is not None]

    def _why_alone(self, pin: Pin, left: Mapping[str, Sequence[Pin]]) -> Reason | None:
        reason = self.by_itself(pin)
        if reason is None:
            for package, others in left.items():
                if package != pin.package and others and all(self.together(pin, other) for other in others):
                    return self.together(pin, others[0])
        return reason

    def why_not_newer(self, pins: Sequence[Pin]) -> list[tuple[Pin, Reason]]:
        """Return every release that is newer than the one in `pins`, with the reason why it is ruled out."""
        return [
            (pin, self._why_not(pin, [other for other in pins if other.package != pin.package]))
            for chosen in pins
            for pin in self.releases(chosen.package)
            if pin.version > chosen.version
        ]

    def _why_not(self, pin: Pin, others: Sequence[Pin]) -> Reason:
        pairs = (self.together(pin, other) for other in others)
        reason = self.by_itself(pin) or next(filter(None, pairs), None)
        return reason or self.excluded((*others, pin)) or _same("no compatible set contains it")

    def blocking(self) -> set[str]:
        """Return the ids of the rules that have ruled out releases or sets so far."""
        reasons = (*self._by_itself.values(), *self._together.values())
        return self._conflicting | {reason.rule for reason in reasons if reason is not None and reason.rule}


def _same(text: str) -> Reason:
    return Reason(text, text)


def _is_avoidable(finding: Finding) -> bool:
    """Whether other releases avoid the finding: not if it is about a setting that none has, or about its value."""
    return not finding.rule.has_subjects or any(fix.kind == "version" for fix in finding.fixes)


def _of_finding(finding: Finding) -> Reason:
    kind = f"{finding.rule.id}: {finding.rule.title}" if not finding.subject else f"has no {finding.subject}"
    return Reason(kind, f"{finding.rule.id}: {finding.failure}", finding.rule.id)
