"""Labels that are prefixes only before the lines of a traceback."""

from __future__ import annotations

import pytest

from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.diagnosis.logs.labels import Labels
from vcompat.diagnosis.logs.prefixes import parse_line

LINES = (
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "    train()",
    "",
    "KeyError: 'a'",
)
LABELS = [
    ("[0] ", "0"),
    ("[Rank 0] ", "Rank 0"),
    ("[node1] ", "node1"),
    ("[stderr] ", ""),
    ("#12 3.456 ", "#12"),
    ("node1: ", "node1"),
    ("gpu01.cluster: ", "gpu01.cluster"),
    ("stderr: ", ""),
    ("rank0: ", "rank0"),
    ("login: ", "login"),
]


@pytest.mark.parametrize(("label", "process"), LABELS)
def test_a_label_before_the_lines_of_a_traceback_is_no_part_of_its_error(label: str, process: str) -> None:
    failure = diagnose_text("".join(f"{label}{line}\n" for line in LINES), []).failure
    assert failure is not None
    assert (failure.cause.error, failure.cause.line.process) == ("KeyError: 'a'", process)


@pytest.mark.parametrize(("label", "process"), LABELS)
def test_a_label_behind_another_prefix_is_found(label: str, process: str) -> None:
    failure = diagnose_text("".join(f"(Worker pid=7) {label}{line}\n" for line in LINES), []).failure
    assert failure is not None
    assert failure.cause.line.process == f"Worker pid=7 {process}".strip()


def test_the_level_of_a_label_is_that_of_its_lines() -> None:
    failure = diagnose_text("".join(f"[WARNING] {line}\n" for line in LINES), []).failure
    assert failure is not None
    assert (failure.cause.line.process, failure.cause.line.level, failure.ends_run) == ("", "WARNING", False)


def test_the_tracebacks_of_two_hosts_line_by_line_are_two_failures() -> None:
    text = "".join(f"{host}: {line}\n" for line in LINES for host in ("node1", "node2"))
    assert [one.failure.cause.line.process for one in diagnose_text(text, []).ended] == ["node1", "node2"]


def test_only_labels_that_were_before_a_frame_are_taken_off() -> None:
    labels = Labels()
    raw = ("node1: x", 'node1:   File "train.py", line 3, in <module>', "node1: x", "node2: x", "node1:")
    texts = [parse_line(1, one, labels=labels).text for one in raw]
    assert texts == ["node1: x", '  File "train.py", line 3, in <module>', "x", "node2: x", ""]


@pytest.mark.parametrize("head", ["Exception: ", "[main] ", "a b: ", "step 3: "])
def test_other_words_before_the_head_of_a_traceback_stay(head: str) -> None:
    raw = f"{head}Traceback (most recent call last):"
    assert parse_line(1, raw, labels=Labels()).text == raw
