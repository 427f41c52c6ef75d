"""Values of shell variables, whose texts may be known in part.

UNKNOWN is any text, and as the value of a variable perhaps none. ONE is a text that is not empty and has no blanks,
quotes or wildcards, such as a number. UNKNOWN_WORDS is any number of words in an array or in a command's words.
`public` makes words for other modules of such texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from vcompat.sources.reading.word import (
    UNKNOWN,
    UNKNOWN_WORDS,
    Gap,
    Part,
    PartlyKnown,
    Word,
    base_name,
    concat,
    has_words,
    known_start,
    with_gap,
)
from vcompat.sources.reading.word import joined as joined_words

#: A text that is not empty and stays one word.
ONE = PartlyKnown((Gap.ONE,))
#: Maximum length of a value in characters, and of an array in words.
LONGEST_VALUE, MOST_WORDS = 20_000, 2_000

#: None: not set. A text, an indexed array, or an associative array.
Value: TypeAlias = "Word | tuple[Word, ...] | Mapping[str, Word] | None"


def is_filled(text: Word) -> bool | None:
    """Return whether `text` is not empty; None if that is not known. UNKNOWN alone may also stand for a variable that
    is not set."""
    if isinstance(text, str):
        return text != ""
    return any(part not in (Gap.PART, Gap.WORDS) for part in text.parts) or None


def bounded(text: Word) -> Word:
    """Return `text`, or UNKNOWN if it is too long. Adjacent texts that are not known become one."""
    if isinstance(text, str):
        return text if len(text) <= LONGEST_VALUE else UNKNOWN
    if len(text.parts) == 1:
        return text
    if len(text) > LONGEST_VALUE:
        return UNKNOWN
    pairs = pairwise(("", *text.parts))
    return PartlyKnown([part for before, part in pairs if part is not Gap.PART or before is not part])


def public(word: Word) -> Word:
    """Return a word as other modules have it, which do not tell ONE from UNKNOWN."""
    return with_gap(word, Gap.PART, old=Gap.ONE)


def program_of(word: Word) -> str:
    """Return the name of a program without its folder; empty if it is not known."""
    name = base_name(word)
    return name if isinstance(name, str) else ""


def texts_of(words: Sequence[Word]) -> list[str] | None:
    """Return words that are all known; None if one is not."""
    texts = [word for word in words if isinstance(word, str)]
    return texts if len(texts) == len(words) else None


def matchable(text: Word) -> str:
    """Return a text for regular expressions only, with a null character for each gap but ONE, which is \\x01.

    No text of a shell contains a null character.
    """
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else "\1" if part is Gap.ONE else "\0" for part in text.parts)


def same(left: Word, right: Word) -> bool | None:
    """Return whether two texts are equal; None if that is not known."""
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if (left == ONE and not right) or (right == ONE and not left):
        return False
    return None if _may_be(left, right) else False


def _may_be(left: Word, right: Word) -> bool:
    """Return whether the known starts and ends of two texts allow that they are equal."""
    for a, b in ((known_start(left), known_start(right)), (_known_end(left)[::-1], _known_end(right)[::-1])):
        shorter = min(len(a), len(b))
        if a[:shorter] != b[:shorter]:
            return False
    pairs = ((left, right), (right, left))
    return not any(isinstance(known, str) and len(known) < _shortest(other) for known, other in pairs)


def _known_end(text: Word) -> str:
    last = text if isinstance(text, str) else text.parts[-1]
    return last if isinstance(last, str) else ""


def _shortest(text: Word) -> int:
    """Return the minimum length of a text."""
    parts: Sequence[Part] = (text,) if isinstance(text, str) else text.parts
    return sum(len(part) if isinstance(part, str) else part is Gap.ONE for part in parts)


def joined_text(left: Word, right: Word) -> Word:
    """Return a text that stands for both."""
    if left == right:
        return left
    single = all(text == ONE or (isinstance(text, str) and text.isalnum()) for text in (left, right))
    return ONE if single else UNKNOWN


def joined(left: Value, right: Value) -> Value:
    """Return a value that stands for both."""
    if left == right:
        return left
    if isinstance(left, (str, PartlyKnown)) and isinstance(right, (str, PartlyKnown)):
        return joined_text(left, right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return (UNKNOWN_WORDS,)
    return UNKNOWN


def together(words: Sequence[Word]) -> Word:
    """Return words as one text, separated by blanks. No word means no blank."""
    text = joined_words(" ", words)
    if isinstance(text, str) or not has_words(text):
        return bounded(text)
    parts = list(text.parts)
    for index, part in enumerate(text.parts):
        if part is Gap.WORDS:
            parts[index] = Gap.PART
            # A blank beside any number of words is there only if there is a word.
            if index and isinstance(before := parts[index - 1], str):
                parts[index - 1] = before.removesuffix(" ")
            if index + 1 < len(parts) and isinstance(after := parts[index + 1], str):
                parts[index + 1] = after.removeprefix(" ")
    return bounded(concat(parts))


def without_last_lines(output: Word) -> Word:
    """Return an output without the line ends at its end. A part that is not known may be empty, or line ends."""
    if isinstance(output, str):
        return output.rstrip("\n")
    kept = list(output.parts)
    while kept:
        last = kept.pop()
        rest = last.rstrip("\n") if isinstance(last, str) else last
        if rest and rest is not Gap.PART:
            kept.append(rest)
            break
    return concat([*kept, Gap.PART] if Gap.PART in output.parts[len(kept) :] else kept)


def counted(words: Sequence[Word]) -> int | None:
    """Return the number of words; None if it is not known."""
    return None if any(map(has_words, words)) else len(words)
