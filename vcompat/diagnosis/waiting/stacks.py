"""Stacks in logs: tracebacks, dumps of faulthandler and py-spy, and NCCL's stack of a collective that failed."""

from __future__ import annotations

import re
from typing import NamedTuple

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.waiting.signs import Frame

#: Patterns over bytes: lines that begin a dump.
CUES = (r"\(most recent call first\):", r"Thread \d+ \((?:idle|active)", r"Stack trace of the failed collective:")

#: The frame of a traceback has a comma before `in`, that of faulthandler has none. A prefix can have taken a space.
_CALL = re.compile(
    r' {1,8}File "(?P<file>[^"\n]{1,400})", line (?P<line>\d{1,7})(?P<comma>,?) in (?P<function>\S{1,200})'
)
_PY_SPY = re.compile(r" {3,8}(?P<function>\S.{0,200}?) \((?P<file>[^()\n]{1,400}):(?P<line>\d{1,7})\)$")
_NCCL = re.compile(r"#\d{1,3} (?P<function>\S{1,200}) from (?P<file>\S{1,400}):(?P<line>\d{1,7})$")
_FORMATS = {"call": _CALL, "py-spy": _PY_SPY, "nccl": _NCCL}

_TRACEBACK = "Traceback (most recent call last):"
_THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]{1,16}(?: \[[^\]\n]{0,80}\])? \(most recent call first\):$")
_PY_SPY_THREAD = re.compile(r"Thread (?P<id>\S{1,20}) \((?:idle|active)[^)]{0,20}\)(?:: \"(?P<name>[^\"]{0,80})\")?$")
_PROCESS = re.compile(r"Process (?P<pid>\d{1,10}): ")
_COLLECTIVE = "Stack trace of the failed collective:"
#: faulthandler prints this first if a time was set, and this if the process crashes.
_TIMEOUT, _FATAL = re.compile(r"Timeout \(\d{1,4}:\d\d:\d\d(?:\.\d{1,9})?\)!$"), "Fatal Python error:"
#: The most frames of a stack that are kept.
_MOST = 200


def is_of_collective(text: str) -> bool:
    """Whether a line is a frame of the stack of a collective: only the line above the stack has prefixes."""
    return text.startswith("#") and _NCCL.match(text) is not None


class Stack(NamedTuple):
    """A stack that has ended."""

    head: Line
    """The line above it."""
    frames: tuple[Frame, ...]
    """The innermost call first."""
    kind: str
    """'traceback', 'dump' of a process that runs, 'crash', or 'collective'."""
    pid: int | None = None
    above: int = 0
    """The number of the line that states the crash; 0 for other kinds."""


class StackReader:
    """Reads the stacks in the lines of one process."""

    def __init__(self) -> None:
        self._head: Line | None = None
        self._kind, self._format = "", ""
        self._frames: list[Frame] = []
        self._crash = 0
        self._pid: int | None = None
        self._is_main = False

    @property
    def is_in_collective(self) -> bool:
        """Whether the stack of a collective has begun."""
        return self._head is not None and self._kind == "collective"

    def take(self, line: Line) -> tuple[bool, Stack | None]:
        """Read the next line. Return whether it is part of a stack, and the stack that ends before it, if one does."""
        text = line.text
        is_open = self._head is not None
        if is_open and self._is_frame(text):
            return True, None
        if self._begins(text):
            return True, self._begin(line)
        if is_open and self._goes_on(text):
            return True, None
        return self._notes(line), self.end() if is_open else None

    def end(self) -> Stack | None:
        """End the stack that has begun, and return it; None if it has no frames or its thread does not count."""
        head, frames = self._head, tuple(self._frames)
        is_open, pid, kind = self._head is not None, self._pid, self._kind
        self._head, self._frames = None, []
        if not is_open or not frames or head is None:
            return None
        if kind == "traceback":
            frames = frames[::-1]
        if self._format == "py-spy" and not self._is_main:
            return None
        return Stack(
            head, frames, kind, pid if self._format == "py-spy" else None, self._crash if kind == "crash" else 0
        )

    def _begins(self, text: str) -> bool:
        if "hread " in text and (_THREAD.match(text) or _PY_SPY_THREAD.match(text)):
            return True
        return text.endswith((_TRACEBACK, _COLLECTIVE))

    def _notes(self, line: Line) -> bool:
        """Note what a line states about the stacks below it; return whether it states something."""
        text = line.text
        if text.startswith("Timeout (") and _TIMEOUT.match(text):
            self._crash = 0
        elif text.startswith(_FATAL):
            self._crash = line.number
        elif text.startswith("Process ") and (process := _PROCESS.match(text)):
            self._pid = int(process["pid"])
        else:
            return False
        return True

    def _begin(self, line: Line) -> Stack | None:
        """Begin a stack; return the one before. Of faulthandler's threads, the last one is the main thread."""
        text = line.text
        is_thread = _THREAD.match(text) is not None
        before = None if is_thread and self._kind in ("dump", "crash") and self._format == "call" else self.end()
        self._head, self._frames = line, []
        if is_thread:
            self._kind, self._format = "crash" if self._crash else "dump", "call"
        elif thread := _PY_SPY_THREAD.match(text):
            self._kind, self._format = "dump", "py-spy"
            # Without a name, as of another interpreter, the main thread has the number of the process.
            self._is_main = thread["name"] == "MainThread" or (not thread["name"] and thread["id"] == str(self._pid))
        elif text.endswith(_COLLECTIVE):
            self._kind, self._format = "collective", "nccl"
        else:
            self._kind, self._format = "traceback", "call"
        return before

    def _is_frame(self, text: str) -> bool:
        call = _FORMATS[self._format].match(text)
        if call is None:
            return False
        if self._format == "call" and (call["comma"] == ",") != (self._kind == "traceback"):
            return False
        if len(self._frames) >= _MOST:
            del self._frames[0 if self._kind == "traceback" else -1]
        function = call["function"].rpartition(".<locals>.")[2]
        self._frames.append(Frame(call["file"], int(call["line"]), function))
        return True

    def _goes_on(self, text: str) -> bool:
        """Whether a line is one of code or marks below it, as in tracebacks, or is between the threads of a dump."""
        return text.startswith("   ") if self._kind == "traceback" else not text.strip()
