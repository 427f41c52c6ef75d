"""Labels in a column, and text that cannot steer a terminal."""

from __future__ import annotations

import pytest
from click import unstyle

from vcompat.report.parts.layout import field, printable


def test_a_text_is_wrapped_beside_its_label() -> None:
    assert field("because", "one two three four five six", 24) == [
        "because    one two three",
        "           four five six",
    ]


def test_a_label_without_a_text_is_no_line() -> None:
    assert field("because", "", 80) == []
    assert field("because", " \n", 80) == []


def test_a_word_that_is_longer_than_the_width_is_not_broken() -> None:
    assert field("see", "https://example.org/a-long-address/of-one/word", 30) == [
        "see        https://example.org/a-long-address/of-one/word"
    ]


def test_only_the_label_is_colored() -> None:
    (line,) = field("expired", "a suppression", 80, color="red")
    assert line == "\x1b[31mexpired    \x1b[0ma suppression"
    assert unstyle(line) == "expired    a suppression"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, é 模型 █", "plain text, é 模型 █"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m\x7f\x00", "\\x9b31m\\x7f\\x00"),
        ("a\nb\r\n\tc\x0bd\x0ce", "a b   c d e"),
    ],
)
def test_control_characters_are_escaped_and_white_space_is_a_space(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert field("x", text, 200) == [f"x          {shown}"]


def test_a_label_that_fills_its_column_does_not_touch_the_text() -> None:
    assert field("eleven long", "https://example.org", 80)[0] == "eleven long https://example.org"
