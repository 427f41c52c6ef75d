"""Rules that likely facts decide: between those that apply for certain and those that might."""

from __future__ import annotations

import pytest

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.described import nearest
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_text
from vcompat.diagnosis.stated.around import Around
from vcompat.facts.facts import Facts, Likely, Place
from vcompat.facts.presumption import CALL, Presumption
from vcompat.facts.value import FactValue
from vcompat.report.diagnoses.diagnosis_wording import word
from vcompat.rules.rule import Rule

CALLED = Presumption(CALL, "init() does not change args", Place("train.py", 4, 1))
ERROR = 'Traceback (most recent call last):\n  File "/opt/a.py", line 3, in run\n    start()\nValueError: wrong version of x\n'


def rule(name: str, **when: object) -> Rule:
    symptoms = [{"pattern": "wrong version of x"}]
    return make_rule(id=name, symptoms=symptoms, when={f"plan.{fact}": value for fact, value in when.items()})


def diagnose(*rules: Rule, known: dict[str, FactValue] | None = None, **presumed: FactValue) -> Diagnosis:
    facts = Facts()
    for name, value in (known or {}).items():
        facts.set(name, value, "train.py:2")
    for setting, value in presumed.items():
        facts.set_likely(f"plan.{setting}", Likely(value, "train.py:3", Place("train.py", 3), (CALLED,), "may change"))
    return diagnose_text(ERROR, rules, {}, Around(facts))


def told(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [(match.rule.id, match.certainty) for match in diagnosis.matches]


def test_a_likely_match_comes_after_the_certain_and_before_the_possible_ones() -> None:
    rules = (
        rule("a-possible", bf16=True),
        rule("b-likely", peft=True),
        rule("c-certain", beta=1),
        rule("d-not", beta=2),
    )
    found = diagnose(*rules, known={"plan.beta": 1}, peft=True)
    assert told(found) == [
        ("c-certain", "certain"),
        ("b-likely", "likely"),
        ("a-possible", "possible"),
        ("d-not", "contradicted"),
    ]
    assert [match.presumes for match in found.matches] == [(), (CALLED,), (), ()]
    assert [match.label for match in found.matches][1] == "likely: "
    assert "likely" in word(found.matches[1])


def test_a_likely_match_has_the_likely_facts_as_reasons() -> None:
    (match,) = diagnose(rule("both", peft=True, beta=1), known={"plan.beta": 1}, peft=True).matches
    assert [(reason.fact, reason.value) for reason in match.because] == [("plan.peft", "true"), ("plan.beta", "1")]
    assert match.needs == ()


@pytest.mark.parametrize("value", [False, None])
def test_a_likely_fact_that_does_not_fit_leaves_a_rule_possible_since_the_log_shows_it(value: FactValue) -> None:
    found = diagnose(rule("other", peft=True), peft=value)
    assert told(found) == [("other", "possible")]
    assert found.matches[0].presumes == ()


def test_a_rule_that_depends_on_a_circumstance_stays_possible() -> None:
    symptoms = [{"pattern": "wrong version of x"}]
    circumstance = make_rule(when={"plan.peft": True}, symptoms=symptoms, only_if="it sleeps twice")
    assert told(diagnose(circumstance, peft=True)) == [("a-rule", "possible")]


# The nearest rules


SLEEP = make_rule(
    id="sleep-loses-buffers",
    title="Level-2 sleep loses the model's buffers",
    summary="Buffers are lost.",
    symptoms=[{"pattern": "cannot wake up the engine: buffers are missing"}],
)
EXIT = make_rule(id="exit-crash", title="Segmentation fault at exit (Trying to free a pointer)", summary="At exit.")
OTHERS = tuple(
    make_rule(id=f"other-{number}", title=f"Attention is wrong in case {number}", summary="Kernels differ.")
    for number in range(9)
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sleep buffers", [SLEEP.id]),
        ("sleep", [SLEEP.id]),
        ("sleep-loses", [SLEEP.id]),
        ("cannot wake up the engine", [SLEEP.id]),
        ("Trying to free a pointer", [EXIT.id]),
        ("segmentation fault", [EXIT.id]),
        ("exit", [EXIT.id]),
        ("zebra", []),
        ("", []),
    ],
)
def test_words_lead_to_the_rules_that_have_them(words: str, expected: list[str]) -> None:
    assert [one.id for one in nearest(words, (*OTHERS, SLEEP, EXIT))] == expected


def test_at_most_five_rules_are_the_nearest_each_once() -> None:
    found = [one.id for one in nearest("attention", (*OTHERS, SLEEP))]
    assert len(found) == 5 == len(set(found))


@pytest.mark.parametrize(
    ("line", "expected"),
    [("Trying to free a pointer", [EXIT.id]), ("free a", []), ("why does it try to free a pointer", [])],
)
def test_a_part_of_an_error_that_a_person_remembers_leads_to_its_rule(line: str, expected: list[str]) -> None:
    found = diagnose_text(line, (*OTHERS, EXIT))
    assert [match.rule.id for match in found.matches] == expected
    assert all(match.certainty == "possible" for match in found.matches)
