"""Which of the rules that might apply comes first: the one that what is known selects."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.evaluate import evaluate, not_judged
from vcompat.evaluation.selection import ENOUGH, selected
from vcompat.facts.facts import Facts, Place
from vcompat.sources.gather import Sources, gather


def stated(**settings: str) -> Facts:
    """Return the facts that a user states; `plan__peft` stands for plan.peft."""
    names = {name.replace("__", "."): text for name, text in settings.items()}
    return gather(Sources(settings=names, probe=False))


def points(facts: Facts, **when: Any) -> float:
    return selected(make_rule(when={name.replace("__", "."): value for name, value in when.items()}), facts)


def test_a_release_out_of_a_short_range_counts_more_than_one_out_of_a_long_range() -> None:
    facts = stated(packages__trl="0.15.1")
    short = points(facts, packages__trl=">=0.15.0,<0.16.0", plan__use_vllm=True)
    assert short > points(facts, packages__trl=">=0.14.0", plan__use_vllm=True) + 1


def test_a_setting_that_few_runs_state_counts_more_than_one_of_every_run() -> None:
    facts = stated(plan__use_vllm="true", plan__modules_to_save="lm_head")
    rare = points(facts, packages__trl=">=1", plan__modules_to_save={"set": True})
    assert rare > points(facts, packages__trl=">=1", plan__use_vllm=True) > 0


def test_a_default_says_nothing_for_its_rule_but_the_same_value_by_hand_does() -> None:
    facts = Facts()
    facts.set("plan.enable_prefix_caching", True, "default of TRL 0.16.0")
    by_default = points(facts, plan__enable_prefix_caching=True, plan__use_vllm=True)
    facts.set("plan.enable_prefix_caching", True, "--set")
    assert points(facts, plan__enable_prefix_caching=True, plan__use_vllm=True) > by_default + 1


def test_each_thing_that_is_not_stated_counts_against_a_rule_and_a_rare_setting_most() -> None:
    facts = stated(packages__vllm="0.8.4")
    when: dict[str, Any] = {"packages__vllm": "<0.8.5"}
    release = points(facts, **when, packages__trl="<1")
    assert release > points(facts, **when, packages__trl="<1", packages__peft="<1")
    assert release > points(facts, **when, plan__max_model_len=1) > points(facts, **when, plan__enable_sleep_mode=True)


def test_of_alternatives_the_best_counts_and_the_releases_among_them_do_not() -> None:
    facts = stated(packages__vllm="0.8.4", plan__top_p="0.9")
    either = [{"plan.top_k": ">0"}, {"plan.top_p": "<1"}, {"plan.top_p": ">=1"}]
    best = points(facts, plan__use_vllm=True, any=either)
    assert best == points(facts, plan__use_vllm=True, plan__top_p="<1")
    pairs = [{"packages.vllm": "==0.8.4", "packages.torch": "<2"}, {"packages.vllm": "<0.8", "packages.torch": "<1"}]
    assert points(facts, any=pairs) <= points(facts, packages__vllm=">=0.1", packages__torch="<2")


def test_a_rule_of_another_backend_than_cuda_comes_after_one_of_cuda() -> None:
    facts = stated(gpu__compute_capability="9.0")
    when: dict[str, Any] = {"gpu__compute_capability": ">=9.0", "packages__trl": "<1"}
    assert points(facts, **when, vllm__backend="cpu") < points(facts, **when, vllm__backend="cuda") - 2


def test_a_setting_of_a_package_that_is_stated_is_no_rare_one() -> None:
    when: dict[str, Any] = {"plan__deepspeed_stage": 3, "plan__fsdp": {"set": True}, "packages__trl": "<1"}
    both = stated(packages__trl="0.16.0"), stated(packages__trl="0.16.0", packages__deepspeed="0.16.4")
    without, with_package = (points(facts, **when) for facts in both)
    assert with_package > without


def test_a_rule_for_which_nothing_speaks_comes_last() -> None:
    facts = stated(packages__vllm="0.8.4")
    nothing = points(facts, packages__torch={"set": True})
    assert nothing < points(facts, packages__vllm="<0.9", plan__enable_sleep_mode=True, packages__trl="<1")


@pytest.mark.parametrize(("settings", "shown"), [({}, False), ({"packages__trl": "0.15.1"}, True)])
def test_a_rule_that_asks_for_more_is_possible_if_what_is_stated_selects_it(
    settings: dict[str, str], shown: bool
) -> None:
    when = {"packages.trl": ">=0.15.0,<0.16.0", "plan.longest_prompt": ">9"}
    rule = make_rule(when=when, only_where_known=True)
    facts = stated(**settings, plan__use_vllm="true")
    assert (selected(rule, facts) >= ENOUGH) is shown
    assert [finding.certainty for finding in evaluate([rule], facts)] == ["possible"] * shown
    assert bool(not_judged([rule], facts)) is not shown


def test_where_run_files_were_read_such_a_rule_stays_out() -> None:
    when = {"packages.trl": ">=0.15.0,<0.16.0", "plan.longest_prompt": ">9"}
    rule = make_rule(when=when, only_where_known=True)
    facts = stated(packages__trl="0.15.1")
    facts.set("plan.use_vllm", True, "train.py:3:1", Place("train.py", 3, 1))
    assert evaluate([rule], facts) == []
    assert list(not_judged([rule], facts)) == [rule.id]


def test_on_a_machine_of_which_nothing_is_stated_by_hand_such_a_rule_stays_out() -> None:
    when = {"packages.trl": ">=0.15.0,<0.16.0", "plan.longest_prompt": ">9"}
    rule = make_rule(when=when, only_where_known=True)
    facts = Facts()
    facts.set("packages.trl", Version("0.15.1"), "package metadata")
    assert evaluate([rule], facts) == []


def test_who_says_how_the_run_fails_gets_the_rules_of_other_failures_last() -> None:
    when = {"packages.trl": ">=0.15.0,<0.16.0", "plan.peft": True}
    near, far = (make_rule(id=name, effect=effect, when=when) for name, effect in (("near", "crash"), ("far", "hang")))
    closer = make_rule(id="closer", effect="hang", when={"packages.trl": "==0.15.1", "plan.peft": True})
    rules = [near, far, closer]
    assert evaluate(rules, stated(packages__trl="0.15.1"))[0].rule.id == "closer"
    found = evaluate(rules, stated(packages__trl="0.15.1", run__fails="crash"))
    assert [finding.rule.id for finding in found] == ["near", "closer", "far"]


def test_a_certain_finding_is_no_less_certain_for_how_the_run_fails() -> None:
    rule = make_rule(effect="hang", when={"packages.trl": ">=0.15.0,<0.16.0"})
    facts = stated(packages__trl="0.15.1", run__fails="crash")
    assert [finding.certainty for finding in evaluate([rule], facts)] == ["certain"]
