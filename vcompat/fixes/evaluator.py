"""Evaluates rules for the runs of a plan with chosen releases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate_certain, evaluate_runs
from vcompat.evaluation.finding import Finding
from vcompat.facts.builds.cuda_builds import fits, other_build
from vcompat.facts.builds.driver import FACT as RUNS_ON_DRIVER
from vcompat.facts.derive import DERIVED_FROM, derive
from vcompat.facts.facts import Facts
from vcompat.facts.records.recorded_settings import packages_of_settings
from vcompat.fixes.narrowing import Narrowing
from vcompat.fixes.releases import Catalogue, Pin
from vcompat.rules.rule import Rule
from vcompat.sources.gather import RunFacts

#: The processors for which the wheels of torch are recorded.
_RECORDED = ("x86_64", "amd64", "AMD64")


class _Deciding(NamedTuple):
    """A rule that can rule out releases."""

    rule: Rule
    needs: frozenset[str]
    """The packages whose versions must be known for it to be certain."""
    depends_on: tuple[frozenset[str], ...]
    """The packages whose versions together can change whether it applies: of each configuration class, for one about
    settings; each package that code uses, for one about names."""

    @staticmethod
    def of(rule: Rule, known: Collection[str], settings: Iterable[frozenset[str]], used: Iterable[str]) -> _Deciding:
        needs = {_package(name) for name in rule.needed} - {"", *known}
        return _Deciding(rule, frozenset(needs), _depends_on(rule, settings, used))

    def fits(self, packages: frozenset[str], decisive: Collection[str]) -> bool:
        """Return whether all `decisive` ones of `packages` can together decide about the rule."""
        return self.needs <= packages and any(together.issuperset(decisive) for together in self.depends_on)


def _depends_on(rule: Rule, settings: Iterable[frozenset[str]], used: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return the packages that together decide about a rule.

    `settings` are those of the classes that get settings, `used` those that the code of the runs uses.
    """
    if rule.is_about_names:
        return tuple(frozenset({package}) for package in used)
    if rule.is_about_settings:
        return tuple(frozenset({*map(_package, rule.needed), *packages} - {""}) for packages in settings)
    return (frozenset({*map(_package, rule.when.names()), *DERIVED_FROM} - {""}),)


def _package(fact: str) -> str:
    """Return the package whose version a fact is; empty for another fact."""
    return fact.removeprefix("packages.") if fact.startswith("packages.") else ""


def _packages_of_classes(runs: Sequence[RunFacts]) -> set[frozenset[str]]:
    """Return the packages that define the settings of each class that the runs state."""
    classes = {packages_of_settings([stated]) for run in runs for stated in run.facts.stated}
    if any(run.facts.is_by_hand(name) for run in runs for name in run.facts.known if name.startswith("plan.")):
        # Settings that are set by hand are of no class that is stated.
        classes.add(frozenset().union(*classes))
    return classes


class Evaluator:
    """The findings on sets of releases. They are kept, because a search asks for the same sets again."""

    def __init__(
        self, runs: Sequence[RunFacts], catalogue: Catalogue, rules: Sequence[Rule], forward_compatible: bool = False
    ) -> None:
        """Evaluate `rules` for `runs`.

        With `forward_compatible`, a forward-compatibility package might be installed beside an older driver.
        """
        self._runs, self._rules = runs, rules
        self._declares: Mapping[str, Mapping[Version, str]] = catalogue.declares.get("torch", {})
        self._forward_compatible = forward_compatible
        self._derived: dict[frozenset[Pin], list[Facts]] = {}
        known = {_package(name) for run in runs for name in run.facts.known}
        # A rule that does not apply while no version is known does not apply with any. One about settings can.
        may_apply = (rule for rule in rules if not rule.only_where_known and self._may_apply(rule))
        self._settings = _packages_of_classes(runs)
        self._used = frozenset(used.package for run in runs for used in run.facts.uses)
        self._deciding = [_Deciding.of(rule, known, self._settings, self._used) for rule in may_apply]
        self._narrowing = Narrowing([one.rule for one in self._deciding if not one.rule.has_subjects])
        self._fits: dict[tuple[frozenset[str], frozenset[str]], tuple[int, list[_Deciding]]] = {}
        self._alone: dict[Pin, list[tuple[int, Facts]]] = {}
        self._unfit: dict[tuple[frozenset[Pin], tuple[Rule, ...]], list[list[Finding]]] = {}
        self._certain: dict[frozenset[Pin], list[Finding]] = {}

    def _may_apply(self, rule: Rule) -> bool:
        runs = [facts for _, facts in self.facts(())]
        if rule.is_about_names:
            return any(facts.uses for facts in runs)
        return any(facts.stated if rule.is_about_settings else rule.when.truth(facts) is not False for facts in runs)

    def certain(self, pins: Sequence[Pin]) -> list[Finding]:
        """Return the certain findings on a set, whatever the versions of other packages are.

        Left out are findings on a set without its last release, and on one of two. So are those of rules with
        `only_where_known`: a plan that does not fit into memory or does not divide evenly fails with every release.
        """
        if len(pins) > 2:
            return self._evaluated(pins, {pins[-1].package})
        key = frozenset(pins)
        if key not in self._certain:
            self._certain[key] = self._evaluated(pins, {pin.package for pin in pins})
        return self._certain[key]

    def _evaluated(self, pins: Sequence[Pin], decisive: set[str]) -> list[Finding]:
        """Return the certain findings of the rules that depend on all packages in `decisive`."""
        packages = frozenset(pin.package for pin in pins)
        plain, with_subjects = self._fitting(packages, frozenset(decisive))
        of_subjects = self._subjects_findings(with_subjects, pins)
        each = self.facts(pins) if plain else [("", Facts())] * len(self._runs)
        findings: list[Finding] = []
        for number, (_, facts) in enumerate(each):
            findings += evaluate_certain(self._narrowing.select(self._open(plain, pins, number, facts)), facts)
            findings += of_subjects[number]
        return findings

    def _fitting(self, packages: frozenset[str], decisive: frozenset[str]) -> tuple[int, list[_Deciding]]:
        """Return the rules that all `decisive` ones of `packages` decide about: plain ones, those with subjects."""
        if (packages, decisive) not in self._fits:
            fitting = [one for one in self._deciding if one.fits(packages, decisive)]
            plain = self._narrowing.of(one.rule for one in fitting if not one.rule.has_subjects)
            self._fits[packages, decisive] = plain, [one for one in fitting if one.rule.has_subjects]
        return self._fits[packages, decisive]

    def _open(self, rules: int, pins: Sequence[Pin], number: int, facts: Facts) -> int:
        """Return those of `rules` that no release by itself excludes; `facts` are those of a run with `pins`."""
        for pin in pins if len(pins) > 1 else ():
            if not rules:
                break
            if pin not in self._alone:
                self._alone[pin] = [(self._narrowing.false(before), before) for _, before in self.facts((pin,))]
            false, before = self._alone[pin][number]
            rules &= ~self._narrowing.still_false(false & rules, before, facts)
        return rules

    def _subjects_findings(self, deciding: Sequence[_Deciding], pins: Sequence[Pin]) -> list[list[Finding]]:
        """Return the certain findings about settings and names in each run. Many sets decide them alike."""
        rules = tuple(one.rule for one in deciding)
        decide = frozenset().union(*(together for one in deciding for together in one.depends_on))
        part = frozenset(pin for pin in pins if pin.package in decide)
        if (part, rules) not in self._unfit:
            ordered = [pin for pin in pins if pin in part]
            of_versions = all(_package(name) for rule in rules for name in rule.when.names())
            each = self._underived(ordered) if of_versions else [facts for _, facts in self.facts(ordered)]
            self._unfit[part, rules] = [evaluate_certain(rules, facts) for facts in each]
        return self._unfit[part, rules]

    def _underived(self, pins: Sequence[Pin]) -> list[Facts]:
        """Return the facts of each run with a set of releases, without those that are derived from other facts."""
        each = [run.facts.copy() for run in self._runs]
        for facts in each:
            _select(facts, pins)
        return each

    def deciding(self, rule: Rule, pins: Sequence[Pin]) -> frozenset[Pin]:
        """Return the part of `pins` for which a rule that applies to all of them applies."""
        decide = frozenset().union(*_depends_on(rule, self._settings, self._used))
        part = [pin for pin in pins if pin.package in decide]
        applies = len(part) < len(pins) and any(evaluate_certain([rule], facts) for _, facts in self.facts(part))
        return frozenset(part if applies else pins)

    def of_the_runs(self) -> list[Finding]:
        """Return the certain findings of all rules that apply whatever the releases are."""
        return [finding for _, facts in self.facts(()) for finding in evaluate_certain(self._rules, facts)]

    def findings(self, pins: Collection[Pin]) -> list[Finding]:
        """Return all findings on a set, in all runs."""
        return evaluate_runs(self._rules, self.facts(pins))

    def facts(self, pins: Iterable[Pin]) -> list[tuple[str, Facts]]:
        """Return the facts of each run with a set of releases."""
        pins = tuple(pins)
        basis = frozenset(pin for pin in pins if pin.package in DERIVED_FROM)
        if basis not in self._derived:
            self._derived[basis] = [self._derive(run, basis) for run in self._runs]
        others = [pin for pin in pins if pin not in basis]
        each = [facts.copy() if others else facts for facts in self._derived[basis]]
        for facts in each:
            _select(facts, others)
        return [(run.name, facts) for run, facts in zip(self._runs, each, strict=True)]

    def _derive(self, run: RunFacts, basis: Iterable[Pin]) -> Facts:
        facts = run.facts.copy()
        for pin in basis:
            facts.set(f"packages.{pin.package}", pin.version, "selected")
            if pin.package == "torch":
                self._set_build(facts, pin)
            if pin.package == "vllm":
                _set_vllm_build(facts, pin, run.facts.value("torch.cuda"))
        facts = derive(facts, run.takes_defaults)
        if facts.is_open(RUNS_ON_DRIVER) and not self._forward_compatible:
            facts.set(RUNS_ON_DRIVER, False, facts.why_unknown(RUNS_ON_DRIVER))
        return facts

    def is_built(self, vllm: Pin) -> bool:
        """Return whether a release has a build for the CUDA version of torch that each run states, or might have.

        A user who builds vLLM states its CUDA version, too.
        """
        stated = [
            (run.facts, run.facts.value("torch.cuda")) for run in self._runs if run.facts.get("vllm.cuda") is None
        ]
        return not any(
            isinstance(cuda, Version)
            and fits(vllm.version, cuda, facts) is False
            and other_build(vllm.version, cuda, facts) is None
            for facts, cuda in stated
        )

    def _set_build(self, facts: Facts, torch: Pin) -> None:
        """Record CUDA version and architectures of torch's wheel on the package index, which is for x86_64."""
        cuda, architectures = (self._declares.get(what, {}).get(torch.version) for what in ("cuda", "architectures"))
        if facts.recorded("torch.cuda") is not None or facts.is_open("torch.cuda"):
            return
        if cuda and architectures and facts.value("host.machine", "x86_64") in _RECORDED:
            facts.set("torch.cuda", Version(cuda), f"wheel of {torch}")
            facts.set("torch.architectures", tuple(architectures.split(",")), f"wheel of {torch}")


def _select(facts: Facts, pins: Iterable[Pin]) -> None:
    for pin in pins:
        facts.set(f"packages.{pin.package}", pin.version, "selected")


def _set_vllm_build(facts: Facts, vllm: Pin, torch: object) -> None:
    """Record the CUDA version of the build of vLLM that fits the CUDA version that a run states of torch."""
    cuda = other_build(vllm.version, torch, facts) if isinstance(torch, Version) else None
    if cuda is not None and facts.recorded("vllm.cuda") is None:
        facts.set("vllm.cuda", Version(str(cuda.major)), f"build of {vllm} for CUDA {cuda}")
