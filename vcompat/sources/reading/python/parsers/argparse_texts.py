"""The texts that the real argparse gets for words that may be known in part only.

It splits them itself, so that what is not known has to be in a text. The mark for it is in no text of a file: it is no
character of Unicode on its own. A word that contains it nevertheless counts as not known.
"""

from __future__ import annotations

from vcompat.sources.reading.word import UNKNOWN, Word, as_one, joined, readable

_MARK = "\udfff"


def text_of_word(word: Word) -> str:
    """Return the text that stands for a word."""
    return readable(as_one(word), _MARK)


def word_of_text(text: str) -> Word:
    """Return the word that a text stands for."""
    return joined(UNKNOWN, text.split(_MARK))


def is_unknown(text: str) -> bool:
    """Return whether a part of what a text stands for is not known."""
    return _MARK in text
