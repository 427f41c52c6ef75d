"""Tracebacks and other failures in the lines of one process: which exception was the first, and what it led to."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vcompat.diagnosis.killed import ends_process
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.quoted import has_quoting_form

#: Levels of what a program has coped with.
MILD = ("DEBUG", "INFO", "WARNING", "WARN")


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
    def ends_run(self) -> bool:
        """Whether nothing has coped with it, as far as the log tells: what logs a warning goes on."""
        return self.is_fatal and self.cause.line.level not in MILD

    @property
    def has_traceback(self) -> bool:
        """Whether it has more than the line that states it."""
        return self.cause.first < self.cause.last


_HEAD = re.compile(r".*Traceback \(most recent call last\):\s*$")
#: The head of a traceback in a notebook, which names the error.
_NOTEBOOK = re.compile(r"[A-Z]\w*\s{2,}Traceback \(most recent call last\)\s*$")
_FRAME = re.compile(r'\s+File "[^"]+", line \d+')
#: A frame of a traceback: a stack that is printed without an error has no comma, or says so.
_CALL, _STACK = re.compile(r'\s+File "[^"]+", line \d+, in '), re.compile(r"Stack|most recent call first")
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
    r"|CUDA [Ee]rror"
)
#: What Python prints before the traceback of an exception that nothing can catch, and after which the program goes on.
_IGNORED = re.compile(r"\s{0,4}(?:Exception ignored in|--- Logging error ---)")
#: The most lines between the two.
_BEHIND = 2
#: What ends a traceback if the exception has another name than most.
_NAMED = re.compile(r"[A-Za-z_][\w.]*: ")
#: What make, just and Slurm print after a command that failed: no error of a traceback above it that was cut off.
_OF_LAUNCHER = re.compile(r"g?make(?:\[\d+\])?: |error: Recipe `|(?:srun|slurmstepd): ")
_ANY_FRAME = re.compile(r'\s\sFile "[^"]+", line \d+')
#: The most lines of an error's message.
LONGEST_MESSAGE = 30
#: Lines before a failure without a traceback; the most lines, and characters of each, that are kept of a failure.
_BEFORE, _LONGEST, _LONGEST_LINE = 10, 400, 1000
#: The most lines between the end of a traceback and the words that chain it with the next one: a message can have
#: several lines.
_MESSAGE = 40


def failures(lines: Sequence[Line]) -> list[Failure]:
    """Return the failures in the lines of one process, in order."""
    return read_failures(lines)[0]


def read_failures(lines: Sequence[Line]) -> tuple[list[Failure], tuple[Line, ...]]:
    """Return the failures in the lines of one process, and the lines of a traceback that has no error at its end."""
    reader = _Reader()
    for index, line in enumerate(lines):
        reader.take(index, line)
    start = reader.open_at
    is_cut = start >= 0 and any(_CALL.match(line.text) for line in lines[start:])
    is_stack = start > 0 and _STACK.search(lines[start - 1].text)
    return reader.found, tuple(lines[start:]) if is_cut and not is_stack else _cut_in_notebook(lines, reader.found)


def _cut_in_notebook(lines: Sequence[Line], stated: Sequence[Failure]) -> tuple[Line, ...]:
    """Return the lines of a notebook's traceback that has no error at its end."""
    start = max((index for index, line in enumerate(lines) if _NOTEBOOK.match(line.text)), default=-1)
    is_cut = start >= 0 and all(failure.chain[-1].last < start for failure in stated)
    return tuple(lines[start:]) if is_cut else ()


class _Reader:
    """Puts failures together, line by line."""

    def __init__(self) -> None:
        self.found: list[Failure] = []
        self._start = -1
        """Index of the first line of the traceback that is being read; -1 outside of one."""
        self._indent = 0
        """Columns by which that traceback is indented as a whole, as people paste it."""
        self._has_head = False
        self._chained_at = -1
        self._ignored_at = -_MESSAGE

    @property
    def open_at(self) -> int:
        """Index of the first line of a traceback that has not ended; -1 if there is none."""
        return self._start

    def take(self, index: int, line: Line) -> None:
        """Read the next line."""
        text = line.text
        indent = len(text) - len(text.lstrip())
        if _CHAINED.match(text):
            self._chained_at = index
        elif _IGNORED.match(text):
            self._ignored_at = index
        elif _HEAD.match(text):
            self._start, self._indent, self._has_head = index, indent, True
        elif self._start < 0 and _FRAME.match(text):
            # The beginning was cut off. A frame is indented by two columns.
            self._start, self._indent, self._has_head = index, max(0, indent - 2), False
        elif self._start < 0 or (indent <= self._indent and indent < len(text)) or self._is_pasted_error(text, indent):
            self._end(index, line)

    def _is_pasted_error(self, text: str, indent: int) -> bool:
        """Whether a line states the error of a traceback that was pasted without its head, indented as its frames.

        Code is indented by two columns more than the frame that it is of.
        """
        return not self._has_head and indent == self._indent + 2 and _ERROR.match(text.strip()) is not None

    def _end(self, index: int, line: Line) -> None:
        """Read a line that is no part of a traceback: it may state the error of one, or another failure."""
        error = _error(line.text.strip() if self._start >= 0 else line.text, self._start >= 0)
        if not error or (self._start < 0 and has_quoting_form(line.text)):
            # A notebook does not indent its tracebacks. What a logger writes has the level of the traceback.
            self._start = -1 if line.level else self._start
            return
        raised = Raised(line, error, self._start if self._start >= 0 else index, index)
        before = self.found[-1].chain if self.found else ()
        if before and self._chained_at >= 0 and self._chained_at - before[-1].last <= _MESSAGE:
            self.found[-1] = self.found[-1]._replace(chain=(*before, raised))
        else:
            is_fatal = self._start >= 0 or _ABORT.match(line.text) is not None or ends_process(line.text)
            is_ignored = 0 <= raised.first - self._ignored_at <= _BEHIND
            self.found.append(Failure((raised,), is_fatal and not is_ignored))
        self._start, self._chained_at = -1, -1


def _error(text: str, in_traceback: bool) -> str:
    """The error that a line states; empty if it states none."""
    match = _ERROR.match(text)
    if match is not None:
        return match["error"].strip()
    # A frame behind a prefix that is unknown looks like an error with another name.
    is_named = in_traceback and _NAMED.match(text) and not _ANY_FRAME.search(text)
    is_reported = in_traceback and _OF_LAUNCHER.match(text)
    is_error = ends_process(text) or ((_ABORT.match(text) or is_named) and not is_reported)
    return text.strip() if is_error else ""


def message_end(lines: Sequence[Line], failure: Failure, others: Collection[int]) -> int:
    """Return the index of the last line of a failure's message: up to an empty line or what a logger wrote.

    `others` are the indexes at which other failures of `lines` begin.
    """
    last = failure.chain[-1]
    most = min(last.last + LONGEST_MESSAGE, len(lines))
    for index in range(last.last + 1, most):
        line = lines[index]
        if not line.text.strip() or line.level != last.line.level or index in others:
            return index - 1
    return most - 1


def trace(lines: Sequence[Line], failure: Failure, others: Collection[int]) -> tuple[Line, ...]:
    """Return the lines of a failure: its tracebacks and its message, or what was printed before it; cut.

    `others` are the indexes at which other failures of `lines` begin.
    """
    first = failure.cause.first if failure.has_traceback else max(0, failure.cause.first - _BEFORE)
    kept = lines[first : message_end(lines, failure, others) + 1]
    if len(kept) > _LONGEST:
        kept = [*kept[: _LONGEST // 4], *kept[-_LONGEST * 3 // 4 :]]
    return tuple(line._replace(text=line.text[:_LONGEST_LINE]) for line in kept)


#: Failures that another process or an earlier exception led to.
_CONSEQUENCES = re.compile(
    # vLLM: the engine's process has failed, and the caller reports it.
    r"EngineDeadError|EngineCore (?:encountered|failed|hit)|Engine core initialization failed"
    r"|Engine (?:core )?process failed|Engine loop (?:is not running|has died)|Background loop (?:is|has)"
    r"|WorkerProc initialization failed|Executor (?:failed|died)|[Ww]orker \S*\s?(?:proc )?died|died unexpectedly"
    # Launchers and Ray: a process has ended.
    r"|ChildFailedError|ProcessRaisedException|ProcessExitedException|SignalException|CalledProcessError"
    r"|SIGTERM|[Ss]ignal 15|exitcode\s*:?\s*-(?:2|6|15)\b|ActorDiedError|RayActorError|KeyboardInterrupt|SystemExit"
    # NCCL: another rank does not answer any more.
    r"|[Ww]atchdog (?:caught|got stuck)|Watchdog thread|Some NCCL operations have failed|DistBackendError"
    r"|NCCL communicator was aborted|TCPStore|recvValue failed|Failed to recv"
    # gloo: the same.
    r"|Timed out waiting \d+ms for (?:recv|send) operation|Application timeout caused pair closure"
    r"|failed to pass monitoredBarrier"
)
#: A connection has ended: a consequence, unless the exception that was raised from it names a cause.
_CONNECTION = re.compile(
    r"Connection (?:closed|reset) by (?:remote )?peer|Broken ?[Pp]ipe|EOFError|Connection(?:Reset|Refused|Aborted)Error"
)


def follows(failure: Failure) -> bool:
    """Return whether a failure follows from one elsewhere, so that it does not name the cause."""
    if ends_process(failure.cause.error):
        return False
    if _CONSEQUENCES.search(failure.cause.error):
        return True
    return all(_CONNECTION.search(one.error) or _CONSEQUENCES.search(one.error) for one in failure.chain)
