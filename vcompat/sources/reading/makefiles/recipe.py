"""What a Makefile runs for its targets: commands for shells. It is read, and nothing is run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from vcompat.sources.reading.word import Word

#: Returns the value of a variable of the environment; None: not set.
Lookup = Callable[[str], "Word | None"]
#: Returns whether a variable is in the environment; None: not known.
Passes = Callable[[str], "bool | None"]
#: Returns the text of a file that another one includes; None if it is not there.
Reader = Callable[[str], "str | None"]
#: Maximum number of recipes that are followed for one command, and of expansions of one text.
MOST_RECIPES, MOST_EXPANSIONS = 200, 2_000
#: Maximum number of characters of a line, and of a text after expansion.
LONGEST_LINE, LONGEST_TEXT = 5_000, 20_000


class NotFollowed(Exception):
    """A file that cannot be followed: it has what this reader does not know."""


class Recipe(NamedTuple):
    """Commands that one shell runs."""

    text: Word
    """The commands."""
    line: int
    """The line of the file."""
    why_uncertain: str = ""
    """Why they may not run."""
    variables: tuple[tuple[str, Word | None], ...] = ()
    """Variables of the environment that are set for them; None: set only if the caller has set it."""


def bounded(text: Word) -> Word:
    """Return an expanded text. Raises NotFollowed if it is too long."""
    if len(text) > LONGEST_TEXT:
        raise NotFollowed("a text is too long")
    return text
