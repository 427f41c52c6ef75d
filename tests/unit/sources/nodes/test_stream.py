from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.fleet_reports import report
from vcompat.sources.nodes.stream import DOCUMENT_LIMIT, REJECTED_LIMIT, documents
from vcompat.sources.probe.probe_report import one_line

ONE, TWO = {"a": 1, "t": "x\ny: {"}, {"b": [1, {"c": None}]}


def _values(text: str, size: int = 10**9) -> list[Any]:
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    return [document.value if not document.reason else document.reason for document in documents(blocks)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("size", [1, 2, 7, 10**9])
def test_concatenated_documents_are_separated_wherever_blocks_end(indent: int | None, size: int) -> None:
    text = "".join(json.dumps(value, indent=indent) + "\n" for value in (ONE, TWO, ONE))
    assert _values(text, size) == [ONE, TWO, ONE]


def test_lines_between_documents_are_skipped() -> None:
    assert _values(f"Loading modules\n{json.dumps(ONE)}\nslurmstepd: info: {{\n{json.dumps(TWO)}\nbye\n") == [ONE, TWO]


def test_documents_need_no_line_end_between_them() -> None:
    assert _values(json.dumps(ONE) + json.dumps(TWO)) == [ONE, TWO]


def test_a_malformed_document_does_not_take_the_next_one_with_it() -> None:
    text = f'{json.dumps(ONE)}\n{{"a": 1, oops}}\n{json.dumps(TWO)}\n'
    found = _values(text)
    assert (found[0], found[2]) == (ONE, TWO)
    assert found[1].startswith("not valid JSON")


def test_a_document_that_ends_in_the_middle_is_rejected() -> None:
    found = _values(json.dumps(ONE) + "\n" + json.dumps(TWO)[:-3])
    assert found[0] == ONE
    assert found[1].startswith("not valid JSON")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ('{"a": -Infinity}', "-Infinity is not a number of JSON"),
        ('{"a": ' + "9" * 5000 + "}", "not valid JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a": "' + "x" * (DOCUMENT_LIMIT + 1) + '"}', "larger than 1 MB"),
        ('{"a": "' + "x" * (3 * DOCUMENT_LIMIT), "not valid JSON"),
        ('{"a": "\ufffd"}', "not UTF-8"),
    ],
)
def test_what_is_hostile_is_rejected_and_the_next_document_is_read(text: str, reason: str) -> None:
    found = _values(f"{text}\n{json.dumps(ONE)}\n", 2_000_000)
    assert reason in found[0]
    assert found[-1] == ONE


def test_a_stream_without_end_of_malformed_documents_is_given_up() -> None:
    found = _values("{oops}\n" * (REJECTED_LIMIT * 3))
    assert len(found) == REJECTED_LIMIT + 1
    assert "the rest is not looked at" in found[-1]


def _srun(outputs: dict[int, str], size: int) -> str:
    """What `srun --label` prints if it passes on `size` characters of each task in turn."""
    width = len(str(max(outputs)))
    pieces, at = "", 0
    while any(at < len(text) for text in outputs.values()):
        for task, text in outputs.items():
            piece = text[at : at + size]
            for line in piece.splitlines(keepends=True):
                pieces += f"{task:{width}d}: {line}" + ("" if line.endswith("\n") else "\n")
        at += size
    return pieces


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 12), st.integers(5, 10**6))
def test_labels_of_srun_put_mixed_documents_together_again(size: int, tasks: int, block: int) -> None:
    outputs = {task: json.dumps({"task": task, "text": "x" * task, "n": [1, 2]}) + "\n" for task in range(tasks)}
    found = _values(_srun(outputs, size), block)
    assert found == [json.loads(text) for text in outputs.values()]


def test_without_labels_mixed_documents_are_rejected_and_not_confused() -> None:
    one, two = json.dumps({"task": 1, "text": "a" * 50}), json.dumps({"task": 2, "text": "b" * 50})
    mixed = one[:20] + two[:20] + one[20:] + "\n" + two[20:] + "\n"
    assert all(isinstance(found, str) for found in _values(mixed))


def test_no_documents_in_nothing() -> None:
    assert _values("") == []
    assert _values("\n \n") == []


def test_parts_of_similar_reports_that_fit_together_are_rejected() -> None:
    one, two = (one_line(report(f"node{number}", number, packages__trl=f"1.1{number}.0")) for number in (1, 2))
    assert len(one) == len(two)
    assert _values(one + two) == [json.loads(one), json.loads(two)]
    for at in range(0, len(one), 1024):
        mixed = one[:at] + two[at:]
        json.loads(mixed)
        expected = json.loads(mixed) if mixed in (one, two) else "does not match its checksum"
        (found,) = _values(mixed)
        assert found == expected or found.startswith(expected)


def test_a_document_without_a_checksum_is_not_verified() -> None:
    value = {"a": ',"crc":"00000000"}'}
    assert _values(json.dumps(value)) == [value]
    assert _values('{"a":1,"crc":"0000000"}') == [{"a": 1, "crc": "0000000"}]
