"""Values that are known in part: the letters U, O and W stand for UNKNOWN, ONE and UNKNOWN_WORDS."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.shell.words import shell_values
from vcompat.sources.reading.shell.words.shell_values import LONGEST_VALUE, Value
from vcompat.sources.reading.word import Gap, Word, concat

_GAPS = {"U": Gap.PART, "O": Gap.ONE, "W": Gap.WORDS}


def of(text: str) -> Word:
    return concat(_GAPS.get(char, char) for char in text)


@pytest.mark.parametrize(
    ("text", "filled"),
    [("", False), ("a", True), ("U", None), ("W", None), ("UW", None), ("O", True), ("Ua", True), ("aW", True), (" ", True)],
)  # fmt: skip
def test_whether_a_text_is_filled(text: str, filled: bool | None) -> None:
    assert shell_values.is_filled(of(text)) is filled


@pytest.mark.parametrize(
    ("text", "result"),
    [("", ""), ("a", "a"), ("U", "U"), ("WW", "WW"), ("UU", "U"), ("UUU", "U"), ("aUUbUUUUc", "aUbUc"), ("UaU", "UaU"), ("OO", "OO"),
     ("x" * LONGEST_VALUE, "x" * LONGEST_VALUE), ("x" * (LONGEST_VALUE + 1), "U")],
)  # fmt: skip
def test_a_value_is_bounded(text: str, result: str) -> None:
    assert shell_values.bounded(of(text)) == of(result)


def test_for_other_modules_every_text_that_is_not_known_is_one_kind() -> None:
    assert shell_values.public(of("aOWUb")) == of("aUWUb")
    assert shell_values.public("a") == "a"


def test_for_regular_expressions_only_the_gap_that_is_not_empty_can_be_told() -> None:
    assert shell_values.matchable(of("aOWUb")) == "a\1\0\0b"
    assert shell_values.matchable("a") == "a"


def test_the_name_of_a_program() -> None:
    assert [shell_values.program_of(of(word)) for word in ("a", "b/a", "U/a", "aU", "a/", "U")] == [
        "a",
        "a",
        "a",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [("a", "a", True), ("a", "b", False), ("", "", True), ("U", "a", None), ("U", "", None), ("O", "", False),
     ("O", "a", None), ("O", "O", None), ("U", "U", None), ("aU", "ab", None), ("aU", "b", False), ("Ua", "ba", None),
     ("Ua", "ab", False), ("aU", "a", None), ("aUb", "a", False), ("aUb", "ab", None), ("abU", "a", False), ("aOb", "ab", False), ("Wab", "b", False),
     ("aO", "a", False), ("aUa", "a", False), ("abUcd", "abd", False), ("abUd", "abcd", None), ("O", "U", None), ("aU", "bU", False), ("aU", "Ub", None), ("aWb", "ac", False)],
)  # fmt: skip
def test_whether_two_texts_are_equal(left: str, right: str, result: bool | None) -> None:
    assert shell_values.same(of(left), of(right)) is result
    assert shell_values.same(of(right), of(left)) is result


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [("a", "a", "a"), ("a", "b", "O"), ("a1", "O", "O"), ("a", "", "U"), ("a", "b c", "U"), ("a", "U", "U"), ("O", "U", "U"), ("a.b", "c", "U"),
     (None, None, None), (None, "a", "U"), (("a",), ("a",), ("a",)), (("a",), ("b",), ("W",)), (("a",), "a", "U"),
     ({"a": "1"}, {"a": "1"}, {"a": "1"}), ({"a": "1"}, {"a": "2"}, "U"), ({"a": "1"}, ("a",), "U"), ("a", ("a",), "U")],
)  # fmt: skip
def test_a_value_that_stands_for_both(left: Value, right: Value, result: Value) -> None:
    expected = (
        of(result) if isinstance(result, str) else tuple(map(of, result)) if isinstance(result, tuple) else result
    )
    one, other = (of(value) if isinstance(value, str) else value for value in (left, right))
    assert shell_values.joined(one, other) == expected
    assert shell_values.joined(other, one) == expected


@pytest.mark.parametrize(
    ("words", "text", "count"),
    [((), "", 0), (("a",), "a", 1), (("a", "b"), "a b", 2), (("a", "W", "b"), "aUb", None), (("W",), "U", None), (("W", "W"), "U", None),
     (("a", "", "b"), "a  b", 3), (("xW", "y"), "xUy", None), (("U", "U"), "U U", 2)],
)  # fmt: skip
def test_words_as_one_text_and_their_number(words: tuple[str, ...], text: str, count: int | None) -> None:
    found = tuple(map(of, words))
    assert (shell_values.together(found), shell_values.counted(found)) == (of(text), count)


@pytest.mark.parametrize(
    ("output", "text"),
    [("a\n", "a"), ("a\n\nb\n\n", "a\n\nb"), ("\n", ""), ("", ""), ("a\nU", "aU"), ("a\nU\n", "aU"), ("U", "U"), ("aUb\n", "aUb"), ("O\n", "O")],
)  # fmt: skip
def test_an_output_loses_the_line_ends_at_its_end(output: str, text: str) -> None:
    assert shell_values.without_last_lines(of(output)) == of(text)
