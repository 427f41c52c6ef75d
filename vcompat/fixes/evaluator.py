"""Evaluates rules for the runs of a plan with chosen releases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate_certain, evaluate_runs
from vcompat.evaluation.finding import Finding
from vcompat.facts.derive import derive
from vcompat.facts.driver import FACT as RUNS_ON_DRIVER
from vcompat.facts.facts import Facts
from vcompat.fixes.releases import Catalogue, Pin
from vcompat.rules.rule import Rule
from vcompat.sources.gather import RunFacts

#: The processors for which the wheels of torch are recorded.
_RECORDED = ("x86_64", "amd64", "AMD64")
#: The packages from whose versions `derive` derives further facts.
_DERIVED_FROM = {"trl", "vllm", "torch"}


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
        # A rule that does not apply while no version is known does not apply with any.
        self._deciding = [rule for rule in rules if not rule.only_where_known and self._may_apply(rule)]
        self._certain: dict[frozenset[Pin], list[Finding]] = {}

    def _may_apply(self, rule: Rule) -> bool:
        return any(rule.when.truth(facts) is not False for _, facts in self.facts(()))

    def certain(self, pins: Collection[Pin]) -> list[Finding]:
        """Return the certain findings on a set, whatever the versions of other packages are.

        A plan that does not fit into memory or does not divide evenly fails with every release. Such findings, of rules
        with `only_where_known`, are left out.
        """
        key = frozenset(pins)
        if key not in self._certain:
            each = [evaluate_certain(self._deciding, facts) for _, facts in self.facts(pins)]
            self._certain[key] = [finding for found in each for finding in found]
        return self._certain[key]

    def deciding(self, rule: Rule, pins: Collection[Pin]) -> frozenset[Pin]:
        """Return the part of `pins` for which a rule that applies to all of them applies."""
        named = {name.removeprefix("packages.") for name in rule.when.names()} | _DERIVED_FROM
        part = [pin for pin in pins if pin.package in named]
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
        return [(run.name, self._facts(run, pins)) for run in self._runs]

    def _facts(self, run: RunFacts, pins: Iterable[Pin]) -> Facts:
        facts = run.facts.copy()
        for pin in pins:
            facts.set(f"packages.{pin.package}", pin.version, "selected")
            if pin.package == "torch":
                self._set_build(facts, pin)
        facts = derive(facts, run.takes_defaults)
        if RUNS_ON_DRIVER in facts.reasons and not self._forward_compatible:
            facts.set(RUNS_ON_DRIVER, False, facts.why_unknown(RUNS_ON_DRIVER))
        return facts

    def _set_build(self, facts: Facts, torch: Pin) -> None:
        """Record CUDA version and architectures of torch's wheel on the package index, which is for x86_64."""
        cuda, architectures = (self._declares.get(what, {}).get(torch.version) for what in ("cuda", "architectures"))
        if "torch.cuda" in facts.known or "torch.cuda" in facts.reasons:
            return
        if cuda and architectures and facts.value("host.machine", "x86_64") in _RECORDED:
            facts.set("torch.cuda", Version(cuda), f"wheel of {torch}")
            facts.set("torch.architectures", tuple(architectures.split(",")), f"wheel of {torch}")
