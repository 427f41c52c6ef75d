"""Words that are known in part, written with a mark for each part that is not."""

from __future__ import annotations

import re

from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Gap, Word, concat


def word(text: str, part: str = "?", words: str = "*") -> Word:
    """Return the word in which `part` stands for UNKNOWN, and `words` for UNKNOWN_WORDS."""
    gaps = {words: UNKNOWN_WORDS, part: UNKNOWN}
    return concat(gaps.get(piece, piece) for piece in re.split("(" + "|".join(map(re.escape, gaps)) + ")", text))


def marked(given: Word, part: str = "?", words: str = "*") -> str:
    """Return the text that `word` reads."""
    marks = {Gap.PART: part, Gap.WORDS: words}
    parts = (given,) if isinstance(given, str) else given.parts
    return "".join(marks[each] if isinstance(each, Gap) else each for each in parts)
