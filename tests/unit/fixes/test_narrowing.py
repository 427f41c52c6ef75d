"""Which rules need an evaluation for a set of releases: those that a release by itself does not exclude."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue
from vcompat.fixes.narrowing import Narrowing

RULE = make_rule(when={"packages.vllm": "<0.9.0", "plan.use_vllm": True})


def facts(*closed: str, **values: FactValue) -> Facts:
    found = Facts(closed=closed)
    for name, value in values.items():
        found.set(name.replace("__", "."), value, "test")
    return found


def still_false(before: Facts, after: Facts) -> bool:
    narrowing = Narrowing([RULE])
    assert narrowing.false(before) == narrowing.of([RULE])
    return list(narrowing.select(narrowing.still_false(narrowing.false(before), before, after))) == [RULE]


def test_a_rule_stays_excluded_when_unknown_facts_become_known() -> None:
    before, after = facts(plan__use_vllm=False), facts(plan__use_vllm=False, packages__vllm=Version("0.8.5"))
    assert still_false(before, after)


@pytest.mark.parametrize("after", [facts(plan__use_vllm=True), facts(), facts(plan__use_vllm=None)])
def test_a_rule_with_a_fact_that_changed_is_evaluated_again(after: Facts) -> None:
    assert not still_false(facts(plan__use_vllm=False), after)


def test_a_package_that_was_known_to_be_absent_changes_when_it_is_chosen() -> None:
    assert not still_false(facts("packages"), facts("packages", packages__vllm=Version("0.8.5")))


def test_a_rule_that_is_open_is_not_excluded() -> None:
    narrowing = Narrowing([RULE])
    assert narrowing.false(facts(plan__use_vllm=True)) == 0


def test_rules_are_selected_in_their_order() -> None:
    rules = [make_rule(id=f"rule-{number}") for number in range(70)]
    narrowing = Narrowing(rules)
    assert list(narrowing.select(narrowing.of(reversed(rules[3::2])))) == rules[3::2]
