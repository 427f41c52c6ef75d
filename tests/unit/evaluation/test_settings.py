"""Findings about settings that no file states, such as those of ``--set``."""

from __future__ import annotations

from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import Need
from vcompat.facts.facts import Facts
from vcompat.facts.stated import KEYWORD, Setting, Stated
from vcompat.rules.database import load_rules

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
