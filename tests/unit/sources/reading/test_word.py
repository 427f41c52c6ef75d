"""Words that are known in part: the letters U, O and W stand for a part of a word, one word and any number of words."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.word import Gap, PartlyKnown, Word, concat, has, in_texts, is_only, known_start, with_gap

_GAPS = {"U": Gap.PART, "O": Gap.ONE, "W": Gap.WORDS}


def of(text: str) -> Word:
    return concat(_GAPS.get(char, char) for char in text)


def test_words_and_gaps_in_a_row_are_one_word() -> None:
    assert concat([]) == concat([""]) == ""
    assert concat(["a", "", "b"]) == "ab"
    assert concat([of("aU"), Gap.WORDS, "b", "c", of("Ud")]) == PartlyKnown(
        ("a", Gap.PART, Gap.WORDS, "bc", Gap.PART, "d")
    )
    assert concat([Gap.ONE]) == PartlyKnown((Gap.ONE,))


def test_the_characters_of_a_word_are_words() -> None:
    assert list(of("abUWc")) == ["a", "b", of("U"), of("W"), "c"]
    assert concat(of("abUWc")) == of("abUWc")


@pytest.mark.parametrize(
    ("text", "has_part", "only_part", "start"),
    [("", False, False, ""), ("ab", False, False, "ab"), ("U", True, True, ""), ("UU", True, True, ""),
     ("abUc", True, False, "ab"), ("Wa", False, False, ""), ("UW", True, False, ""), ("O", False, False, "")],
)  # fmt: skip
def test_what_is_known_of_a_word(text: str, has_part: bool, only_part: bool, start: str) -> None:
    given = of(text)
    assert (has(given, Gap.PART), is_only(given, Gap.PART), known_start(given)) == (has_part, only_part, start)


def test_a_gap_becomes_one_of_another_kind() -> None:
    assert with_gap(of("aUWbU"), Gap.WORDS, old=Gap.PART) == of("aWWbW")
    assert with_gap("a", Gap.WORDS, old=Gap.PART) == "a"


def test_a_change_of_the_texts_keeps_the_gaps() -> None:
    assert in_texts(of("aUbcW"), str.upper) == concat(["A", Gap.PART, "BC", Gap.WORDS])
    assert in_texts(of("aUb"), lambda text: of(f"{text}O")) == of("aOUbO")
    assert in_texts("a", str.upper) == "A"


def test_a_text_with_marks_stands_for_the_word_also_if_a_mark_is_in_the_word() -> None:
    given = of("a\ue000U\ue002WbO")
    text, restored = given.marked()
    assert len(text) == len(given) and restored(text) == given
    assert restored(text[:2]) == "a\ue000" and restored(text[2:3]) == of("U")
