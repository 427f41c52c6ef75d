"""One program that a run file starts: its words, its environment, its folder, and the files that were written before.

Launch scripts, Dockerfiles and notebooks yield invocations. `commands.started` says which launcher and which script an
invocation starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.word import Word, normal_path, path_in

#: The path of a place in a command line that is no file.
COMMAND = "the command"


class Others(Enum):
    """The state of the environment variables that are not listed."""

    INHERITED = "inherited"
    """As the caller of the run file has them."""
    UNSET = "unset"
    """Not set: ``env -i``, or a container whose variables are all listed."""
    UNKNOWN = "unknown"
    """Something that cannot be followed may have set or unset any of them: ``source`` of a file that is not there."""


class Environment(NamedTuple):
    """The environment variables of a program."""

    values: Mapping[str, Word | None] = {}
    """By name; None: not set. A value that is not known: set, or perhaps set, to something."""
    others: Others = Others.INHERITED
    places: Mapping[str, Place] = {}
    """The position that sets, unsets or opens a variable."""
    why_open: str = ""
    """Why `others` is UNKNOWN."""


class Invocation(NamedTuple):
    """One program that is started."""

    words: tuple[Word, ...]
    """The program and its arguments."""
    place: Place
    environment: Environment = Environment()
    folder: Word = ""
    """The folder in which it runs, relative to the one in which the run file is started; UNKNOWN if not known."""
    why_uncertain: str = ""
    """Why the command may not run: it is in a branch, a loop or a function that may not be called. Empty if it runs."""
    background: bool = False
    files: Mapping[Word, str | None] = {}
    """Files that the run file has written before, by path from the folder in which it is started: the text; None if it
    is not known. ``-`` is the standard input of a program that may read it."""
    job: Mapping[str, Word] | None = None
    """The options of the submitted job that starts it, by long name; None if the run file is the script of the job."""


def written(files: Mapping[Word, str | None], folder: Word, name: Word) -> tuple[bool, str | None]:
    """Return whether the run file wrote the file that a program in `folder` calls `name`, and its text.

    `files` and `folder` are those of the invocation. None as text: it is not known.
    """
    known = isinstance(folder, str) or name == "-"
    here = name if name == "-" else normal_path(path_in(folder, name) if known else name)
    for path, text in files.items():
        if name and normal_path(path) == here:
            return True, text if known else None
    return False, None
