"""What a careful reader presumes about a run, and what no file states: that a call changes nothing, for example."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.place import Place

#: The kinds of presumptions. The oracle counts each apart.
CALL = "call"
"""A call that cannot be followed got an object, and does not change it."""
CALLER = "caller"
"""The caller adds no arguments, no variables and no file of settings."""
FILE = "file"
"""A named file is the only one of the project whose path ends with that name."""
OPTIONS = "options"
"""The options of a script that was not found mean what TRL, transformers or vLLM mean by them."""
UNCALLED = "uncalled"
"""A function that nothing calls visibly is what runs."""
RELEASE = "release"
"""The release is one of those that the project allows."""
EXCEPTION = "exception"
"""A block that can raise an exception runs to its end."""
REACHED = "reached"
"""A function or a loop of the project, which code of the run names, runs."""
KINDS = (CALL, CALLER, FILE, OPTIONS, UNCALLED, RELEASE, EXCEPTION, REACHED)


class Presumption(NamedTuple):
    """One thing that is presumed, in words, and where."""

    kind: str
    """One of KINDS."""
    text: str
    """A clause that follows 'presumes that', without the place: ``init_wandb_training() does not change it``."""
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.text} ({self.place})" if self.place is not None else self.text
