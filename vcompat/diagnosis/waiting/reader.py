"""Finds what the lines of a log state about ranks that wait."""

from __future__ import annotations

import re

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.waiting.signs import Accused, Exit, Frame, Mismatch, Seen, Sign, Stuck, Wait, Work
from vcompat.diagnosis.waiting.signs import Dump as Dumped
from vcompat.diagnosis.waiting.stacks import CUES as STACKS
from vcompat.diagnosis.waiting.stacks import Stack, StackReader, is_of_collective

#: Patterns over bytes: lines that may state something.
CUES = (
    *STACKS,
    r"collective operation timeout: WorkNCCL",
    r"last completed (?:NCCL )?work: ",
    r"watchdog got stuck for \d",
    r"Timed out (?:waiting|after) \d|Timed out initializing process group",
    r"wait timeout after \d",
    r"Socket Timeout",
    r"client socket has timed out after",
    r"(?:closed|reset) by peer",
    r"failed to pass monitoredBarrier",
    r"connectFullMesh failed|caused pair closure",
    r"mismatch between collectives on ranks",
    r"didn't (?:join|finish) collective #",
    r" \(local_rank: \d",
    r"forcefully exiting via",
)
#: One of these is in each line that states something.
_WORDS = (
    "WorkNCCL(",
    "completed ",
    "watchdog got stuck",
    "imed out ",
    "timeout after",
    "Socket Timeout",
    " by peer",
    "monitoredBarrier",
    "connectFullMesh",
    "pair closure",
    "mismatch between",
    "collective #",
    "(local_rank: ",
    ") local_rank: ",
    "exitcode ",
    "  time ",
    "forcefully",
)

#: What NCCL's lines begin with; its rank is that in the process group, which only the default group has in common.
_LABEL = re.compile(
    r"\[(?:PG (?:ID )?(?P<pg>\d{1,9})(?: PG GUID (?P<guid>[^\]\s]{1,80}?))? ?(?:\((?P<name>[^)\]]{0,80})\))? )?"
    r"Rank (?P<rank>\d{1,6})\]"
)
_DEFAULT = ("", "0", "default_pg")
_WORK = re.compile(
    r"collective operation timeout: WorkNCCL\((?:SeqNum=(?P<number>\d{1,20}), )?OpType=(?P<operation>\w{1,60})"
    r"(?:, (?P<size>(?:NumelIn|TensorShape)=.{1,200}?))?(?:, Timeout\(ms\)=(?P<limit>\d{1,12}))\)"
    r" ran for (?P<ran>\d{1,12}) milliseconds"
)
_PROGRESS = re.compile(
    r"[Ll]ast enqueued (?:NCCL )?work: (?P<enqueued>-?\d{1,20}), "
    r"last completed (?:NCCL )?work: (?P<completed>-?\d{1,20})"
)
#: The work that has failed, as the watchdog states it with the process group: the line about the timeout has none.
_FAILED_WORK = re.compile(r"\bwork(?: sequence id)?: (?P<number>\d{1,20})\b")
#: Numbers above this are -1 of an unsigned type: nothing was completed.
_NONE = 1 << 31
_STUCK = re.compile(r"watchdog got stuck for (?P<seconds>\d{1,9}) seconds")
_GLOO = re.compile(r"Timed out waiting (?P<limit>\d{1,12})ms for (?:recv|send) operation to complete")
_PAIR = "Application timeout caused pair closure"
_LOST = re.compile(r"Connection (?:closed|reset) by peer")
_MESH = re.compile(r"connectFullMesh failed")
_STORE = re.compile(
    r"(?P<clients>Timed out after (?P<seconds>\d{1,9}) seconds waiting for clients)"
    r"|(?P<barrier>Timed out initializing process group in store based barrier on rank:? (?P<rank>\d{1,6}))"
    r"|(?P<keys>wait timeout after (?P<limit>\d{1,12})ms, keys: \S{1,400})"
    r"|(?P<socket>The client socket has timed out after (?P<tried>\d{1,12}) ?ms while trying to connect to )"
    r"|(?P<plain>DistStoreError: Socket Timeout|^(?:\w{1,40}\.)*\w{1,40}(?:Error)?: Socket Timeout)"
)
_ACCUSED = (
    re.compile(r"\bRanks? (?P<ranks>\d{1,6}(?:, \d{1,6}){0,400}) failed to pass monitoredBarrier in \d"),
    re.compile(
        r"\[(?P<ranks>\d{1,6}(?:, ?\d{1,6}){0,400})\] finished collective #\d{1,20}, but didn't join collective #"
    ),
)
_MISMATCH = re.compile(
    r"mismatch between collectives on ranks\. Rank (?P<first>\d{1,6}) is running collective: .{1,80}?"
    r"OpType=(?P<one>\w{1,60})\b(?:, (?P<size>TensorShape=\[.{0,200}?\]))?.{0,600}?"
    r"\bRank (?P<second>\d{1,6}) is running collective: .{1,80}?OpType=(?P<other>\w{1,60})"
    r"(?:, (?P<another>TensorShape=\[.{0,200}?\]))?"
)
#: torchrun: `failed (exitcode: -9) local_rank: 1 (pid: 32042)`, and the table below it.
_FAILED = re.compile(
    r"failed \(exitcode: (?P<code>-?\d{1,4})\) local_rank: (?P<rank>\d{1,6}) \(pid: (?P<pid>\d{1,10})\)"
)
_RANK = re.compile(r"\s{0,8}rank {2,8}: (?P<rank>\d{1,6}) \(local_rank: \d{1,6}\)")
_WHEN = re.compile(r"\s{0,8}time {2,8}: \d{4}-(?P<date>\d\d-\d\d)_(?P<time>\d\d:\d\d:\d\d)")
#: What torchrun prints before it kills a process that it could not end otherwise, because another one has failed.
_FORCED = re.compile(r"Unable to shutdown process (?P<pid>\d{1,10}) via \S{1,20}, forcefully exiting via")
_CODE = re.compile(r"\s{0,8}exitcode {1,6}: (?P<code>-?\d{1,4}) \(pid: (?P<pid>\d{1,10})\)")
#: The most signs of one log that are kept, the most processes whose stacks are read, and the signs since the one of a
#: timeout among which the lines below it are looked for.
_MOST, _MOST_PROCESSES, _NEAR = 20_000, 4096, 200
#: Lines between a traceback and the line that states its error.
_LONGEST = 8192


class SignReader:
    """Reads the lines of one log."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.signs: list[Sign] = []
        self.tracebacks: dict[int, tuple[Frame, ...]] = {}
        """The calls of each traceback, and of each dump of a crash, by the number of the line that ends it."""
        self.processes: set[str] = set()
        """The processes that the lines name."""
        self._stacks: dict[str, StackReader] = {}
        self._failed: StackReader | None = None
        """What reads the stack of a collective that began last."""
        self._table_rank: int | None = None
        """The rank that the table of torchrun is about."""
        self._table_time = ""
        self._forced: set[int] = set()
        """The processes that torchrun has killed."""

    def take(self, line: Line) -> bool:
        """Read the next line; return whether it is part of a stack, or states something."""
        text = line.text[:_LONGEST]
        if line.process not in self.processes and len(self.processes) < _MOST_PROCESSES:
            self.processes.add(line.process)
        if self._failed is not None and is_of_collective(text):
            self._failed.take(line)
            return True
        reader = self._stacks.get(line.process)
        if reader is None:
            if not _may_begin(text) or len(self._stacks) >= _MOST_PROCESSES:
                return self._take_text(line, text, None)
            reader = self._stacks[line.process] = StackReader()
        is_part, ended = reader.take(line)
        if reader.is_in_collective:
            self._failed = reader
        if ended is not None:
            self._take_stack(ended, line)
        return is_part or self._take_text(line, text, ended)

    def end(self) -> None:
        """End the stacks that the log ends with."""
        for reader in self._stacks.values():
            if (stack := reader.end()) is not None:
                self._take_stack(stack, stack.head)

    def _take_stack(self, stack: Stack, after: Line) -> None:
        if stack.kind == "dump":
            self._add(Dumped(Seen(self.path, stack.head, pid=stack.pid), stack.frames))
        elif stack.kind == "collective":
            self._give_frames(stack)
        elif len(self.tracebacks) < _MOST:
            # The error of a crash is above its stack.
            self.tracebacks[stack.above or after.number] = stack.frames

    def _give_frames(self, stack: Stack) -> None:
        """Give the stack of a collective to the wait that the watchdog of the same process has stated before."""
        for index in range(len(self.signs) - 1, max(-1, len(self.signs) - _NEAR), -1):
            sign = self.signs[index]
            if isinstance(sign, Wait) and sign.seen.line.process == stack.head.process:
                self.signs[index] = sign._replace(frames=stack.frames)
                return

    def _add(self, sign: Sign) -> bool:
        if len(self.signs) < _MOST:
            self.signs.append(sign)
        return True

    def _take_text(self, line: Line, text: str, ended: Stack | None) -> bool:
        """Read a line that is no part of a stack. `ended` is the stack that it ends."""
        if not any(word in text for word in _WORDS):
            return False
        frames = ended.frames if ended is not None and ended.kind == "traceback" else ()
        if "NCCL" in text or "completed work: " in text:
            return self._take_nccl(line, text, frames)
        if stated := _GLOO.search(text):
            return self._wait(line, frames, float(stated["limit"]) / 1000)
        if _PAIR in text:
            return self._wait(line, frames, None)
        if _LOST.search(text):
            return self._wait(line, frames, None, is_lost=True) if frames else False
        if _MESH.search(text):
            return self._add(Wait(Seen(self.path, line), "", None, "", "", None, frames, is_rendezvous=True))
        if stated := _STORE.search(text):
            return self._take_store(line, frames, stated)
        return self._take_names(line, text, frames) or self._take_exit(line, text)

    def _take_nccl(self, line: Line, text: str, frames: tuple[Frame, ...]) -> bool:
        label = _LABEL.search(text)
        group = _group(label)
        rank = int(label["rank"]) if label is not None and group in _DEFAULT else None
        seen = Seen(self.path, line, rank)
        if stated := _WORK.search(text):
            number = int(stated["number"]) if stated["number"] else None
            seconds = int(stated["ran"]) / 1000
            return self._add(Wait(seen, stated["operation"], number, stated["size"] or "", group, seconds, ()))
        if stated := _PROGRESS.search(text):
            self._give_group(line, group, text[: stated.start()])
            return self._add(Work(seen, group, _count(stated["enqueued"]), _count(stated["completed"])))
        if stated := _STUCK.search(text):
            return self._add(Stuck(seen, int(stated["seconds"])))
        return self._take_names(line, text, frames)

    def _give_group(self, line: Line, group: str, text: str) -> None:
        """Give the process group that a line states to the wait of the same process for the work that it names."""
        failed = _FAILED_WORK.search(text)
        if failed is None or not group:
            return
        number = int(failed["number"])
        for index in range(len(self.signs) - 1, max(-1, len(self.signs) - _NEAR), -1):
            sign = self.signs[index]
            if isinstance(sign, Wait) and sign.seen.line.process == line.process and sign.number == number:
                # The rank that such a line states is that within the group.
                self.signs[index] = sign._replace(group=group, seen=sign.seen._replace(rank=None))
                return

    def _wait(self, line: Line, frames: tuple[Frame, ...], seconds: float | None, is_lost: bool = False) -> bool:
        return self._add(Wait(Seen(self.path, line), "", None, "", "", seconds, frames, is_lost))

    def _take_store(self, line: Line, frames: tuple[Frame, ...], stated: re.Match[str]) -> bool:
        limit = stated["limit"] or stated["tried"]
        seconds = int(stated["seconds"]) if stated["seconds"] else int(limit) / 1000 if limit else None
        rank = int(stated["rank"]) if stated["rank"] else None
        wait = Wait(Seen(self.path, line, rank), "", None, "", "", seconds, frames, is_rendezvous=True)
        return self._add(wait)

    def _take_names(self, line: Line, text: str, frames: tuple[Frame, ...]) -> bool:
        for pattern in _ACCUSED:
            if stated := pattern.search(text):
                return self._add(Accused(Seen(self.path, line), tuple(map(int, stated["ranks"].split(",")))))
        if stated := _MISMATCH.search(text):
            ranks, operations = (int(stated["first"]), int(stated["second"])), (stated["one"], stated["other"])
            sizes = stated["size"] or "", stated["another"] or ""
            return self._add(Mismatch(Seen(self.path, line), ranks, operations, sizes, frames))
        return False

    def _take_exit(self, line: Line, text: str) -> bool:
        if stated := _FORCED.search(text):
            self._forced.add(int(stated["pid"]))
            return True
        if stated := _WHEN.match(text):
            self._table_time = f"{stated['date']} {stated['time']}"
            return True
        if stated := _FAILED.search(text):
            return self._add(Exit(Seen(self.path, line, int(stated["rank"]), int(stated["pid"])), int(stated["code"])))
        if stated := _RANK.match(text):
            self._table_rank = int(stated["rank"])
            return True
        if (stated := _CODE.match(text)) and self._table_rank is not None:
            rank, self._table_rank, pid = self._table_rank, None, int(stated["pid"])
            timed = line._replace(time=line.time or self._table_time)
            code = 0 if pid in self._forced else int(stated["code"])
            return self._add(Exit(Seen(self.path, timed, rank, pid), code))
        return False


def _may_begin(text: str) -> bool:
    """Whether a stack, or what is above it, can begin with a line."""
    return text.endswith(":") or text.startswith(("Thread ", "Process ", "Timeout (", "Fatal Python"))


def _group(label: re.Match[str] | None) -> str:
    """The name of a process group; empty for the default group."""
    if label is None:
        return ""
    name = label["name"] or label["guid"] or label["pg"] or ""
    return "" if name in _DEFAULT else name


def _count(text: str) -> int:
    number = int(text)
    return -1 if number >= _NONE else number
