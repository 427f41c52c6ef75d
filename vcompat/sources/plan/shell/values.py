"""Values of shell variables that may be known in part.

Only inside of the shell reader, a text can contain placeholders: UNKNOWN stands for any text, ONE for a text that is
not empty and has no blanks, quotes or wildcards, such as a number. UNKNOWN_WORDS stands for any number of words in an
array or in a command's words. `encoded` makes such texts of what comes from other modules, and `decoded` words of what
they get.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from vcompat.sources.plan.word import Gap, PartlyKnown, Word, concat

#: In a shell value: a text that is not known, any number of words, and a text that is not empty and stays one word.
UNKNOWN, UNKNOWN_WORDS, ONE = "\ue000", "\ue001", "\ue002"
_CODES = {Gap.PART: UNKNOWN, Gap.WORDS: UNKNOWN_WORDS}
_PART, _WORDS = PartlyKnown((Gap.PART,)), PartlyKnown((Gap.WORDS,))
_GAPS = {UNKNOWN: _PART, ONE: _PART, UNKNOWN_WORDS: _WORDS}
_PLACEHOLDER = re.compile(f"([{UNKNOWN}{ONE}{UNKNOWN_WORDS}])")
#: Maximum length of a value in characters, and of an array in words.
LONGEST_VALUE, MOST_WORDS = 20_000, 2_000

#: None: not set. A text, an indexed array, or an associative array.
Value: TypeAlias = "str | tuple[str, ...] | Mapping[str, str] | None"


def is_known(text: str) -> bool:
    """Return whether `text` has no placeholder."""
    return UNKNOWN not in text and ONE not in text and UNKNOWN_WORDS not in text


def is_filled(text: str) -> bool | None:
    """Return whether `text` is not empty; None if that is not known. UNKNOWN alone may also stand for a variable that
    is not set."""
    if text.strip(UNKNOWN + UNKNOWN_WORDS):
        return True
    return None if text else False


def bounded(text: str) -> str:
    """Return `text`, or UNKNOWN if it is too long. Adjacent placeholders become one."""
    if len(text) > LONGEST_VALUE:
        return UNKNOWN
    while UNKNOWN * 2 in text:
        text = text.replace(UNKNOWN * 2, UNKNOWN)
    return text


def cleaned(text: str) -> str:
    """Return text from outside in which the characters of the placeholders stand for something that is not known."""
    return text.replace(ONE, UNKNOWN).replace(UNKNOWN_WORDS, UNKNOWN)


def encoded(given: Word) -> str:
    """Return the text with placeholders for a word."""
    if isinstance(given, str):
        return given
    return "".join(_CODES[part] if isinstance(part, Gap) else part for part in given.parts)


def decoded(text: str) -> Word:
    """Return the word that a text with placeholders stands for."""
    if is_known(text):
        return text
    return concat(_GAPS.get(piece, piece) for piece in _PLACEHOLDER.split(text))


def same(left: str, right: str) -> bool | None:
    """Return whether two texts are equal; None if that is not known."""
    if is_known(left) and is_known(right):
        return left == right
    if (left == ONE and not right) or (right == ONE and not left):
        return False
    return None if _may_be(left, right) else False


def _may_be(left: str, right: str) -> bool:
    """Return whether the known starts and ends of two texts allow that they are equal."""
    for a, b in ((_start(left), _start(right)), (_start(left[::-1]), _start(right[::-1]))):
        shorter = min(len(a), len(b))
        if a[:shorter] != b[:shorter]:
            return False
    for known, other in ((left, right), (right, left)):
        if is_known(known) and len(known) < len(other.replace(UNKNOWN, "").replace(UNKNOWN_WORDS, "")):
            return False
    return True


def _start(text: str) -> str:
    return next((text[:i] for i, char in enumerate(text) if char in (UNKNOWN, ONE, UNKNOWN_WORDS)), text)


def joined_text(left: str, right: str) -> str:
    """Return a text that stands for both."""
    if left == right:
        return left
    single = all(text == ONE or (is_known(text) and text.isalnum()) for text in (left, right))
    return ONE if single else UNKNOWN


def joined(left: Value, right: Value) -> Value:
    """Return a value that stands for both."""
    if left == right:
        return left
    if isinstance(left, str) and isinstance(right, str):
        return joined_text(left, right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return (UNKNOWN_WORDS,)
    return UNKNOWN


def together(words: Sequence[str]) -> str:
    """Return words as one text, separated by blanks. No word means no blank."""
    return bounded(re.sub(f" ?{UNKNOWN_WORDS} ?", UNKNOWN, " ".join(words)))


def without_last_lines(output: str) -> str:
    """Return an output without the line ends at its end. A part that is not known may be empty, or line ends."""
    text = output.rstrip("\n" + UNKNOWN)
    return text + UNKNOWN if UNKNOWN in output[len(text) :] else text


def counted(words: Sequence[str]) -> int | None:
    """Return the number of words; None if it is not known."""
    return None if any(UNKNOWN_WORDS in word for word in words) else len(words)
