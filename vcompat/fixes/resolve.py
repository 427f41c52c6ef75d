"""Finds the newest compatible releases for given hardware and a given plan.

Releases are compatible if their recorded metadata allows each other, and if no rule applies to them with certainty. The
search uses resolvelib, as pip does. This module provides the releases and the reasons why they exclude each other.
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

#: The packages whose versions are selected, in order of priority: a newer release of an earlier package wins.
ORDER = ("trl", "vllm", "transformers", "torch", "accelerate", "peft", "deepspeed")


#: GRPOTrainer's first release, read from TRL's source.
FIRST_WITH_GRPO = Version("0.14.0")


class Catalogue(NamedTuple):
    """The existing releases and the requirements that each declares (see `upstream.record`)."""

    releases: Mapping[str, Sequence[Version]]
    declares: Mapping[str, Mapping[str, Mapping[Version, str]]]
    yanked: Mapping[str, Sequence[Version]]


class Wish(NamedTuple):
    """The hardware, the plan and the constraints of the user."""

    facts: Facts
    """The facts of hardware and plan, without package versions."""
    takes_defaults: bool
    """True if settings that are not set have TRL's defaults."""
    python: Version
    kept: Mapping[str, SpecifierSet]
    """Version ranges that the user requires, by package."""
    threshold: str = "error"
    """The minimum severity of certain findings that rule out a set of releases."""
    allow_patched: bool = False
    """True to accept findings that a patch fixes."""


class Pin(NamedTuple):
    """One release of one package."""

    package: str
    version: Version

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


class Reason(NamedTuple):
    """The reason why a release is ruled out."""

    kind: str
    """The reason without details, to group releases that are ruled out for the same reason."""
    text: str
    """The reason with details."""


class Resolution(NamedTuple):
    """The selected releases, and the reasons why newer ones are ruled out."""

    pins: tuple[Pin, ...]
    """The selected releases in the order of ORDER; empty if there is no compatible set."""
    ruled_out: tuple[tuple[Pin, Reason], ...]
    """The newer releases that are ruled out, newest first. Without a compatible set, all that are ruled out."""
    findings: tuple[Finding, ...]
    """The remaining findings: fixed by patch, below the threshold, or possible."""


def parse_kept(texts: Iterable[str]) -> dict[str, SpecifierSet]:
    """Parse the arguments of ``--keep``, such as ``trl==0.18.2``. Raises InputError."""
    kept: dict[str, SpecifierSet] = {}
    for text in texts:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            raise InputError(f"--keep {text}", "not a requirement", "a requirement such as trl==0.18.2") from None
        if requirement.name not in ORDER:
            near = did_you_mean(requirement.name, ORDER) or ", ".join(ORDER)
            raise InputError(f"--keep {text}", f"'{requirement.name}' is not a package that is resolved", near)
        kept[requirement.name] = kept.get(requirement.name, SpecifierSet()) & requirement.specifier
    return kept


def resolve(wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> Resolution:
    """Find the newest compatible set of releases. Raises InputError if a range of ``--keep`` contains no release."""
    # Imported here because only this command needs it.
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
        # A rule about three packages does not apply to any two of them. Exclude such a set and search again.
        offending = judge.certain(pins)
        if not offending:
            findings = tuple(judge.findings(pins))
            return Resolution(pins, tuple(judge.newer(pins)), findings)
        judge.forbid(pins, offending[0])


def wanted(wish: Wish, catalogue: Catalogue) -> list[str]:
    """Return the packages that the run needs, if `catalogue` contains them."""
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
    """A package that must be compatible with `parent`; None for a package that the run needs."""

    package: str
    parent: Pin | None


class _Judge:
    """Determines which releases exclude each other, and why."""

    def __init__(self, wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> None:
        self._wish, self._catalogue, self._rules = wish, catalogue, rules
        self._by_itself: dict[Pin, Reason | None] = {}
        self._together: dict[frozenset[Pin], Reason | None] = {}

    def versions(self, package: str) -> list[Version]:
        """Return the releases of a package, newest first."""
        return sorted(self._catalogue.releases[package], reverse=True)

    def check_kept(self, packages: Iterable[str]) -> None:
        for package in packages:
            kept = self._wish.kept.get(package)
            if kept is not None and not any(kept.contains(version, True) for version in self.versions(package)):
                newest = self.versions(package)[0]
                raise InputError(f"--keep {package}{kept}", "no such release", f"a version up to {newest}")

    def by_itself(self, pin: Pin) -> Reason | None:
        """Return the reason why a release is ruled out independent of other packages; None if it is not."""
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
            return _same("does not include GRPO")
        python = self._declared(pin, "python")
        if python and self._wish.python not in SpecifierSet(python):
            return Reason("requires another Python version", f"requires Python {python}")
        return next((_named(finding) for finding in self.certain([pin])), None)

    def together(self, one: Pin, other: Pin) -> Reason | None:
        """Return the reason why two releases are incompatible; None if they are not."""
        pair = frozenset((one, other))
        if pair not in self._together:
            self._together[pair] = self._find_together(one, other)
        return self._together[pair]

    def _find_together(self, one: Pin, other: Pin) -> Reason | None:
        for asking, asked in ((one, other), (other, one)):
            said = self._declared(asking, asked.package)
            if said and not SpecifierSet(said).contains(asked.version, prereleases=True):
                kind = f"{asking.package} requires another version of {asked.package}"
                return Reason(kind, f"{asking} requires {asked.package}{said}")
        return next((_named(finding) for finding in self.certain([one, other])), None)

    def _declared(self, pin: Pin, of: str) -> str:
        return self._catalogue.declares.get(pin.package, {}).get(of, {}).get(pin.version, "")

    def certain(self, pins: Iterable[Pin]) -> list[Finding]:
        """Return the certain findings that rule out these releases, independent of other packages."""
        return [finding for finding in self.findings(pins) if self._rules_out(finding)]

    def _rules_out(self, finding: Finding) -> bool:
        patched = self._wish.allow_patched and any(fix.removes_failure for fix in finding.fixes)
        # A plan that does not fit into memory or does not divide evenly fails with every release: none is ruled out.
        of_the_plan = finding.rule.only_where_known
        counts = finding.certainty == CERTAIN and finding.reaches(self._wish.threshold)
        return counts and not patched and not of_the_plan

    def findings(self, pins: Iterable[Pin]) -> list[Finding]:
        facts = self._wish.facts.copy()
        for pin in pins:
            facts.set(f"packages.{pin.package}", pin.version, "selected")
            self._set_build(facts, pin)
        return evaluate(self._rules, derive(facts, self._wish.takes_defaults))

    def _set_build(self, facts: Facts, pin: Pin) -> None:
        """Record the CUDA version and architectures of torch's wheel on the package index."""
        if pin.package == "torch":
            cuda, architectures = self._declared(pin, "cuda"), self._declared(pin, "architectures")
            if cuda and architectures and facts.get("torch.cuda") is None:
                facts.set("torch.cuda", Version(cuda), f"wheel of torch {pin.version}")
                facts.set("torch.architectures", tuple(architectures.split(",")), f"wheel of torch {pin.version}")

    def forbid(self, pins: Sequence[Pin], finding: Finding) -> None:
        """Exclude a pair of releases that the finding needs: those of the two packages with the lowest priority."""
        needed = [pin for pin in pins if finding.rule not in self._applying([other for other in pins if other != pin])]
        one, other = (needed if len(needed) > 1 else list(pins))[-2:]
        self._together[frozenset((one, other))] = _named(finding)

    def _applying(self, pins: Iterable[Pin]) -> list[Rule]:
        return [finding.rule for finding in self.certain(pins)]

    def stuck(self, packages: Sequence[str]) -> Iterator[tuple[Pin, Reason]]:
        """Yield the releases that are ruled out by themselves, or with every release of another package."""
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
        """Yield every release that is newer than the selected one, with the reason why it is ruled out."""
        for chosen in pins:
            for version in self.versions(chosen.package):
                if version > chosen.version:
                    pin = Pin(chosen.package, version)
                    others = (self.together(pin, other) for other in pins if other.package != pin.package)
                    reason = self.by_itself(pin) or next(filter(None, others), None)
                    yield pin, reason or _same("no compatible set contains it")


def _same(text: str) -> Reason:
    return Reason(text, text)


def _named(finding: Finding) -> Reason:
    return _same(f"{finding.rule.id}: {finding.failure}")


def _provider(judge: _Judge, packages: Sequence[str]) -> Any:
    """Return the provider that resolvelib queries during the search."""
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
