"""What one log has that can tell why a run hangs: signs, and the last lines of each process."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from vcompat.diagnosis.failures import Failure
from vcompat.diagnosis.logs.bounded_lines import Chunk, plain, texts
from vcompat.diagnosis.logs.labels import Labels
from vcompat.diagnosis.logs.prefixes import Line, parse_line
from vcompat.diagnosis.logs.turns import Turns
from vcompat.diagnosis.waiting.reader import SignReader
from vcompat.diagnosis.waiting.signs import Seen, Sign, Wait
from vcompat.diagnosis.waiting.states import Log

#: How many blocks of a log are held while it is read, and bytes of its end that are kept: of one of many without and
#: with signs, and of one that all ranks write to, in which each may have stopped at another place.
_BLOCKS, _LEAST, _SOME, _MOST = 2, 16 * 1024, 64 * 1024, 512 * 1024
#: Levels of lines that say how a process has failed, not what it did.
_BAD = ("ERROR", "CRITICAL", "FATAL")
#: Torch's warnings of its sockets and stores, which it prints while or after a process waits.
_OF_STORE = "[c10d] "


class Clues:
    """Reads one log. Its end is parsed only if a log of the same run has signs."""

    def __init__(self, path: str, process: str) -> None:
        """`process` names the process of lines that name none."""
        self._process = process
        self._reader = SignReader(path)
        self._blocks: deque[bytes] = deque(maxlen=_BLOCKS)
        self._lines = 0

    @property
    def signs(self) -> Sequence[Sign]:
        """What the lines that were read state."""
        return self._reader.signs

    @property
    def has_timeout(self) -> bool:
        """Whether a rank has given up waiting."""
        return any(isinstance(sign, Wait) for sign in self.signs)

    def take_block(self, block: bytes) -> None:
        """Hold the next block for as long as it may be the last one."""
        self._blocks.append(block)

    def take(self, line: Line) -> None:
        """Read a line of a part of the log that is read line by line."""
        self._reader.take(line)

    def end(self, lines: int) -> None:
        """End the log, which has that many lines."""
        self._lines = lines
        self._reader.end()
        data = b"".join(self._blocks)
        kept = _LEAST if not self._reader.signs else _SOME if self._process else _MOST
        self._blocks.clear()
        self._blocks.append(data[data.rfind(b"\n", 0, max(0, len(data) - kept)) + 1 :])

    def forget(self, turns: Turns) -> None:
        """Forget what precedes a training that went on to its end, or another run in the same log."""
        start = turns.start(max((sign.seen.line.number for sign in self.signs), default=0))
        self._reader.signs = [sign for sign in self.signs if sign.seen.line.number > start]

    def log(self, failures: Sequence[Failure]) -> Log:
        """Return what is known of the log, which has these `failures`."""
        lasts = self._lasts()
        reader = self._reader
        return Log(reader.path, reader.signs, failures, reader.tracebacks, {*reader.processes, *lasts}, lasts)

    def _lasts(self) -> dict[str, Seen]:
        """The last line of each process that tells what it did."""
        data = plain(b"".join(self._blocks))
        first = self._lines - data.count(b"\n") + data.endswith(b"\n")
        reader, labels = SignReader(self._reader.path), Labels()
        lasts: dict[str, Seen] = {}
        times: dict[str, str] = {}
        for number, text in texts(Chunk(max(1, first), data)) if data else ():
            line = parse_line(number, text, self._process, labels)
            if reader.take(line) or _OF_STORE in line.text or line.level in _BAD or not line.text.strip():
                continue
            times[line.process] = time = line.time or times.get(line.process, "")
            lasts[line.process] = Seen(reader.path, line, after=time)
        return lasts
