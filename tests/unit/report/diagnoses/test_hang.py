"""Why a run hangs, in each format: before the rules, within 80 columns, and as data that keeps to its schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click import unstyle

from tests.unit.diagnosis.test_waiting import idle, timeout
from tests.unit.report.html_pages import parsed
from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_paths, diagnose_text
from vcompat.report.diagnoses import diagnosis as diagnosis_text
from vcompat.report.diagnoses import diagnosis_html, diagnosis_json, diagnosis_markdown
from vcompat.report.diagnoses.hang import because, title

ROOT = Path(__file__).parents[4]
SCHEMA = json.loads((ROOT / "vcompat" / "report" / "diagnoses" / "diagnosis.schema.json").read_text())
HANGS = sorted((ROOT / "tests" / "cases" / "hangs").iterdir())
RULES = [
    make_rule(id="known", title="A known hang", effect="hang", symptoms=[{"pattern": "SeqNum=7, OpType=ALLREDUCE"}])
]


def diagnose(*lines: str) -> Diagnosis:
    return diagnose_text("\n".join(lines), RULES)


LATE = diagnose("[rank2]: computing <rewards> \x07", *timeout("2.7", 0), *timeout("2.7", 1), *idle(2, 6))


def texts(found: Diagnosis) -> list[str]:
    """The formats for people."""
    return [
        unstyle(diagnosis_text.render(found, 80)),
        diagnosis_markdown.render(found),
        parsed(diagnosis_html.render(found)).text,
    ]


def test_each_format_has_the_hang_before_the_rule() -> None:
    for text in (each.replace("&#8203;", "") for each in texts(LATE)):
        hang, rule = text.index("rank 2 does not arrive where ranks 0 and 1 wait"), text.index("A known hang")
        assert hang < rule
        assert "ALLREDUCE #7" in text and "up to #6" in text and "step (/opt/project/train.py:40)" in text


def test_the_last_line_of_the_late_rank_is_shown_and_is_no_markup() -> None:
    for text in texts(LATE):
        assert "rewards" in text and "\x07" not in text
    assert "<rewards>" not in diagnosis_html.render(LATE)
    assert "<rewards>" not in diagnosis_markdown.render(LATE)


@pytest.mark.parametrize("folder", HANGS, ids=lambda folder: folder.name)
def test_the_text_keeps_to_80_columns_but_for_words_that_are_longer(folder: Path) -> None:
    text = unstyle(diagnosis_text.render(diagnose_paths([str(folder)], RULES), 80))
    (hang,) = [block for block in text.split("\n\n") if "hang: " in block]
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in hang.splitlines())


@pytest.mark.parametrize("folder", HANGS, ids=lambda folder: folder.name)
def test_the_json_keeps_to_its_schema(folder: Path) -> None:
    table = json.loads(diagnosis_json.render(diagnose_paths([str(folder)], RULES)))
    jsonschema.validate(table, SCHEMA)
    (odd,) = table["hang"]["odd"]
    assert odd["rank"] == 1 and odd["evidence"]["line"] >= 1


def test_without_a_hang_the_json_has_null() -> None:
    table = json.loads(diagnosis_json.render(diagnose("step 1")))
    jsonschema.validate(table, SCHEMA)
    assert table["hang"] is None


def test_many_ranks_are_named_as_ranges() -> None:
    found = diagnose(*(line for rank in (0, 1, 2, 4, 6, 7) for line in timeout("2.7", rank)), *idle(3, 6), *idle(5, 6))
    assert found.hang is not None
    assert title(found.hang) == "ranks 3 and 5 do not arrive where ranks 0-2, 4, 6 and 7 wait"


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ([*timeout("2.7", 0), *timeout("2.7", 1)], "all 2 ranks wait in the same collective, and none has failed"),
        ([*timeout("2.7", 1)], "rank 1 waits, and the logs do not show what for"),
        (
            [*timeout("2.7", 0), *timeout("2.7", 1, operation="BROADCAST"), *timeout("2.7", 2)],
            "ranks wait in different collectives: rank 1, unlike ranks 0 and 2",
        ),
        (
            ["[rank0]: torch.distributed.DistStoreError: Socket Timeout"],
            "rank 0 waits for processes that do not connect",
        ),
        (
            [*timeout("2.3", 0), "failed (exitcode: -11) local_rank: 1 (pid: 3) of binary: python"],
            "rank 1 ended, and rank 0 waits for it",
        ),
    ],
)
def test_the_answer_is_a_sentence_in_each_format(lines: list[str], shown: str) -> None:
    found = diagnose(*lines)
    assert found.hang is not None and title(found.hang) == shown
    assert all(shown in " ".join(text.split()) for text in texts(found))


def test_an_answer_that_is_not_certain_says_what_is_missing() -> None:
    found = diagnose("[rank1]: computing rewards", *timeout("2.7", 0))
    assert found.hang is not None
    assert (found.hang.certainty, because(found.hang)) == (
        "likely",
        "its log shows no wait, and those of the other ranks do",
    )
    assert "py-spy dump" in diagnosis_text.render(found, 80)
