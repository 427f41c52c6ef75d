"""Bytes as lines: whatever the blocks are, the same lines come out, and none is longer than the limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcompat.diagnosis.logs.bounded_lines import LAST, LONGEST, Cutter, plain, texts, unwrapped


def lines(*blocks: bytes) -> list[tuple[int, str]]:
    cutter = Cutter()
    chunks = [chunk for block in blocks for chunk in cutter.take(block)]
    return [line for chunk in (*chunks, *cutter.end()) for line in texts(chunk)]


@given(st.binary(max_size=200), st.integers(1, 20))
def test_the_lines_do_not_depend_on_the_blocks(data: bytes, size: int) -> None:
    assert lines(*(data[at : at + size] for at in range(0, len(data), size))) == lines(data)


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), min_size=1).filter(lambda kept: kept[-1])
)
def test_each_line_has_its_number_and_its_text(kept: list[str]) -> None:
    assert lines("\n".join(kept).encode()) == list(enumerate(kept, 1))


@pytest.mark.parametrize("blocks", [[b"x" * 10_000] * 100, [b"x" * 1_000_000]])
@pytest.mark.parametrize("after", [b"\nlast\n", b"\rlast", b"\n"])
def test_of_a_line_that_is_too_long_the_beginning_and_the_end_are_kept(blocks: list[bytes], after: bytes) -> None:
    end = "e" * 1000
    found = lines(b"first\n", *blocks, end.encode() + after)
    assert found[:3] == [(1, "first"), (2, "x" * LONGEST), (2, "x" * (LAST - 1000) + end)]
    assert found[3:] == {b"\n": [], b"\nlast\n": [(3, "last")], b"\rlast": [(2, "last")]}[after]


def test_a_long_line_that_one_block_has_whole_is_cut_alike() -> None:
    whole = "x" * 300_000 + "end"
    assert lines(f"{whole}\n".encode()) == [(1, whole[:LONGEST]), (1, whole[-LAST:])]


def test_a_text_behind_hours_of_a_progress_bar_on_the_same_line_is_kept() -> None:
    bar = b"\r 10%|#    | 1/10 [00:01<00:09]" * 20_000
    assert lines(*(bar[at : at + 5000] for at in range(0, len(bar), 5000)), b"\rend of it\nnext\n")[-2:] == [
        (1, "end of it"),
        (2, "next"),
    ]


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert lines(b"caf\xe9 \xff\n") == [(1, "caf\ufffd \ufffd")]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\x1b[0;31mIndexError\x1b[0m: pop", "IndexError: pop"),
        ("cpp:\x1b[m119\x1b[38;5;241;43m.", "cpp:119."),
        ("\x1b]0;title\nError", "\nError"),
        ("can&#x27;t &lt;x&gt; &amp;&amp; &quot;y&quot; &#39;z&#39;", "can't <x> && \"y\" 'z'"),
        ("&amp;quot; &nbsp; a&b;", "&quot; &nbsp; a&b;"),
        ("can\u2019t \u2018x\u2019 \u201cy\u201d", "can't 'x' \"y\""),
        ("5%|\u2588\u258f  | \u2013 \u2026", "5%|\u2588\u258f  | \u2013 \u2026"),
        ('{"log":"\u201cx\u201d &quot;"}', '{"log":"\u201cx\u201d &quot;"}'),
    ],
)
def test_colors_and_what_a_web_page_has_made_of_plain_characters_are_taken_back(raw: str, expected: str) -> None:
    assert plain(raw.encode()).decode() == expected


@given(st.binary(max_size=300))
def test_plain_lines_are_as_many_as_before(data: bytes) -> None:
    assert plain(data).count(b"\n") == data.count(b"\n")


@pytest.mark.parametrize(
    ("columns", "wrapped", "numbers"),
    [
        (80, ["a" + "x" * 79, "end", "next"], (1, 3)),
        (97, ["a" + "x" * 96, "end", "next"], None),
        (97, ["a" + "x" * 96, "b" * 50, "a" + "x" * 96, "a" + "x" * 96, "c", "next"], (1, 3, 6)),
        (80, ["=" * 80, "Traceback"], None),
        (10, ["a" + "x" * 9] * 5 + ["y"], None),
    ],
)
def test_lines_that_were_wrapped_at_a_width_are_joined(
    columns: int, wrapped: list[str], numbers: tuple[int, ...] | None
) -> None:
    found = unwrapped("\n".join(wrapped).encode())
    assert (found.numbers if found else None) == numbers
    assert found is None or found.data.decode().replace("\n", "") == "".join(wrapped)


def test_a_long_log_is_no_pasted_text() -> None:
    assert unwrapped((b"a" + b"x" * 79 + b"\ny\n") * 1000) is None
