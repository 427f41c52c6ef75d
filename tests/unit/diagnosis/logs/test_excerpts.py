"""Which parts of a log are read line by line, and what is kept of them."""

from __future__ import annotations

from itertools import chain

import pytest

from vcompat.diagnosis.logs.excerpts import AROUND, LONGEST, LONGEST_LINE, MOST_HELD, MOST_PROCESSES, Excerpt, Reader
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.re2_engine import compiled_bytes

TRIGGER = "the failure"


class Read:
    """A log that was read: its excerpts, and the lines that were passed on."""

    def __init__(self, *blocks: str) -> None:
        self.passed: list[Line] = []
        self.reader = Reader(compiled_bytes(TRIGGER), self.passed.append)
        self.excerpts: list[Excerpt] = list(self.reader.read(block.encode() for block in blocks))

    def texts(self, merged: bool = False) -> list[list[str]]:
        return [[line.text for line in one.lines] for one in self.excerpts if one.is_merged is merged]

    def numbers(self) -> list[list[int]]:
        return [[line.number for line in one.lines] for one in self.excerpts if not one.is_merged]


def quiet(lines: int, text: str = "step") -> str:
    return "".join(f"{text} {number}\n" for number in range(lines))


def test_an_excerpt_has_the_lines_around_the_trigger() -> None:
    before, after = quiet(100), quiet(100)
    assert Read(f"{before}the failure\n{after}").numbers() == [[*range(101 - AROUND, 101 + AROUND + 1)]]


@pytest.mark.parametrize("size", [10, 100, 1000, 100_000])
def test_an_excerpt_does_not_depend_on_the_blocks(size: int) -> None:
    text = f"{quiet(300)}the failure\n{quiet(300)}"
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    assert Read(*blocks).numbers()[0][-AROUND - 1 :] == [*range(301, 301 + AROUND + 1)]


def test_blocks_without_a_trigger_are_not_read_line_by_line() -> None:
    read = Read(*[quiet(1000)] * 50)
    assert (read.excerpts, read.passed, read.reader.lines) == ([], [], 50_000)


def test_the_lines_before_come_from_the_block_before() -> None:
    assert Read(quiet(1000), f"the failure\n{quiet(10)}").numbers()[0][0] == 1001 - AROUND


def test_an_excerpt_goes_on_as_long_as_its_traceback() -> None:
    frames = '  File "/a.py", line 1, in x\n    x()\n' * 100
    read = Read(f"the failure\nTraceback (most recent call last):\n{frames}RecursionError: too deep\n{quiet(100)}")
    assert read.numbers() == [[*range(1, 204 + AROUND)]]


def test_each_process_has_excerpts_of_its_own() -> None:
    read = Read("[rank0]: a\n[rank1]: x\n[rank0]: the failure\n[rank1]: y\n[rank0]: b\n")
    assert read.texts() == [["a", "the failure", "b"]]


def test_the_lines_of_all_processes_together_are_an_excerpt_too() -> None:
    read = Read("compiler: no\n[rank0]: the failure\n[rank0]: b\n")
    assert read.texts() == [["the failure", "b"]]
    assert read.texts(merged=True) == [["compiler: no", "the failure", "b"]]


def test_an_endless_failure_is_cut_into_excerpts() -> None:
    sizes = [len(each) for each in Read("the failure\n" * (3 * LONGEST)).numbers()]
    assert max(sizes) <= LONGEST + AROUND
    assert sum(sizes) >= 3 * LONGEST


def test_processes_without_number_are_taken_together() -> None:
    read = Read("".join(f"(worker pid={number}) the failure\n" for number in range(2 * MOST_PROCESSES)))
    numbers = set(chain.from_iterable(read.numbers()))
    assert numbers == set(range(1, 2 * MOST_PROCESSES + 1))
    assert len(read.texts()) <= MOST_PROCESSES + 1


def test_what_is_held_for_open_excerpts_is_bounded() -> None:
    line = "x" * (2 * LONGEST_LINE)
    blocks = ["".join(f"(worker pid={number}) the failure {line}\n" for number in range(10)) for _ in range(400)]
    read = Read(*blocks)
    held = [sum(len(each.text) for each in one.lines) for one in read.excerpts]
    assert max(held) <= MOST_HELD
    assert max(len(each.text) for one in read.excerpts for each in one.lines) == LONGEST_LINE
    assert {each.number for one in read.excerpts for each in one.lines} == set(range(1, 4001))
