"""How strongly what is known of a run selects a rule that might apply, as a number by which such rules are ordered.

If little is known, a hundred rules might apply. A reader looks for the one that is about what they stated. What speaks
for a rule are tests that hold and that are rare: a release out of a short range, a setting that few runs state. What
speaks against it is each further fact that is not stated, most of all a setting that few runs have. Gains are
logarithms of shares, so that they add up: one release out of ten counts as much as one GPU out of ten. The other
numbers are chosen; `bench/stated.py` measures what they yield.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from math import inf, log
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts, Known
from vcompat.facts.records.known_releases import RECORDED, recorded_releases
from vcompat.facts.vocabulary import NUMBER, VOCABULARY
from vcompat.rules.condition import AllOf, AnyOf, Comparison, Condition, FactTest
from vcompat.rules.ranges import InvalidRange, parse_range
from vcompat.rules.rule import Rule

#: What a run states, or nearly every run, so that it tells little.
EVERY_RUN = frozenset(
    {
        *("plan.use_vllm", "plan.vllm_mode", "plan.trainer", "plan.configuration", "plan.model_dtype"),
        *("plan.launcher", "plan.world_size", "plan.peft", "gpu.count"),
    }
)
#: From here on, a rule that is otherwise reported only where more is known counts as selected.
ENOUGH = 1.0
#: Settings that are on unless the run states otherwise.
_ON_BY_DEFAULT = frozenset({"plan.vllm_importance_sampling_correction"})
#: Of what every run states, a value holds for about half; of what few runs state, for one in seven.
_HALF, _FEW = log(2), log(7)
#: What each of several tests that hold counts by itself: that it was stated at all.
_HOLDS = 0.4
#: Not stated: what every run has, what is absent in most runs, what few runs have, what hardly any run has.
_OPEN, _RARE, _HARDLY = 0.3, 1.0, 3.0
_CIRCUMSTANCE = 0.5
#: Nothing that is stated speaks for the rule.
_NOTHING = 1.0
#: The run fails in another way than the rule says.
_FAILS_OTHERWISE = 100.0
#: The packages that every run has, and those that a run states because it uses them, by what their settings begin with.
_MAIN = ("trl", "vllm", "torch", "transformers")
_SETTINGS_OF = {
    "plan.deepspeed": "deepspeed",
    "plan.ds3_": "deepspeed",
    "plan.loaded_in_bits": "bitsandbytes",
    "plan.use_liger_": "liger-kernel",
}
#: The compute capabilities of GPUs that people train on.
_CAPABILITIES = tuple(map(Version, ("7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")))
#: No share is smaller: more than that is not known of what runs have.
_LEAST = 1 / 50


def selected(rule: Rule, facts: Facts) -> float:
    """Return how strongly `facts` select a rule whose condition they leave open."""
    weight = _weight(rule.when, facts)
    against = (_CIRCUMSTANCE if rule.only_if else 0) + (0 if weight.gain else _NOTHING)
    against += _FAILS_OTHERWISE if facts.value("run.fails") not in (None, rule.effect) else 0
    return weight.total - against


class _Weight(NamedTuple):
    """What speaks for a condition, and what speaks against it."""

    gain: float
    price: float

    @property
    def total(self) -> float:
        return self.gain - self.price


def _weight(condition: Condition, facts: Facts, among: bool = False) -> _Weight:
    """Return the weight of a condition. `among` others, a range of releases tells only which of them applies."""
    if isinstance(condition, AllOf):
        parts = [_weight(part, facts, among) for part in condition.parts]
        return _Weight(sum(part.gain for part in parts), sum(part.price for part in parts))
    if isinstance(condition, AnyOf):
        return max((_weight(part, facts, True) for part in condition.parts), key=lambda weight: weight.total)
    truth = condition.truth(facts)
    if truth is False:
        # Only one of several alternatives is false here: else the rule would not be open.
        return _Weight(0, inf)
    if isinstance(condition, FactTest):
        return _weight_of_test(condition, truth, facts, among)
    if isinstance(condition, Comparison):
        stated = any(facts.get(name) is not None for name in condition.names())
        return _Weight(_FEW, 0) if truth else _Weight(_HALF if stated else 0, _HALF)
    if truth:
        return _Weight(0, 0)
    return _Weight(0, _HALF if EVERY_RUN.intersection(condition.names()) else _OPEN)


def _weight_of_test(test: FactTest, truth: bool | None, facts: Facts, among: bool) -> _Weight:
    known = facts.get(test.fact)
    if known is None:
        return _Weight(0, 0 if truth else _price(test, facts))
    # A prerelease at the bound of a range is almost in it.
    gain = _gain(test, known, among)
    return _Weight(gain + (_HOLDS if gain else 0), 0 if truth else _OPEN)


def _gain(test: FactTest, known: Known, among: bool) -> float:
    """Return what a test that holds says for its rule."""
    family, _, name = test.fact.partition(".")
    if known.value is None or known.source.startswith("default of"):
        return 0
    if family == "packages":
        stated = 0 if name in _MAIN else _HALF if name in RECORDED else _FEW
        return stated if among else stated - log(_share_in(name, test.expected))
    if test.fact == "gpu.compute_capability":
        return -log(max(_LEAST, sum(bool(test.matches(one)) for one in _CAPABILITIES) / len(_CAPABILITIES)))
    if test.fact == "vllm.backend" or _is_usual(test):
        return 0
    return _HALF if test.fact in EVERY_RUN or family in ("vllm", "torch") else _FEW


def _price(test: FactTest, facts: Facts) -> float:
    """Return what an open test says against its rule."""
    if test.fact == "vllm.backend":
        return 0 if test.matches("cuda") else _HARDLY
    return _OPEN if _is_usual(test) else _missing(test.fact, facts)


def _missing(name: str, facts: Facts) -> float:
    """Return what it says against a rule that a fact which it needs is not stated."""
    family, _, rest = name.partition(".")
    if family == "packages":
        return _OPEN if rest in RECORDED else _HALF
    if family not in ("plan", "env") or name in EVERY_RUN:
        return _OPEN
    package = next((package for start, package in _SETTINGS_OF.items() if name.startswith(start)), "")
    if package and facts.value(f"packages.{package}") is not None:
        return _OPEN
    # Every run has a number of a kind, and a model: it can be this one.
    is_had = family == "plan" and (VOCABULARY[name].kind == NUMBER or name.startswith("plan.model_"))
    return _HALF if is_had else _RARE


def _is_usual(test: FactTest) -> bool:
    """Return whether the test holds for a run that does not state the setting, or the package."""
    family, _, name = test.fact.partition(".")
    if family == "packages" and name not in RECORDED:
        return bool(test.matches(None))
    if family not in ("plan", "env") or test.fact in EVERY_RUN:
        return False
    absent = test.expected is False or test.expected == 0 or bool(test.matches(None))
    return absent or test.fact in _ON_BY_DEFAULT


def _share_in(package: str, expected: object) -> float:
    """Return which share of the recorded releases of a package is in one or several ranges; 1 if that is not known."""
    ranges = expected if isinstance(expected, list) else [expected]
    if package not in RECORDED or not all(isinstance(text, str) for text in ranges):
        return 1
    return min(1, sum(_share_of_releases(package, text) for text in ranges))


@lru_cache(maxsize=1024)
def _share_of_releases(package: str, text: str) -> float:
    """Return which share of the recorded releases of a package is in a range."""
    releases = recorded_releases(package)
    try:
        parts = parse_range(text).parts
    except InvalidRange:
        return 1
    # Counted between the bounds: a hundred rules ask about a hundred releases.
    first, last = 0, len(releases)
    for part in parts:
        if part.sign in (">=", ">"):
            first = max(first, (bisect_left if part.sign == ">=" else bisect_right)(releases, part.bound))
        elif part.sign in ("<", "<="):
            last = min(last, (bisect_left if part.sign == "<" else bisect_right)(releases, part.bound))
        elif part.sign == "==":
            first, last = bisect_left(releases, part.bound), bisect_right(releases, part.bound)
    return max(_LEAST, (last - first) / len(releases)) if releases else 1
