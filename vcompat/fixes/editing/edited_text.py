"""The text of a file by lines and columns, and parts of it replaced."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class Text:
    """A text whose lines end with ``\\n``, ``\\r\\n`` or ``\\r``. Lines and columns count characters from 1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        for match in _LINE.finditer(text):
            self._starts.append(match.end())

    def offset(self, line: int, column: int) -> int:
        """Return the index in the text of a position."""
        return self._starts[line - 1] + column - 1 if 0 < line <= len(self._starts) else len(self.text)

    def offset_of_bytes(self, line: int, column: int) -> int:
        """Return the index of a position whose column counts bytes of UTF-8 from 0, as in ``ast``."""
        start = self.offset(line, 1)
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        return start + len(self.text[start:end].encode()[:column].decode(errors="replace"))

    def line_start(self, offset: int) -> int:
        """Return the index at which the line of `offset` starts."""
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def line_end(self, offset: int) -> int:
        """Return the index after the line of `offset` and its line break."""
        match = _LINE.match(self.text, offset)
        return match.end() if match else len(self.text)

    def replaced(self, start: int, end: int, new: str) -> str:
        """Return the text with another text between two indices."""
        return self.text[:start] + new + self.text[end:]

    @property
    def newline(self) -> str:
        """The line break of the file, that of its first line."""
        match = re.search(r"\r\n|\n|\r", self.text)
        return match[0] if match else "\n"


def decoded(data: bytes) -> tuple[str, bool]:
    """Return UTF-8 text and whether it starts with a byte order mark. Raises UnicodeDecodeError."""
    text = data.decode("utf-8")
    return text.removeprefix("\ufeff"), text.startswith("\ufeff")


def encoded(text: str, has_mark: bool) -> bytes:
    """The inverse of `decoded`."""
    return (("\ufeff" if has_mark else "") + text).encode()
