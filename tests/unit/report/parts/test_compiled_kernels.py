"""What `--compile` compiled, in the reports of a check."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.unit.report.outcomes import outcome_of
from vcompat.evaluation.compiled import COMPILES, FAILS, OPEN, Attempted, Compiled, combined
from vcompat.evaluation.finding import Need
from vcompat.evaluation.judgement import Judgement
from vcompat.evaluation.outcome import Outcome
from vcompat.report.parts.compiled_kernels import summary
from vcompat.report.parts.formats import FORMATS, renderer

SCHEMA = Path(__file__).parents[4] / "vcompat" / "report" / "checks" / "report.schema.json"
ABORT = "the compiler aborts: no layout | <of> `it`"


def attempt(
    call: str, outcome: str, message: str = "", size: str = "heads of 64", needs: tuple[Need, ...] = ()
) -> Attempted:
    return Attempted(call, "7.5", "float16", size, outcome, message, "", ("",), (), needs)


def compiled(*attempts: Attempted) -> Compiled:
    return Compiled("0.9.2", "3.3.0", ("7.5", "8.0"), attempts, 12.34)


BEGIN = "Compiled for 7.5, 8.0 with vLLM 0.9.2, Triton 3.3.0: "


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        ([attempt("a", COMPILES), attempt("a", COMPILES, size="heads of 128")], "a compiles."),
        ([attempt("a", COMPILES), attempt("b", COMPILES)], "a, b compile."),
        ([attempt("a", COMPILES), attempt("a", FAILS, "why"), attempt("b", COMPILES)], "a fails; b compiles."),
        ([attempt("a", FAILS, "why"), attempt("b", FAILS, "why")], "a, b fail."),
        ([attempt("a", FAILS, "why"), attempt("a", OPEN, "late")], "a fails."),
        (
            [attempt("a", COMPILES), attempt("a", OPEN, "late"), attempt("b", OPEN, "late")],
            "not compiled: a, b (late).",
        ),
        ([], "the run reaches no kernel that is known here."),
    ],
)
def test_the_outcomes_in_a_sentence(attempts: list[Attempted], expected: str) -> None:
    assert summary(compiled(*attempts)) == BEGIN + expected


def test_gpus_for_which_nothing_was_compiled_are_named() -> None:
    found = compiled(attempt("a", COMPILES))._replace(left_out=("6.1",))
    assert summary(found) == f"{BEGIN}a compiles; nothing was compiled for 6.1."


@pytest.fixture
def outcome() -> Outcome:
    """A check in which one kernel fails for certain, one perhaps, one compiles and one was not compiled."""
    plain = outcome_of("train it.py")
    found = compiled(
        attempt("prefix-prefill", FAILS, ABORT),
        attempt("experts", FAILS, "f16 to f16", needs=(Need("plan.model_is_moe", ""),)),
        attempt("unified-prefill", COMPILES),
        attempt("adapter-shrink", OPEN, "no time was left"),
    )
    findings = combined(plain.judgement.findings, found, plain.rules, ("",))
    return plain._replace(judgement=Judgement(tuple(findings)), compiled=found)


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_a_person_reads_the_outcomes_in_one_line(outcome: Outcome, name: str) -> None:
    text = renderer(name)(outcome._replace(width=200))
    assert (
        f"{BEGIN}prefix-prefill, experts fail; unified-prefill compiles; not compiled: adapter-shrink (no time was left)."
        in text
    )
    assert BEGIN not in renderer(name)(outcome._replace(compiled=None))


@pytest.mark.parametrize("name", FORMATS)
def test_the_failure_is_a_finding_in_every_format(outcome: Outcome, name: str) -> None:
    text = renderer(name)(outcome._replace(everything=True))
    assert "prefix-prefill fails for compute capability 7.5: the compiler aborts: no layout" in text
    assert "kernel-does-not-compile" in text
    assert outcome.fails


def test_programs_read_each_outcome(outcome: Outcome) -> None:
    table = json.loads(renderer("json")(outcome))
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(table)
    assert table["compiled"]["seconds"] == 12.3
    assert [(one["call"], one["outcome"], one["reached"]) for one in table["compiled"]["attempts"]] == [
        ("prefix-prefill", "fails", True),
        ("experts", "fails", False),
        ("unified-prefill", "compiles", True),
        ("adapter-shrink", "not compiled", True),
    ]
    findings = {one["title"]: one["certainty"] for one in table["findings"] if one["rule"] == "kernel-does-not-compile"}
    assert list(findings.values()) == ["certain", "possible"]


def test_two_kernels_are_two_results_for_code_scanning(outcome: Outcome) -> None:
    certain = outcome.compiled._replace(  # type: ignore[union-attr]
        attempts=tuple(one._replace(needs=()) for one in outcome.compiled.attempts)  # type: ignore[union-attr]
    )
    findings = combined((), certain, outcome.rules, ("",))
    log = json.loads(renderer("sarif")(outcome._replace(judgement=Judgement(tuple(findings)))))
    identities = [one["partialFingerprints"]["vcompat/v1"] for one in log["runs"][0]["results"]]
    assert len(set(identities)) == len(identities) == 2
