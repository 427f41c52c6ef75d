"""What surrounds the failures of a log, per process. The lines between failures are passed over at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from vcompat.diagnosis.logs.bounded_lines import Chunk, Cutter, plain, texts
from vcompat.diagnosis.logs.labels import Labels
from vcompat.diagnosis.logs.prefixes import Line, parse_line

#: Lines of a process that are kept before and after what begins an excerpt.
AROUND = 30
#: The most lines of an excerpt. A longer one goes on in another.
LONGEST = 2000
#: Lines of the log after which an excerpt ends, although its process has written less than AROUND since.
FARTHEST = 4000
#: The most characters of a line in an excerpt. A longer one is two: its beginning and its end.
LONGEST_LINE = 8 * 1024
#: The most characters that are held for all processes. Beyond that, all excerpts end.
MOST_HELD = 8 << 20
#: Processes with names of their own; the lines of further ones are taken together.
MOST_PROCESSES = 1024
#: Bytes before a chunk that is of interest in which lines are looked for that belong to it.
_BEFORE = 8 * 1024

#: What a line of a traceback looks like that goes on with it, or the one that ends it.
_IN_TRACEBACK = re.compile(
    r"  +\S|Traceback \(most recent call last\):|\w[\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Refused)\b[:(]?"
    r"|(?:During handling of|The above exception)"
)


class Excerpt(NamedTuple):
    """Consecutive lines of one process, with a failure or a symptom in them."""

    lines: tuple[Line, ...]
    is_merged: bool = False
    """Whether the lines are those of all processes instead: what a compiler prints names no process, for example."""


class Reader:
    """Reads a log, and calls `passed` with each line of those parts that are read line by line."""

    def __init__(self, trigger: Any, passed: Callable[[Line], None], numbers: Sequence[int] = ()) -> None:
        """`trigger` is the compiled pattern, over bytes, of what begins an excerpt or is of interest otherwise.

        `numbers` are those of the lines, if lines of the log were joined.
        """
        self._trigger = trigger
        self._numbers = numbers
        self._passed = passed
        self._cutter = Cutter()
        self._labels = Labels()
        self._processes: dict[str, _Process] = {}
        self._merged: _Process | None = None
        """All processes together; None while there is only one."""
        self._before = Chunk(1, b"")
        self.lines = 0
        """The number of lines read."""

    def read(self, blocks: Iterable[bytes], process: str = "") -> Iterator[Excerpt]:
        """Yield the excerpts of a log. `process` names the process of lines that name none."""
        for block in blocks:
            yield from self.take(block, process)
        yield from self.end(process)

    def take(self, block: bytes, process: str = "") -> Iterator[Excerpt]:
        """Yield the excerpts that end in the next block of a log."""
        for chunk in self._cutter.take(block):
            yield from self._take_chunk(chunk, process)

    def end(self, process: str = "") -> Iterator[Excerpt]:
        """Yield the excerpts that end with the log."""
        for chunk in self._cutter.end():
            yield from self._take_chunk(chunk, process)
        for each in self._all():
            yield from each.end()
        self._forget()

    def open_excerpts(self) -> list[Excerpt]:
        """Return what the excerpt of each process that has begun one contains so far."""
        return [Excerpt(each.begun) for each in self._processes.values() if each.is_open]

    def _take_chunk(self, raw: Chunk, process: str) -> Iterator[Excerpt]:
        chunk = raw._replace(data=plain(raw.data))
        hits = [found.start() for found in self._trigger.finditer(chunk.data)]
        if hits:
            self._take_before(process)
        if hits or any(each.is_open for each in self._all()):
            yield from self._take(chunk, hits, process)
        else:
            self._forget()
        self._before = chunk
        self.lines = chunk.first + chunk.data.count(b"\n") - chunk.data.endswith(b"\n")

    def _all(self) -> list[_Process]:
        return [*self._processes.values(), *([self._merged] if self._merged else [])]

    def _forget(self) -> None:
        self._processes.clear()
        self._merged = None

    def _take_before(self, process: str) -> None:
        """Take the last lines before a chunk, unless they were taken with the chunk that they are in."""
        first, data = self._before
        if self._processes or not data:
            return
        start = data.rfind(b"\n", 0, max(0, len(data) - _BEFORE)) + 1
        tail = Chunk(first + data.count(b"\n", 0, start), data[start:])
        for number, text in texts(tail):
            line = self._parsed(number, text, process)
            for part in _parts(line):
                self._give(part, False)

    def _take(self, chunk: Chunk, hits: list[int], process: str) -> Iterator[Excerpt]:
        ends = [feed.start() for feed in re.finditer(rb"\n", chunk.data)]
        triggered = {chunk.first + bisect_right(ends, hit) for hit in hits}
        for number, text in texts(chunk):
            line = self._parsed(number, text, process)
            self._passed(line)
            for part in _parts(line):
                yield from self._give(part, number in triggered)
        last = chunk.first + len(ends)
        for each in self._all():
            if each.is_open and each.last_hit + FARTHEST < last:
                yield from each.end()
        if sum(each.size for each in self._all()) > MOST_HELD:
            for each in self._all():
                yield from each.end()
            self._forget()

    def _parsed(self, number: int, text: str, process: str) -> Line:
        own = self._numbers[min(number, len(self._numbers)) - 1] if self._numbers else number
        return parse_line(own, text, process, self._labels)

    def _give(self, line: Line, triggers: bool) -> tuple[Excerpt, ...]:
        """Give a line to its process, and to all together; return the excerpts that it ends."""
        name = line.process if line.process in self._processes or len(self._processes) < MOST_PROCESSES else ""
        process = self._processes.get(name)
        if process is None:
            if len(self._processes) == 1:
                self._merged = next(iter(self._processes.values())).copy()
            process = self._processes[name] = _Process()
        ended = process.take(line, triggers)
        if self._merged is not None:
            ended += self._merged.take(line, triggers)
        return ended


class _Process:
    """The lines of one process: the last ones, or those of the excerpt that has begun."""

    def __init__(self, is_merged: bool = False) -> None:
        self._is_merged = is_merged
        self._kept: deque[Line] = deque(maxlen=AROUND)
        self._excerpt: list[Line] = []
        self._left = 0
        self.last_hit = 0

    def copy(self) -> _Process:
        """Return what all processes together have had, if this one was the only one."""
        copy = _Process(is_merged=True)
        copy._kept.extend(self._kept)
        copy._excerpt = list(self._excerpt)
        copy._left, copy.last_hit = self._left, self.last_hit
        return copy

    @property
    def is_open(self) -> bool:
        """Whether an excerpt has begun."""
        return bool(self._excerpt)

    @property
    def begun(self) -> tuple[Line, ...]:
        """The lines of the excerpt that has begun."""
        return tuple(self._excerpt)

    @property
    def size(self) -> int:
        """How many characters are held."""
        return sum(len(line.text) for lines in (self._kept, self._excerpt) for line in lines)

    def take(self, line: Line, triggers: bool) -> tuple[Excerpt, ...]:
        """Take the next line; return the excerpt that it ends, if any."""
        if not self._excerpt and not triggers:
            self._kept.append(line)
            return ()
        if not self._excerpt:
            self._excerpt = list(self._kept)
            self._kept.clear()
        self._excerpt.append(line)
        if triggers or _IN_TRACEBACK.match(line.text):
            self._left, self.last_hit = AROUND, line.number
        else:
            self._left -= 1
        return self.end() if self._left <= 0 or len(self._excerpt) >= LONGEST else ()

    def end(self) -> tuple[Excerpt, ...]:
        """End the excerpt that has begun, and return it."""
        lines, self._excerpt, self._left = tuple(self._excerpt), [], 0
        self._kept.extend(lines[-AROUND:])
        return (Excerpt(lines, self._is_merged),) if lines else ()


def _parts(line: Line) -> tuple[Line, ...]:
    """The line; of a long one, its beginning and its end."""
    length = len(line.text)
    if length <= LONGEST_LINE:
        return (line,)
    end = line.text[max(LONGEST_LINE, length - LONGEST_LINE) :]
    return line._replace(text=line.text[:LONGEST_LINE]), line._replace(text=end)
