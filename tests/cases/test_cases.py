"""The findings for failures that users reported or that upstream's code has, and for combinations that work."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli

from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources, gather

FILE = tomli.loads(Path(__file__).with_name("cases.toml").read_text(encoding="utf-8"))
RULES = load_rules()


def name_of(case: dict[str, Any]) -> str:
    """Return the name of a case: its own, or where the failure was reported."""
    return str(case.get("name") or case["url"].split("github.com/")[1])


def findings(facts: dict[str, str]) -> list[Finding]:
    return evaluate(RULES, gather(Sources(settings=facts, probe=False)))


@pytest.mark.parametrize("case", FILE["case"], ids=name_of)
def test_a_reported_failure_gets_its_finding(case: dict[str, Any]) -> None:
    (finding,) = [f for f in findings(case["facts"]) if f.rule.id == case["rule"]]
    assert finding.certainty == case["certainty"]
    assert [need.fact for need in finding.needs if need.fact] == case.get("needs", [])
    assert "url" not in case or case["url"] in finding.rule.references


@pytest.mark.parametrize("case", [case for case in FILE["case"] if "log" in case], ids=name_of)
def test_the_reported_log_matches_a_symptom_of_the_rule(case: dict[str, Any]) -> None:
    assert case["rule"] in matching(case["log"])


@cache
def matching(log: str) -> set[str]:
    """Return the ids of the rules with a symptom that `log` shows."""
    return {match.rule.id for match in diagnose_text(log, RULES).matches}


@pytest.mark.parametrize("case", [case for case in FILE["case"] if "log" in case], ids=name_of)
def test_the_log_matches_no_symptom_of_a_rule_with_another_error(case: dict[str, Any]) -> None:
    same = {rule for group in FILE["same_error"] if case["rule"] in group["rules"] for rule in group["rules"]}
    assert matching(case["log"]) <= {case["rule"], *same}


@pytest.mark.parametrize("case", FILE["log"], ids=lambda case: case["log"].strip()[:60])
def test_a_log_of_the_same_failure_in_other_words_has_one_of_the_rules_first(case: dict[str, Any]) -> None:
    causes = diagnose_text(case["log"], RULES).causes
    assert causes and causes[0].rule.id in case["rules"]


@pytest.mark.parametrize("unrelated", FILE["unrelated"], ids=lambda unrelated: unrelated["name"])
def test_an_error_of_another_cause_matches_no_symptom(unrelated: dict[str, Any]) -> None:
    assert matching(unrelated["log"]) == set()


@pytest.mark.parametrize("healthy", FILE["healthy"], ids=lambda healthy: healthy["name"])
def test_a_working_combination_gets_no_certain_finding_above_a_note(healthy: dict[str, Any]) -> None:
    certain = [f.rule.id for f in findings(healthy["facts"]) if f.certainty == CERTAIN and f.rule.severity != "note"]
    assert certain == []
