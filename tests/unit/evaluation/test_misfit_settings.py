"""Findings about settings that no file states, such as those of ``--set``."""

from __future__ import annotations

from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import Need
from vcompat.facts.facts import Facts
from vcompat.facts.stated import FILE, KEYWORD, OPTION, Setting, Stated
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Fix

RULES = [rule for rule in load_rules() if rule.id == "setting-does-not-exist"]


def stated(trl: str) -> Facts:
    facts = Facts()
    if trl:
        facts.set("packages.trl", Version(trl), "here")
    facts.set("packages.transformers", Version("5.0.0"), "here")
    facts.stated = (Stated(("trl.GRPOConfig",), (Setting("max_prompt_lenght", 5, None, KEYWORD),), None),)
    return facts


def test_a_setting_without_a_position_is_one_of_the_command_line() -> None:
    (finding,) = evaluate(RULES, stated("1.0.0"))
    reason = finding.because[-1]
    assert (reason.fact, reason.source, reason.place) == ("GRPOConfig.max_prompt_lenght", "--set", None)


def test_a_setting_waits_for_the_release_that_is_not_known() -> None:
    (finding,) = evaluate(RULES, stated(""))
    assert [need.fact for need in finding.needs] == ["packages.trl"]
    assert all(isinstance(need, Need) for need in finding.needs)


def test_a_setting_of_a_file_that_no_script_is_known_to_read_waits_for_the_trainer() -> None:
    facts = stated("1.0.0")
    facts.stated = (
        facts.stated[0]._replace(has_others=True, settings=(Setting("max_prompt_length", 5, None, KEYWORD),)),
    )
    (finding,) = evaluate(RULES, facts)
    assert finding.needs == (Need("plan.trainer", "no script or command is given"),)


def test_a_setting_that_was_removed_is_to_be_removed_or_the_release_to_be_older() -> None:
    facts = stated("1.0.0")
    facts.stated = (facts.stated[0]._replace(settings=(Setting("max_prompt_length", 5, None, KEYWORD),)),)
    (finding,) = evaluate(RULES, facts)
    assert finding.fixes == (
        Fix("remove", {"setting": "max_prompt_length", "where": "GRPOConfig"}, ""),
        Fix("version", {"package": "trl", "range": "<=0.27.2"}, ""),
    )


def test_a_setting_that_came_later_needs_a_newer_release() -> None:
    facts = stated("0.17.0")
    facts.stated = (facts.stated[0]._replace(settings=(Setting("vllm_mode", "colocate", None, KEYWORD),)),)
    (finding,) = evaluate(RULES, facts)
    assert finding.fixes == (Fix("version", {"package": "trl", "range": ">=0.18.0"}, ""),)


def test_a_setting_that_is_spelled_wrong_names_the_nearest() -> None:
    (finding,) = evaluate(RULES, stated("0.27.0"))
    assert finding.fixes == (Fix("advice", {"advice": "Check the name: max_prompt_length is similar."}, ""),)


def test_a_rule_about_other_releases_does_not_hide_the_next_one() -> None:
    rules = [rule for rule in load_rules() if rule.id.startswith("setting-in-file-")]
    facts = stated("0.17.0")
    facts.stated = (facts.stated[0]._replace(settings=(Setting("max_prompt_lenght", 5, None, FILE),)),)
    for ordered in (rules, rules[::-1]):
        assert [finding.rule.id for finding in evaluate(ordered, facts)] == ["setting-in-file-is-ignored"]


def test_a_value_that_must_differ_is_stated_as_the_new_value() -> None:
    rules = [rule for rule in load_rules() if rule.id == "setting-value-is-refused"]
    facts = stated("1.0.0")
    facts.stated = (facts.stated[0]._replace(settings=(Setting("num_generations", 1, None, KEYWORD),)),)
    (finding,) = evaluate(rules, facts)
    assert finding.fixes == (Fix("config", {"setting": "num_generations", "value": 2, "where": "GRPOConfig"}, ""),)


def test_general_advice_is_about_the_package_that_lacks_the_setting() -> None:
    facts = Facts()
    facts.set("packages.deepspeed", Version("0.18.2"), "here")
    facts.stated = (Stated(("deepspeed.TensorBoardConfig",), (Setting("zzz", 1, None, OPTION),), None),)
    (finding,) = evaluate(RULES, facts)
    advice = "`vcompat support deepspeed --settings NAME` lists the releases that have a setting."
    assert finding.fixes == (Fix("advice", {"advice": advice}, ""),)
