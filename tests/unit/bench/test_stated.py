"""The reports of stated.toml: whether the file is sound, and how a place among the findings is named."""

from __future__ import annotations

from bench.stated import ABSENT, DOWN, FIRST, Place, Stated, cases, decides, place_of, reports
from tests.cases.test_cases import RULES
from vcompat.facts.value import parse_stated
from vcompat.facts.vocabulary import spec_of


def test_each_report_has_facts_that_can_be_stated_and_rules_that_exist() -> None:
    known = {rule.id for rule in RULES}
    every = list(reports())
    assert len({report.name for report in every}) == len(every)
    for report in every:
        assert report.name.startswith("https://") and report.rules and set(report.rules) <= known
        for name, text in report.facts.items():
            parse_stated(spec_of(name, report.name), text, report.name)


def test_a_rule_is_placed_by_its_certainty_and_its_number() -> None:
    assert [Place(5, "possible", 9).word, Place(6, "possible", 9).word, Place(0, "", 9).word] == [FIRST, DOWN, ABSENT]
    assert [Place(7, "certain", 9).word, Place(7, "likely", 9).word] == ["certain", "likely"]


def test_a_report_is_placed_by_its_first_right_rule() -> None:
    case = next(case for case in cases() if place_of(case).word == "certain")
    assert place_of(case._replace(rules=("no-such-rule", *case.rules))) == place_of(case)
    assert place_of(case._replace(rules=("no-such-rule",))).word == ABSENT


def test_only_facts_that_not_every_run_has_decide() -> None:
    rule = ("server-data-parallel-refused",)
    assert decides(Stated("", {"packages.trl": "0.17.0"}, rule))
    assert not decides(Stated("", {"plan.use_vllm": "true", "plan.vllm_mode": "server"}, rule))
    assert not decides(Stated("", {"packages.peft": "0.17.0"}, rule))
