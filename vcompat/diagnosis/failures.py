"""Tracebacks and other failures in the lines of one process: which exception was the first, and what it led to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vcompat.diagnosis.prefixes import Line


class Raised(NamedTuple):
    """One exception, or another failure that a line states."""

    line: Line
    """The line that states it."""
    error: str
    """Its type and message, as far as they are on that line."""
    first: int
    """Index, among the lines of the excerpt, of the first line of its traceback."""
    last: int
    """Index of the line that states it."""


class Failure(NamedTuple):
    """Exceptions that were raised one after the other, each while the one before was handled, the first one first."""

    chain: tuple[Raised, ...]
    is_fatal: bool
    """Whether it has a traceback, or ends the process."""

    @property
    def cause(self) -> Raised:
        """The exception that was raised first."""
        return self.chain[0]

    @property
    def has_traceback(self) -> bool:
        """Whether it has more than the line that states it."""
        return self.cause.first < self.cause.last


_HEAD = re.compile(r".*Traceback \(most recent call last\):\s*$")
_FRAME = re.compile(r'\s+File "[^"]+", line \d+')
_ENDINGS = "Error|Exception|Interrupt|Exit|Died|NotFound|OutOfMemory|Unavailable"
_ERROR = re.compile(
    r"(?:\[?[\w ]{0,20}\]: )?"
    rf"(?P<error>(?:[A-Za-z_]\w*\.){{0,8}}[A-Z]\w*(?:{_ENDINGS})(?:\([^)]*\))?(?::\s.*|:?\s*$))"
)
_CHAINED = re.compile(r"\s*(?:During handling of the above exception|The above exception was the direct cause)")
#: What ends a process without a traceback: aborts of compilers and C libraries, signals.
_ABORT = re.compile(
    r"LLVM ERROR:|Fatal Python error:|terminate called after throwing|.{0,400}Assertion [`'].{0,600} failed"
    r"|Segmentation fault|\*\*\* (?:SIG\w+|Process received signal)|Illegal instruction|Bus error|.{0,200}: error: "
    r"|CUDA [Ee]rror|Killed\s*$"
)
#: The most lines between the end of a traceback and the words that chain it with the next one: a message can have
#: several lines.
_MESSAGE = 40


def failures(lines: Sequence[Line]) -> list[Failure]:
    """Return the failures in the lines of one process, in order."""
    found: list[list[Raised]] = []
    fatal: list[bool] = []
    start, chained_at = -1, -1
    for index, line in enumerate(lines):
        text = line.text
        if _CHAINED.match(text):
            chained_at = index
        elif _HEAD.match(text) or (_FRAME.match(text) and start < 0):
            start = index
        elif start >= 0 and (not text.strip() or text[:1].isspace()):
            continue
        else:
            raised = _raised(line, start, index)
            if raised is None:
                start = start if start >= 0 and not line.level else -1
                continue
            if found and chained_at >= 0 and chained_at - found[-1][-1].last <= _MESSAGE:
                found[-1].append(raised)
            else:
                found.append([raised])
                fatal.append(start >= 0 or _ABORT.match(text) is not None)
            start, chained_at = -1, -1
    return [Failure(tuple(chain), ends) for chain, ends in zip(found, fatal, strict=True)]


def _raised(line: Line, start: int, index: int) -> Raised | None:
    match = _ERROR.match(line.text)
    if match is not None:
        return Raised(line, match["error"].strip(), start if start >= 0 else index, index)
    if _ABORT.match(line.text) or (start >= 0 and re.match(r"[A-Za-z_][\w.]*: ", line.text)):
        return Raised(line, line.text.strip(), start if start >= 0 else index, index)
    return None


#: Failures that another process or an earlier exception led to.
_CONSEQUENCES = re.compile(
    # vLLM: the engine's process has failed, and the caller reports it.
    r"EngineDeadError|EngineCore (?:encountered|failed|hit)|Engine core initialization failed"
    r"|Engine (?:core )?process failed|Engine loop (?:is not running|has died)|Background loop (?:is|has)"
    r"|WorkerProc initialization failed|Executor (?:failed|died)|[Ww]orker \S*\s?(?:proc )?died|died unexpectedly"
    # Launchers and Ray: a process has ended.
    r"|ChildFailedError|ProcessRaisedException|ProcessExitedException|SignalException|CalledProcessError"
    r"|SIGTERM|[Ss]ignal 15|exitcode\s*:?\s*-(?:6|9|11|15)|ActorDiedError|RayActorError|KeyboardInterrupt|SystemExit"
    # NCCL and the store: another rank does not answer any more.
    r"|[Ww]atchdog (?:caught|got stuck)|Watchdog thread|Some NCCL operations have failed|DistBackendError"
    r"|NCCL communicator was aborted|TCPStore|recvValue failed|Failed to recv"
    r"|Connection (?:closed|reset) by (?:remote )?peer|Broken ?[Pp]ipe|EOFError|Connection(?:Reset|Refused)Error"
)


def is_consequence(error: str) -> bool:
    """Return whether a failure follows from one elsewhere, so that it does not name the cause."""
    return _CONSEQUENCES.search(error) is not None
