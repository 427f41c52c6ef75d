"""Characters of a text without its quotes."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.shell.words.quoting import double_quoted, unquoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("ab", [("a", False), ("b", False)]),
        (r"\a", [("a", True)]),
        ("a\\", [("a", False), ("\\", False)]),
        ("\\\\\\", [("\\", True), ("\\", False)]),
        ("a\\\nb", [("a", False), ("b", False)]),
        ("\\\n", []),
    ],
)
def test_a_backslash_quotes_the_next_character_and_a_last_one_stays(
    text: str, expected: list[tuple[str, bool]]
) -> None:
    assert unquoted(text) == expected


@pytest.mark.parametrize(("text", "expected"), [(r"\a\$\"", r"\a$" + '"'), ("a\\\nb", "ab"), ("a\\", "a\\")])
def test_in_double_quotes_a_backslash_escapes_few_characters(text: str, expected: str) -> None:
    assert double_quoted(text) == expected
