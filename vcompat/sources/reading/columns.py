"""Columns of a Python file in characters. ``ast`` counts bytes of UTF-8, whatever the file's encoding."""

from __future__ import annotations

from functools import cached_property


class Columns:
    """The columns of one file."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    def of(self, line: int, offset: int) -> int:
        """Return the column in characters, from 1, of the node at `offset` bytes, from 0, in `line`, from 1."""
        if not 0 < line <= len(self._lines):
            # Code that a script makes up, with ``exec``, has other lines than the file.
            return offset + 1
        text = self._lines[line - 1]
        if text.isascii():
            return offset + 1
        decoded = text.decode(self._encoding, "replace").removeprefix("\ufeff")
        return len(decoded.encode()[:offset].decode(errors="replace")) + 1

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.source.splitlines()

    @cached_property
    def _encoding(self) -> str:
        # Imported here: most scripts are ASCII.
        import io
        import tokenize

        return tokenize.detect_encoding(io.BytesIO(self.source).readline)[0]
