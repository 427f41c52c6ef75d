"""Labels before the lines of a process that are prefixes only if what follows them shows it, such as ``node1: ``."""

from __future__ import annotations

import re
from typing import NamedTuple

#: The levels of loggers, as a pattern.
LEVELS = "DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL"

#: pdsh: `node1: `; Intel MPI: `[0] `; others: `[Rank 0] `, `[stderr] `; docker build: `#12 3.456 `.
_LABEL = re.compile(
    r"(?:\[(?P<inside>[\w.-]{1,80}|[Rr]ank \d{1,5})\]|(?P<host>[A-Za-z][\w.-]{0,80}):"
    r"|(?P<step>#\d{1,5}) \d{1,6}\.\d{1,3})(?: |$)"
)
#: What only a traceback has: its first line, which often follows a text, and a frame, which is indented.
_HEAD, _FRAME = "Traceback (most recent call last):", re.compile(r'  +File "[^"]{1,400}", line \d')
#: Labels that name no process.
_STREAM, _LEVEL = re.compile(r"(?i:std(?:out|err))$"), re.compile(rf"(?:{LEVELS})$")
#: The most labels of a log.
_MOST = 4096


class Label(NamedTuple):
    """A label before a text."""

    process: str
    """The process that it names; empty if it names a stream or a level."""
    level: str
    end: int
    """Where the text behind it begins."""


class Labels:
    """The labels that the lines of one log have: those that were before a frame of a traceback."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def find(self, text: str) -> Label | None:
        """Return the label that `text` begins with, or None."""
        if not self._known and "  File " not in text and _HEAD not in text:
            return None
        label = _LABEL.match(text)
        if label is None:
            return None
        name = label["inside"] or label["host"] or label["step"]
        known = name if label["step"] else label[0].rstrip()
        if _FRAME.match(text, label.end()) and len(self._known) < _MOST:
            self._known.add(known)
        if known not in self._known and not self._is_before_head(text, label.end(), name):
            return None
        is_level = _LEVEL.match(name) is not None
        process = "" if is_level or _STREAM.match(name) else name
        return Label(process, name if is_level else "", label.end())

    def _is_before_head(self, text: str, end: int, name: str) -> bool:
        """Whether a traceback begins at `end` behind a name as hosts and ranks have it: other words are text."""
        is_named = any(char.isdigit() for char in name) or _STREAM.match(name) or _LEVEL.match(name)
        return bool(is_named) and text.startswith(_HEAD, end)
