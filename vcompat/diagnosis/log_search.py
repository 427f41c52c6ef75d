"""Reads whole logs: what each has of failures, symptoms, metrics and facts."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from vcompat.diagnosis.failures import Failure, trace
from vcompat.diagnosis.killed import CUES as KILLED
from vcompat.diagnosis.logs.bounded_lines import Unwrapped, unwrapped
from vcompat.diagnosis.logs.excerpts import Excerpt, Reader
from vcompat.diagnosis.logs.log_bytes import Log, Unreadable, blocks
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.turns import CUES as TURNS
from vcompat.diagnosis.logs.turns import Turns
from vcompat.diagnosis.metrics.printed_objects import ObjectReader
from vcompat.diagnosis.metrics.series import Run
from vcompat.diagnosis.metrics.tables import is_table, read_table
from vcompat.diagnosis.metrics.tensorboard_files import is_event_file, read_events
from vcompat.diagnosis.near import LONGEST
from vcompat.diagnosis.ranking import are_timed, closeness, decisive_line, earliness
from vcompat.diagnosis.stated.log_facts import CUES as FACTS
from vcompat.diagnosis.stated.log_facts import FactReader
from vcompat.diagnosis.symptoms import Shown, Sought, examine, sought, trigger
from vcompat.diagnosis.waiting.clues import Clues
from vcompat.diagnosis.waiting.reader import CUES as WAITING
from vcompat.rules.rule import Rule

#: What begins an excerpt besides the symptoms.
_TRACEBACK = (r"Traceback \(most recent call last\)", r'File "[^"\n]{1,400}", line \d+', r"Error: ", r"LLVM ERROR")
#: How often excerpts that differ only in numbers are examined, and of how many that is known.
_OFTEN, _KNOWN = 20, 10_000
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
#: Effects of rules whose failure a run does not survive.
_ENDS_RUN = ("crash", "hang")
#: Of each log, the most failures and the most symptoms that are kept: the first ones are those that matter.
_MOST = 300


class Found(NamedTuple):
    """What one log has."""

    path: str
    failures: list[Failure]
    shown: list[Shown]
    lines: int
    note: str
    """Why it could not be read to its end; empty if it could."""
    trace: tuple[Line, ...]
    """The lines of its first failure."""
    runs: Sequence[Run] = ()
    """The metrics that it has."""
    cut: tuple[Line, ...] = ()
    """The lines of a traceback that has no error at its end."""
    is_completed: bool = False
    """Whether it shows a training that has run to its last step."""
    brief: str = ""
    """All of its text, if that is short."""
    clues: Clues | None = None
    """What can tell why the run hangs."""

    @property
    def time(self) -> str:
        """When its first failure happened; empty if it states no time."""
        return next((each.cause.line.time for each in self.failures if each.cause.line.time), "")

    @property
    def has_ended_run(self) -> bool:
        """Whether one of its failures has ended the run."""
        return any(each.ends_run for each in self.failures)

    @property
    def is_timed(self) -> bool:
        """Whether times tell the order of its failures and of what shows symptoms."""
        lines = [*(each.cause.line for each in self.failures), *(decisive_line(each) for each in self.shown)]
        return are_timed(lines)


class Search:
    """The symptoms to look for, and the facts that the logs state."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.symptoms: tuple[Sought, ...] = sought(self.rules)
        self._trigger = trigger(self.symptoms, (*_TRACEBACK, *FACTS, *KILLED, *TURNS, *WAITING))
        self.facts = FactReader()

    @property
    def rules_with_symptoms(self) -> int:
        """How many rules have symptoms."""
        return len({rule.id for rule in self.rules if rule.symptoms})

    def read(self, log: Log, process: str) -> Found:
        """Read one log to its end, or to where it cannot be read."""
        search = LogSearch(self, log.name, process)
        try:
            if is_event_file(log.name):
                run, arguments = read_events(log.name)
                self.facts.take_settings(arguments, log.name)
                return Found(log.name, [], [], 0, "", (), [run])
            stream = blocks(log)
            first = next(stream, b"")
            if is_table(first):
                return Found(log.name, [], [], 0, "", (), read_table(chain([first], stream), log.name))
            whole = unwrapped(first)
            before = copy.deepcopy(self.facts) if whole else self.facts
            search.take(first)
            for block in stream:
                whole = None
                search.take(block)
        except Unreadable as error:
            return search.end(str(error))
        content = search.end()
        if len(first) <= LONGEST and first.count(b"\n") + 1 >= content.lines:
            content = content._replace(brief=first.decode("utf-8", "replace"))
        return content if whole is None or content.shown else self._read_joined(whole, content, process, before)

    def _read_joined(self, whole: Unwrapped, unjoined: Found, process: str, before: FactReader) -> Found:
        """Read a pasted text, which shows nothing as it is, with wrapped lines joined; else return it `unjoined`.

        `before` are the facts of the logs before it: a version that was cut is none.
        """
        self.facts, as_it_is = before, self.facts
        search = LogSearch(self, unjoined.path, process, whole.numbers)
        search.take(whole.data)
        joined = search.end()
        if joined.shown:
            return joined._replace(runs=unjoined.runs, lines=unjoined.lines)
        self.facts = as_it_is
        return unjoined

    def reader(self, path: str, turns: Turns, clues: Clues, numbers: Sequence[int] = ()) -> Reader:
        """Return what finds the parts of a log that matter; the facts of its lines are collected."""

        def passed(line: Line) -> None:
            self.facts.take(line, path)
            turns.take(line)
            clues.take(line)

        return Reader(self._trigger, passed, numbers)


class LogSearch:
    """What one log has so far."""

    def __init__(self, search: Search, path: str, process: str, numbers: Sequence[int] = ()) -> None:
        """`process` names the process of lines that name none, `numbers` are those of the lines if some were joined."""
        self.path = path
        self._search, self._process = search, process
        self._turns = Turns()
        self._clues = Clues(path, process)
        self._reader = search.reader(path, self._turns, self._clues, numbers)
        self._failures: list[Failure] = []
        self._shown: dict[tuple[str, bool], Shown] = {}
        self._times: Counter[int] = Counter()
        self._firsts: dict[bool, tuple[Failure, tuple[Line, ...]]] = {}
        """The failure that is first so far, and its lines: by its line, and by time, which counts if all state one."""
        self._metrics = ObjectReader(path)
        self._cut: tuple[Line, ...] = ()

    def take(self, block: bytes) -> None:
        """Read the next block."""
        self._metrics.take(block, self._reader.lines + 1)
        self._clues.take_block(block)
        for excerpt in self._reader.take(block, self._process):
            self._examine(excerpt)

    def end(self, note: str = "") -> Found:
        """Return what the log has. `note` states why it could not be read to its end."""
        for excerpt in self._reader.end(self._process):
            self._examine(excerpt)
        self._clues.end(self.lines)
        self._clues.forget(self._turns)
        self._forget_earlier_runs()
        if self._failures:
            self._search.facts.forget_installed(self.path, max(each.cause.line.number for each in self._failures))
        timed = are_timed(failure.cause.line for failure in self._failures)
        first, lines = self._firsts.get(timed, (None, ()))
        more = [first] if first is not None and first not in self._failures else []
        shown = list(self._shown.values())
        if self._metrics.is_cut and self.path.endswith(".json"):
            note = note or "truncated JSON; what is complete was read"
        return Found(
            self.path,
            [*self._failures, *more],
            shown,
            self.lines,
            note,
            lines,
            [self._metrics.run],
            self._cut,
            self._turns.is_completed,
            clues=self._clues,
        )

    @property
    def lines(self) -> int:
        """The number of lines read."""
        return self._reader.lines

    @property
    def failures(self) -> Sequence[Failure]:
        """The failures that have been put together."""
        return self._failures

    def pending(self) -> list[Excerpt]:
        """Return what has not been examined yet, for each process."""
        return self._reader.open_excerpts()

    def _examine(self, excerpt: Excerpt) -> None:
        shape = _shape(excerpt)
        if self._times[shape] >= _OFTEN:
            return
        if len(self._times) < _KNOWN:
            self._times[shape] += 1
        examined = examine(excerpt, self._search.symptoms)
        for failure in self._of_this_run(examined.failures):
            lines = excerpt.lines[failure.cause.first : failure.cause.last + 1]
            self._search.facts.take_traceback(lines, self.path)
            self._keep_first(excerpt, failure, examined.failures)
        self._failures += examined.failures[: max(0, _MOST - len(self._failures))]
        self._cut = self._cut or examined.cut
        for each in examined.shown:
            _keep(self._shown, each)
        self._forget_earlier_runs()

    def _of_this_run(self, failures: Sequence[Failure]) -> list[Failure]:
        """Leave out the failures of an excerpt that precede what it shows of another run."""
        start = self._turns.start(max((each.cause.line.number for each in failures), default=0))
        return [each for each in failures if each.cause.line.number > start]

    def _forget_earlier_runs(self) -> None:
        """Forget failures that a run has survived, and those of an earlier run."""
        last = max((each.cause.line.number for each in self._failures), default=0)
        last = max([last, *(each.lines[-1].number for each in self._shown.values())])
        start = self._turns.start(last)
        self._failures = [each for each in self._failures if each.cause.line.number > start]
        self._shown = {
            key: each
            for key, each in self._shown.items()
            if each.lines[-1].number > self._turns.start(last, each.rule.effect not in _ENDS_RUN)
        }
        self._firsts = {key: each for key, each in self._firsts.items() if each[0].cause.line.number > start}

    def _keep_first(self, excerpt: Excerpt, failure: Failure, others: Sequence[Failure]) -> None:
        """Keep the lines of the failure that is first so far."""
        lines: tuple[Line, ...] = ()
        for timed in (False, True):
            first = self._firsts.get(timed)
            if first is None or earliness(failure, timed) < earliness(first[0], timed):
                lines = lines or trace(excerpt.lines, failure, {each.cause.first for each in others})
                self._firsts[timed] = failure, lines


def _shape(excerpt: Excerpt) -> int:
    """What excerpts have in common that differ only in numbers."""
    text = "\n".join(line.text for line in excerpt.lines)
    return hash((excerpt.is_merged, text.translate(_WITHOUT_DIGITS)))


def _keep(shown: dict[tuple[str, bool], Shown], each: Shown) -> None:
    """Keep of each rule what names the cause best: excerpts end in another order than they begin."""
    key = each.rule.id, each.symptom.is_common
    if key not in shown or closeness(each) < closeness(shown[key]):
        shown[key] = each
