"""A position in a file that states a fact."""

from __future__ import annotations

import os
from typing import NamedTuple


class Place(NamedTuple):
    """A position in a file."""

    path: str
    """The path as the user wrote it."""
    line: int = 0
    """Line number from 1; 0 means the whole file."""
    column: int = 0
    """Column number from 1; 0 means the whole line."""

    def __str__(self) -> str:
        numbers = [str(number) for number in (self.line, self.column) if number]
        return ":".join([os.path.basename(self.path), *numbers])
