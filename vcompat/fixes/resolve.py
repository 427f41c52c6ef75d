"""The newest releases that go together on given hardware, for a given plan.

What goes together is what releases declare of each other (as recorded from their metadata) and what no rule strikes.
The search is resolvelib's, which installers use too; here it is told what there is and what excludes what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.rules.rule import Rule

#: The packages that are chosen, in the order in which their newness counts.
ORDER = ("trl", "vllm", "transformers", "torch", "accelerate", "peft", "deepspeed")


#: GRPOTrainer's first release, read from TRL's source.
FIRST_WITH_GRPO = Version("0.14.0")


class Catalogue(NamedTuple):
    """What releases there are, and what each declares (see `upstream.record`)."""

    releases: Mapping[str, Sequence[Version]]
    declares: Mapping[str, Mapping[str, Mapping[Version, str]]]
    yanked: Mapping[str, Sequence[Version]]


class Wish(NamedTuple):
    """What the user wants to run, and on what."""

    facts: Facts
    """What is known of hardware and plan; nothing of packages."""
    takes_defaults: bool
    """Whether settings that nobody stated have TRL's defaults."""
    python: Version
    kept: Mapping[str, SpecifierSet]
    """Packages that must stay within a range."""
    threshold: str = "error"
    """A set in which a certain finding reaches this severity is ruled out."""
    allow_patched: bool = False
    """Whether a failure is accepted that a patch settles."""


class Pin(NamedTuple):
    """One release of one package."""

    package: str
    version: Version

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


class Reason(NamedTuple):
    """Why a release is out."""

    kind: str
    """The same for releases that are out for the same reason, whatever the details."""
    text: str
    """With the details."""


class Resolution(NamedTuple):
    """The set that was found, and why nothing newer."""

    pins: tuple[Pin, ...]
    """In the order of ORDER; empty if there is no such set."""
    ruled_out: tuple[tuple[Pin, Reason], ...]
    """Newer releases than the chosen ones (any, where there is no set), newest first, with the reason."""
    findings: tuple[Finding, ...]
    """What is left to say of the set: what patches settle, what is below the threshold, what may strike."""


def parse_kept(texts: Iterable[str]) -> dict[str, SpecifierSet]:
    """Read what to keep, such as ``trl==0.18.2``. Raises InputError."""
    kept: dict[str, SpecifierSet] = {}
    for text in texts:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            raise InputError(f"--keep {text}", "not a requirement", "one such as trl==0.18.2") from None
        if requirement.name not in ORDER:
            near = did_you_mean(requirement.name, ORDER) or ", ".join(ORDER)
            raise InputError(f"--keep {text}", f"'{requirement.name}' is not chosen here", near)
        kept[requirement.name] = kept.get(requirement.name, SpecifierSet()) & requirement.specifier
    return kept


def resolve(wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> Resolution:
    """Find the newest set. Raises InputError where a package is to be kept in a range that has no release."""
    # With it, for those who resolve only.
    from resolvelib import BaseReporter, ResolutionImpossible, Resolver

    judge = _Judge(wish, catalogue, rules)
    packages = wanted(wish, catalogue)
    judge.check_kept(packages)
    while True:
        resolver: Any = Resolver(_provider(judge, packages), BaseReporter())
        try:
            mapping = resolver.resolve([_Demand(package, None) for package in packages], max_rounds=10_000).mapping
        except ResolutionImpossible:
            return Resolution((), tuple(judge.stuck(packages)), ())
        pins = tuple(mapping[package] for package in packages)
        # What needs three packages to strike is not seen by looking at two; such a set is forbidden, and so on.
        offending = judge.certain(pins)
        if not offending:
            findings = tuple(judge.findings(pins))
            return Resolution(pins, tuple(judge.newer(pins)), findings)
        judge.forbid(pins, offending[0])


def wanted(wish: Wish, catalogue: Catalogue) -> list[str]:
    """The packages that the run needs, of those that the catalogue has."""
    facts = wish.facts
    optional = {
        "vllm": facts.value("plan.use_vllm") is not False,
        "peft": facts.value("plan.peft") is True,
        "deepspeed": bool(facts.value("plan.deepspeed") or facts.value("plan.deepspeed_stage")),
    }
    return [
        package
        for package in ORDER
        if catalogue.releases.get(package) and (optional.get(package, True) or package in wish.kept)
    ]


class _Demand(NamedTuple):
    """A package that goes with `parent` (None: that is needed at all)."""

    package: str
    parent: Pin | None


class _Judge:
    """Says what excludes what, and why; None where nothing does."""

    def __init__(self, wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> None:
        self._wish, self._catalogue, self._rules = wish, catalogue, rules
        self._by_itself: dict[Pin, Reason | None] = {}
        self._together: dict[frozenset[Pin], Reason | None] = {}

    def versions(self, package: str) -> list[Version]:
        """Newest first."""
        return sorted(self._catalogue.releases[package], reverse=True)

    def check_kept(self, packages: Iterable[str]) -> None:
        for package in packages:
            kept = self._wish.kept.get(package)
            if kept is not None and not any(kept.contains(version, True) for version in self.versions(package)):
                newest = self.versions(package)[0]
                raise InputError(f"--keep {package}{kept}", "there is no such release", f"one up to {newest}")

    def by_itself(self, pin: Pin) -> Reason | None:
        """Why a release is out whatever the others are."""
        if pin not in self._by_itself:
            self._by_itself[pin] = self._find_by_itself(pin)
        return self._by_itself[pin]

    def _find_by_itself(self, pin: Pin) -> Reason | None:
        kept = self._wish.kept.get(pin.package)
        if kept is not None and not kept.contains(pin.version, prereleases=True):
            return _same(f"--keep {pin.package}{kept}")
        if kept is None and pin.version in self._catalogue.yanked.get(pin.package, ()):
            return _same("yanked")
        if kept is None and pin.package == "trl" and pin.version < FIRST_WITH_GRPO:
            return _same("has no GRPO")
        python = self._declared(pin, "python")
        if python and self._wish.python not in SpecifierSet(python):
            return Reason("requires another Python", f"requires Python {python}")
        return next((_named(finding) for finding in self.certain([pin])), None)

    def together(self, one: Pin, other: Pin) -> Reason | None:
        """Why two releases do not go together."""
        pair = frozenset((one, other))
        if pair not in self._together:
            self._together[pair] = self._find_together(one, other)
        return self._together[pair]

    def _find_together(self, one: Pin, other: Pin) -> Reason | None:
        for asking, asked in ((one, other), (other, one)):
            said = self._declared(asking, asked.package)
            if said and not SpecifierSet(said).contains(asked.version, prereleases=True):
                kind = f"{asking.package} requires another {asked.package}"
                return Reason(kind, f"{asking} requires {asked.package}{said}")
        return next((_named(finding) for finding in self.certain([one, other])), None)

    def _declared(self, pin: Pin, of: str) -> str:
        return self._catalogue.declares.get(pin.package, {}).get(of, {}).get(pin.version, "")

    def certain(self, pins: Iterable[Pin]) -> list[Finding]:
        """Certain findings that rule out these releases, whatever else is chosen."""
        return [finding for finding in self.findings(pins) if self._rules_out(finding)]

    def _rules_out(self, finding: Finding) -> bool:
        patched = self._wish.allow_patched and any(fix.removes_failure for fix in finding.fixes)
        # What does not fit, or does not divide, is the plan's own: no release mends it, so none is out for it.
        of_the_plan = finding.rule.only_where_known
        counts = finding.certainty == CERTAIN and finding.reaches(self._wish.threshold)
        return counts and not patched and not of_the_plan

    def findings(self, pins: Iterable[Pin]) -> list[Finding]:
        facts = self._wish.facts.copy()
        for pin in pins:
            facts.set(f"packages.{pin.package}", pin.version, "chosen")
            self._set_build(facts, pin)
        return evaluate(self._rules, derive(facts, self._wish.takes_defaults))

    def _set_build(self, facts: Facts, pin: Pin) -> None:
        """What torch's wheel on the package index is built for."""
        if pin.package == "torch":
            cuda, architectures = self._declared(pin, "cuda"), self._declared(pin, "architectures")
            if cuda and architectures and facts.get("torch.cuda") is None:
                facts.set("torch.cuda", Version(cuda), f"the wheel of torch {pin.version}")
                facts.set("torch.architectures", tuple(architectures.split(",")), f"the wheel of torch {pin.version}")

    def forbid(self, pins: Sequence[Pin], finding: Finding) -> None:
        """Never choose the two releases together that count least among those which the finding needs."""
        needed = [pin for pin in pins if finding.rule not in self._struck([other for other in pins if other != pin])]
        one, other = (needed if len(needed) > 1 else list(pins))[-2:]
        self._together[frozenset((one, other))] = _named(finding)

    def _struck(self, pins: Iterable[Pin]) -> list[Rule]:
        return [finding.rule for finding in self.certain(pins)]

    def stuck(self, packages: Sequence[str]) -> Iterator[tuple[Pin, Reason]]:
        """Where there is no set: what is out by itself, and what goes with no release of another package."""
        left = {p: [Pin(p, v) for v in self.versions(p) if not self.by_itself(Pin(p, v))] for p in packages}
        for package in packages:
            for version in self.versions(package):
                pin = Pin(package, version)
                reason = self.by_itself(pin) or self._goes_with_none(pin, left)
                if reason:
                    yield pin, reason

    def _goes_with_none(self, pin: Pin, left: Mapping[str, Sequence[Pin]]) -> Reason | None:
        for package, others in left.items():
            if package != pin.package and others and all(self.together(pin, other) for other in others):
                return self.together(pin, others[0])
        return None

    def newer(self, pins: Sequence[Pin]) -> Iterator[tuple[Pin, Reason]]:
        """Every newer release than the chosen one, with what excludes it."""
        for chosen in pins:
            for version in self.versions(chosen.package):
                if version > chosen.version:
                    pin = Pin(chosen.package, version)
                    others = (self.together(pin, other) for other in pins if other.package != pin.package)
                    reason = self.by_itself(pin) or next(filter(None, others), None)
                    yield pin, reason or _same("no set with it was found")


def _same(text: str) -> Reason:
    return Reason(text, text)


def _named(finding: Finding) -> Reason:
    return _same(f"{finding.rule.id}: {finding.rule.title}")


def _provider(judge: _Judge, packages: Sequence[str]) -> Any:
    """What resolvelib asks while it searches."""
    from resolvelib import AbstractProvider

    class Provider(AbstractProvider):  # type: ignore[type-arg]
        def identify(self, requirement_or_candidate: Pin | _Demand) -> str:
            return requirement_or_candidate.package

        def get_preference(self, identifier: str, *_: Any, **__: Any) -> int:
            return packages.index(identifier)

        def find_matches(
            self,
            identifier: str,
            requirements: Mapping[str, Iterator[_Demand]],
            incompatibilities: Mapping[str, Iterator[Pin]],
        ) -> Callable[[], Iterator[Pin]]:
            demands, out = list(requirements[identifier]), set(incompatibilities[identifier])

            def matches() -> Iterator[Pin]:
                for version in judge.versions(identifier):
                    pin = Pin(identifier, version)
                    fits = pin not in out and not judge.by_itself(pin)
                    if fits and all(self.is_satisfied_by(demand, pin) for demand in demands):
                        yield pin

            return matches

        def is_satisfied_by(self, requirement: _Demand, candidate: Pin) -> bool:
            return requirement.parent is None or not judge.together(requirement.parent, candidate)

        def get_dependencies(self, candidate: Pin) -> list[_Demand]:
            return [_Demand(package, candidate) for package in packages if package != candidate.package]

    return Provider()
