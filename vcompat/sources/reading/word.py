"""Words of command lines and texts that may be known in part only.

A `Word` is a plain text if all of it is known, else a `PartlyKnown`. The type checker tells both apart: what needs a
text has to ask first whether the word is one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import SupportsIndex, TypeAlias


class Gap(Enum):
    """A part of a word that is not known without running the script."""

    PART = "part"
    """A text that stays within the word. It can be empty."""
    WORDS = "words"
    """Any number of words, also none: ``$EXTRA`` without quotes, ``"${ARGS[@]}"``, ``"$@"``."""
    ONE = "one"
    """A text that is not empty and has no blanks, quotes or wildcards, such as a number. Only the shell reader tells it
    from PART."""


Part: TypeAlias = "str | Gap"
#: The characters of which one stands for a gap where a word has to be a text, as for a parser: Unicode's private ones.
MARKS = "\ue000-\uf8ff"


class PartlyKnown:
    """A word of which at least one part is not known.

    Its methods are those of `str`. A gap counts as one character that equals no other.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Part]) -> None:
        """`parts` are texts that are not empty, never two in a row, and at least one gap. `concat` makes them so."""
        self.parts = tuple(parts)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, PartlyKnown) and self.parts == other.parts)

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"PartlyKnown({self.parts!r})"

    def __str__(self) -> str:
        raise TypeError("a word that is not known is no text; readable() shows it")

    def __len__(self) -> int:
        length = 0
        for part in self.parts:
            length += len(part) if isinstance(part, str) else 1
        return length

    def __add__(self, other: Word) -> PartlyKnown:
        return PartlyKnown(_parts((self, other)))

    def __radd__(self, other: str) -> PartlyKnown:
        return PartlyKnown(_parts((other, self)))

    def __iter__(self) -> Iterator[Word]:
        for part in self.parts:
            if isinstance(part, str):
                yield from part
            else:
                yield PartlyKnown((part,))

    def __contains__(self, text: str) -> bool:
        for part in self.parts:  # noqa: SIM110 - a generator takes longer, and this is asked of most words
            if isinstance(part, str) and text in part:
                return True
        return False

    def __getitem__(self, index: SupportsIndex | slice) -> Word:
        return self.each(lambda text: (text[index],))[0]

    def startswith(self, prefix: str | tuple[str, ...]) -> bool:
        """Return whether the word certainly begins with a text, or with one of several."""
        return isinstance(self.parts[0], str) and self.parts[0].startswith(prefix)

    def endswith(self, suffix: str | tuple[str, ...]) -> bool:
        """Return whether the word certainly ends with a text, or with one of several."""
        return isinstance(self.parts[-1], str) and self.parts[-1].endswith(suffix)

    def partition(self, separator: str) -> tuple[Word, str, Word]:
        """Split the word at the first `separator`."""
        before, found, after = self.each(lambda text: text.partition(separator))
        return before, separator if found else "", after

    def rpartition(self, separator: str) -> tuple[Word, str, Word]:
        """Split the word at the last `separator`."""
        before, found, after = self.each(lambda text: text.rpartition(separator))
        return before, separator if found else "", after

    def split(self, separator: str | None = None, maxsplit: int = -1) -> list[Word]:
        """Split the word at each `separator`, or at blanks."""
        return self.each(lambda text: text.split(separator, maxsplit))

    def strip(self, characters: str | None = None) -> Word:
        """Return the word without `characters` at both ends."""
        return self.each(lambda text: (text.strip(characters),))[0]

    def lstrip(self, characters: str | None = None) -> Word:
        """Return the word without `characters` at its start."""
        return self.each(lambda text: (text.lstrip(characters),))[0]

    def rstrip(self, characters: str | None = None) -> Word:
        """Return the word without `characters` at its end."""
        return self.each(lambda text: (text.rstrip(characters),))[0]

    def removeprefix(self, prefix: str) -> Word:
        """Return the word without a text at its start."""
        return self.each(lambda text: (text.removeprefix(prefix),))[0]

    def removesuffix(self, suffix: str) -> Word:
        """Return the word without a text at its end."""
        return self.each(lambda text: (text.removesuffix(suffix),))[0]

    def replace(self, old: str, new: str, count: int = -1) -> Word:
        """Return the word with another text in the place of `old`."""
        return self.each(lambda text: (text.replace(old, new, count),))[0]

    def each(self, change: Callable[[str], Sequence[str]]) -> list[Word]:
        """Return the texts that `change` makes of the word, in which one character stands for each gap."""
        text, restored = self.marked()
        return list(map(restored, change(text)))

    def marked(self) -> tuple[str, Callable[[str], Word]]:
        """Return a text in which one character stands for each gap, and what makes words of such texts."""
        marks = _marks(self.parts)
        text = "".join(marks[part] if isinstance(part, Gap) else part for part in self.parts)
        return text, lambda changed: _unmarked(changed, marks)


#: A word of a command line, or another text: all of it is known, or a part of it is not.
Word: TypeAlias = "str | PartlyKnown"

#: A word, or a text within one, of which nothing is known.
UNKNOWN = PartlyKnown((Gap.PART,))
#: Any number of words of which nothing is known.
UNKNOWN_WORDS = PartlyKnown((Gap.WORDS,))


def concat(words: Iterable[Word | Gap]) -> Word:
    """Return words and gaps as one word, without anything between them."""
    words = tuple(words)
    if len(words) == 1 and isinstance(word := words[0], (str, PartlyKnown)):
        return word
    try:
        # Faster than to ask for the type of each word.
        return "".join(words)  # type: ignore[arg-type]
    except TypeError:
        return PartlyKnown(_parts(words))


def joined(separator: Word, words: Iterable[Word]) -> Word:
    """Return words as one, with `separator` between them."""
    parts: list[Word] = []
    for word in words:
        parts += [separator, word] if parts else ["", word]
    return concat(parts)


def has(word: Word, gap: Gap) -> bool:
    """Return whether a part of the word is a gap of that kind."""
    return not isinstance(word, str) and gap in word.parts


def has_words(word: Word) -> bool:
    """Return whether a part of the word may be any number of words."""
    return has(word, Gap.WORDS)


def is_only(word: Word, gap: Gap) -> bool:
    """Return whether nothing of the word is known, and all of it is a gap of that kind."""
    return not isinstance(word, str) and set(word.parts) == {gap}


def begins_with_gap(word: Word, *gaps: Gap) -> bool:
    """Return whether the start of the word is not known; with `gaps`, whether it is one of these."""
    first = "" if isinstance(word, str) else word.parts[0]
    return isinstance(first, Gap) and (not gaps or first in gaps)


def as_one(word: Word) -> Word:
    """Return the word that something is where it is certain to be one word."""
    return word if isinstance(word, str) else concat(Gap.PART if isinstance(part, Gap) else part for part in word.parts)


def with_gap(word: Word, new: Gap, old: Gap) -> Word:
    """Return the word with a gap of another kind in the place of `old`."""
    if isinstance(word, str) or old not in word.parts:
        return word
    return PartlyKnown([new if part is old else part for part in word.parts])


def in_texts(word: Word, change: Callable[[str], Word]) -> Word:
    """Return the word after a change of each text that is known in it."""
    if isinstance(word, str):
        return change(word)
    return concat(change(part) if isinstance(part, str) else part for part in word.parts)


def known_start(word: Word) -> str:
    """Return what is known before the first gap."""
    first = word if isinstance(word, str) else word.parts[0]
    return first if isinstance(first, str) else ""


def readable(word: Word, gap: str = "...") -> str:
    """Return a word for a message, with `gap` for what is not known."""
    return word if isinstance(word, str) else "".join(gap if isinstance(part, Gap) else part for part in word.parts)


def mapped(word: Word, change: Callable[[str], Sequence[str]]) -> Sequence[Word]:
    """Return the texts that `change` makes of a word, in which one character stands for each gap."""
    return change(word) if isinstance(word, str) else word.each(change)


def base_name(word: Word) -> Word:
    """Return what follows the last slash, as `os.path.basename` does."""
    return word.rpartition("/")[2]


def path_in(folder: Word, name: Word) -> Word:
    """Return the path of what `folder` has under a name, as `os.path.join` does."""
    if not folder or name.startswith("/"):
        return name
    return concat((folder, "" if folder.endswith("/") else "/", name))


def normal_path(path: Word) -> Word:
    """Return a path without parts that lead nowhere, as `os.path.normpath` does."""
    return mapped(path, lambda text: (posixpath.normpath(text),))[0]


def _parts(words: Iterable[Word | Gap]) -> list[Part]:
    """Return the parts of several words and gaps in a row: no text is empty, and none follows another."""
    parts: list[Part] = []
    for word in words:
        for part in word.parts if isinstance(word, PartlyKnown) else (word,):
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            elif part != "":
                parts.append(part)
    return parts


def _marks(parts: Sequence[Part]) -> dict[Gap, str]:
    """Return a character for each gap that is in none of the texts."""
    text = "".join(part for part in parts if isinstance(part, str))
    free = (chr(code) for code in range(ord(MARKS[0]), ord(MARKS[-1])) if text.isascii() or chr(code) not in text)
    return dict(zip(Gap, free, strict=False))


def _unmarked(text: str, marks: dict[Gap, str]) -> Word:
    """Return the word that a text with a character for each gap stands for."""
    if text.isascii():
        return text
    gaps = {mark: gap for gap, mark in marks.items()}
    pieces = re.split(f"([{''.join(gaps)}])", text)
    return concat(gaps.get(piece, piece) for piece in pieces)
