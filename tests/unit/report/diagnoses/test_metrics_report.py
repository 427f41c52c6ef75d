"""What each format of a diagnosis shows of metrics, and the plot."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import jsonschema
import pytest
from click import unstyle
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.diagnosis.metrics.recorded import BFLOAT16, find, printed, state
from tests.unit.report.html_pages import parsed
from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_text
from vcompat.diagnosis.metrics.metric_names import MEAN
from vcompat.diagnosis.metrics.series import Series
from vcompat.report.diagnoses import diagnosis_html, diagnosis_json, diagnosis_markdown
from vcompat.report.diagnoses.diagnosis import render
from vcompat.report.diagnoses.metric_plot import plot
from vcompat.report.diagnoses.metrics import NEXT
from vcompat.rules.metric_signatures import SIGNATURES

SCHEMA = json.loads(
    (Path(__file__).parents[4] / "vcompat" / "report" / "diagnoses" / "diagnosis.schema.json").read_text()
)
STALE = state(find(variant="not_synchronized", **BFLOAT16))
GOOD = state(find(**BFLOAT16))
PRINTED = printed(find(variant="garbage_later", **BFLOAT16), True)
RULES = [
    make_rule(id="one", title="One cause", symptoms=[{"signature": "stale-rollouts"}], when={"packages.trl": "<1.10"}),
    make_rule(id="two", title="Two cause", symptoms=[{"signature": "stale-rollouts"}], when={"packages.vllm": "<0.9"}),
]


def diagnose(text: str = STALE, **facts: str) -> Diagnosis:
    return diagnose_text(text, RULES, {f"packages.{name}": value for name, value in facts.items()})


def text(diagnosis: Diagnosis) -> str:
    return " ".join(unstyle(render(diagnosis, 100)).split())


def test_each_signature_has_advice() -> None:
    assert NEXT.keys() == SIGNATURES.keys()


def test_metrics_that_several_rules_explain_are_the_answer_and_the_rules_are_listed() -> None:
    shown = text(diagnose())
    order = [
        "certain vLLM's log-probabilities start",
        "0.451 at step 2",
        "One of these could be",
        "One cause",
        "Two cause",
    ]
    assert sorted(order, key=shown.index) == order
    assert NEXT["stale-rollouts"][:40] in shown


def test_a_rule_that_is_certain_is_the_answer_and_needs_no_other_advice() -> None:
    shown = text(diagnose(trl="1.5.0"))
    assert shown.index("cause: One cause") < shown.index("or: possible: Two cause") < shown.index("certain vLLM's")
    assert NEXT["stale-rollouts"][:40] not in shown


def test_healthy_metrics_are_stated_and_are_no_cause() -> None:
    shown = text(diagnose(GOOD))
    assert "healthy vLLM's log-probabilities are the trainer's, but for noise" in shown
    assert "Nothing known matches" in shown


def test_metrics_of_an_older_release_name_what_would_tell() -> None:
    shown = text(diagnose('{"reward": 1.0, "reward_std": 0.1, "step": 1}'))
    assert "from TRL 0.23.0 on, with use_vllm=True and vllm_importance_sampling_correction=True" in shown


@pytest.mark.parametrize("log", [STALE, GOOD, '{"reward_std": NaN, "loss": -Infinity, "step": 1}', "nothing"])
def test_json_keeps_to_its_schema(log: str) -> None:
    table = json.loads(diagnosis_json.render(diagnose(log)), parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(SCHEMA).validate(table)


DAMAGE = st.tuples(
    st.integers(0, 9000),
    st.integers(0, 500),
    st.sampled_from(["", "NaN", "1e999", '"', "{", "}", "\n", "\0", "step", "eval_"]),
)


@given(st.lists(DAMAGE, max_size=6), st.sampled_from([STALE, PRINTED]))
@settings(deadline=None, max_examples=40)
def test_damaged_metrics_have_an_answer_in_every_format(damage: list[tuple[int, int, str]], log: str) -> None:
    for at, length, instead in damage:
        log = log[:at] + instead + log[at + length :]
    found = diagnose(log)
    jsonschema.Draft202012Validator(SCHEMA).validate(
        json.loads(diagnosis_json.render(found), parse_constant=pytest.fail)
    )
    assert parsed(diagnosis_html.render(found)).text
    assert diagnosis_markdown.render(found)
    assert text(found)


def test_json_has_the_series_and_what_they_show() -> None:
    (run,) = json.loads(diagnosis_json.render(diagnose()))["metrics"]
    (series,) = (each for each in run["series"] if each["name"] == MEAN)
    assert series["values"][:2] == [0.003736, 0.4506]
    assert [(each["id"], each["step"], each["certainty"]) for each in run["signatures"]] == [
        ("stale-rollouts", 2, "certain")
    ]


def test_markdown_begins_with_what_the_metrics_show_unless_a_rule_is_the_answer() -> None:
    assert diagnosis_markdown.render(diagnose()).startswith("## Certain: vLLM's log-probabilities start")
    assert diagnosis_markdown.render(diagnose(trl="1.5.0")).startswith("## Cause: One cause")
    assert "healthy: vLLM's" in diagnosis_markdown.render(diagnose(GOOD))


def test_the_page_has_the_plot_and_the_causes() -> None:
    page = parsed(diagnosis_html.render(diagnose()))
    order = ["the metrics show a failure", "certain", "limit 0.1", "What could be the cause", "One cause"]
    assert sorted(order, key=page.text.index) == order
    assert [attributes["class"] for tag, attributes in page.seen if tag == "svg"] == ["metric"]


def test_a_run_that_counts_entries_says_so() -> None:
    assert "at entry 14" in text(diagnose(printed(find(variant="garbage", **BFLOAT16), True)))


def series(values: list[float], name: str = MEAN) -> Series:
    return Series(name, "step", tuple(range(1, len(values) + 1)), tuple(values), (0,) * len(values))


def points(svg: str) -> list[tuple[float, float]]:
    (line,) = (attributes["points"] for tag, attributes in parsed(svg).seen if tag == "polyline")
    return [(float(x), float(y)) for x, y in (point.split(",") for point in line.split())]


def test_a_plot_goes_from_left_to_right_and_up_with_the_values() -> None:
    drawn = points(plot(series([0.001, 0.01, 0.1, 1.0]), 0.1, 3))
    assert [x for x, _ in drawn] == sorted(x for x, _ in drawn)
    steps = [before - after for (_, before), (_, after) in itertools.pairwise(drawn)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.2)
    assert steps[0] > 0


def test_a_plot_has_the_limit_and_the_step_where_the_run_leaves_it() -> None:
    page = parsed(plot(series([0.001, 0.2, 0.5]), 0.1, 2))
    assert [attributes["class"] for tag, attributes in page.seen if tag == "path"][-2:] == ["limit", "mark"]
    assert "limit 0.1" in page.text


@pytest.mark.parametrize("values", [[], [0.1], [math.nan] * 5])
def test_nothing_is_plotted_without_two_numbers(values: list[float]) -> None:
    assert plot(series(values)) == ""


@pytest.mark.parametrize(
    "values", [[0.0, 0.0], [0.0, 5.0, 1e-40], [-1.0, 2.0], [1e300, 1.0], [0.5, math.inf, 0.7], [3.0, 3.0]]
)
@pytest.mark.parametrize("name", [MEAN, "kl"])
def test_a_plot_stays_within_its_frame_whatever_the_values_are(values: list[float], name: str) -> None:
    for x, y in points(plot(series(values, name), 0.1, 2)):
        assert 64 <= x <= 628
        assert 12 <= y <= 184


def test_of_many_values_the_extremes_are_drawn() -> None:
    values = [0.01] * 20_000
    values[12_345] = 5.0
    drawn = points(plot(series(values)))
    assert len(drawn) <= 1000
    assert min(y for _, y in drawn) < 50


def test_what_a_file_calls_a_run_does_not_become_markup() -> None:
    assert "<b>" not in plot(Series("<b>", "step", (1, 2), (0.1, 0.2), (0, 0)))
