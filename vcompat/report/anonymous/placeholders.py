"""Placeholders: the same text gets the same one, so that a reader can follow who is meant."""

from __future__ import annotations

#: Characters that no text has: each stands for what was replaced in a line, so that nothing replaces it again.
_FIRST, _LAST = 0xE000, 0xF8FF
_MOST = _LAST - _FIRST + 1
_PRIVATE = dict.fromkeys(range(_FIRST, _LAST + 1), "?")


def without_marks(text: str) -> str:
    """Return `text` without the characters that stand for what is replaced."""
    return text.translate(_PRIVATE)


class Names:
    """The placeholders of one report."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def of(self, kind: str, text: str) -> str:
        """Return the placeholder for a `text` of a `kind`, such as ``<host1>``."""
        key = (kind, text.lower())
        if key not in self._known:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._known[key] = f"<{kind}{self._counts[kind]}>"
        return self._known[key]


class Marks:
    """What was replaced in one line, and what must stay as it is."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def put(self, text: str) -> str:
        """Return a character that stands for `text`."""
        if len(self._texts) == _MOST:
            return "<more>"
        self._texts.append(text)
        return chr(_FIRST + len(self._texts) - 1)

    def resolve(self, text: str) -> str:
        """Return `text` with what its characters stand for."""
        while any(_FIRST <= ord(character) <= _LAST for character in text):
            text = "".join(self._texts[ord(one) - _FIRST] if _FIRST <= ord(one) <= _LAST else one for one in text)
        return text
