"""A whole diagnosis: logs in, ranked rules out."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import NamedTuple

from vcompat.diagnosis.around import Around, combined
from vcompat.diagnosis.excerpts import Excerpt, Reader
from vcompat.diagnosis.failures import Failure, trace
from vcompat.diagnosis.killed import CUES as KILLED
from vcompat.diagnosis.log_facts import CUES as FACTS
from vcompat.diagnosis.log_facts import FactReader
from vcompat.diagnosis.metrics.events import is_event_file, read_events
from vcompat.diagnosis.metrics.objects import ObjectReader
from vcompat.diagnosis.metrics.series import Run, distinct
from vcompat.diagnosis.metrics.signatures import Judged, judged, state
from vcompat.diagnosis.metrics.tables import is_table, read_table
from vcompat.diagnosis.prefixes import Line
from vcompat.diagnosis.ranking import (
    CONTRADICTED,
    Match,
    Seen,
    are_timed,
    by_process,
    closeness,
    decisive_line,
    earliness,
    first_failure,
    ranked,
)
from vcompat.diagnosis.reading import STDIN, Log, Unreadable, blocks, open_log, paths_of
from vcompat.diagnosis.symptoms import Shown, Sought, examine, shown_by, sought, trigger
from vcompat.diagnosis.turns import CUES as TURNS
from vcompat.diagnosis.turns import Turns
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule

#: What begins an excerpt besides the symptoms.
_TRACEBACK = (r"Traceback \(most recent call last\):", r'File "[^"\n]{1,400}", line \d+', r"Error: ", r"LLVM ERROR")
#: How often excerpts that differ only in numbers are examined, and of how many that is known.
_OFTEN, _KNOWN = 20, 10_000
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
#: Effects of rules whose failure a run does not survive.
_ENDS_RUN = ("crash", "hang")
#: Facts of which a log in which vLLM generates states one.
_OF_ROLLOUTS = ("plan.use_vllm", "vllm.engine", "vllm.dtype")
#: A run that prints this many more lines has not crashed; levels of what may have ended it nevertheless.
GOES_ON = 100
_BAD = ("ERROR", "CRITICAL", "FATAL")
#: Of each log, the most failures and the most symptoms that are kept: the first ones are those that matter.
_MOST = 300


class Ended(NamedTuple):
    """A process that a failure ended."""

    failure: Failure
    path: str
    """The log that has it."""


class Diagnosis(NamedTuple):
    """What logs tell about a failure."""

    matches: tuple[Match, ...]
    """The rules that the logs show, the likeliest cause first."""
    failure: Failure | None
    """The failure that was first, as far as the logs tell."""
    failure_path: str
    """The log that has it."""
    paths: tuple[str, ...]
    lines: int
    facts: Facts
    notes: tuple[str, ...]
    """What could not be read, and why."""
    rules: int
    """How many rules have symptoms."""
    conflicts: tuple[str, ...] = ()
    """Where the logs and what is known from beside them differ; the logs count."""
    trace: tuple[Line, ...] = ()
    """The lines of the failure that was first: its tracebacks and its message."""
    ended: tuple[Ended, ...] = ()
    """The processes that ended with a failure, the first one first."""
    metrics: tuple[Judged, ...] = ()
    """The metrics of each run that the logs have, and what their shape means."""
    accounts: tuple[str, ...] = ()
    """The lines that name accounts of users, which an anonymous report must not name anywhere."""

    @property
    def is_cause_found(self) -> bool:
        """Whether a rule matches, or metrics show a failure."""
        return bool(self.causes) or any(each.signatures for each in self.metrics)

    @property
    def causes(self) -> tuple[Match, ...]:
        """The matches that no fact contradicts."""
        return tuple(match for match in self.matches if match.certainty != CONTRADICTED)


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
    is_completed: bool = False
    """Whether it shows a training that has run to its last step."""

    @property
    def time(self) -> str:
        """When its first failure happened; empty if it states no time."""
        return next((each.cause.line.time for each in self.failures if each.cause.line.time), "")

    @property
    def is_timed(self) -> bool:
        """Whether times tell the order of its failures and of what shows symptoms."""
        lines = [*(each.cause.line for each in self.failures), *(decisive_line(each) for each in self.shown)]
        return are_timed(lines)


def diagnose_paths(
    paths: Sequence[str],
    rules: Iterable[Rule],
    settings: Mapping[str, str] | None = None,
    around: Around | None = None,
) -> Diagnosis:
    """Diagnose logs: files, folders of them, ``-`` for standard input. `settings` are facts as ``--set`` takes them.

    `around` are facts from beside the logs, such as those of the machine; they count where the logs state none.
    Raises InputError if nothing can be read.
    """
    files = [file for path in dict.fromkeys(paths) for file in paths_of(path)]
    search = Search(rules)
    found = []
    for path, process in zip(files, process_names(files), strict=True):
        log = open_log(path, waits=True)
        with closing(log.file):
            found.append(search.read(log, process))
    if all(each.note and not each.lines for each in found):
        raise InputError(found[0].path, found[0].note, "a log")
    return diagnosis(found, search, settings or {}, around or Around(Facts()))


def diagnose_text(
    text: str,
    rules: Iterable[Rule],
    settings: Mapping[str, str] | None = None,
    around: Around | None = None,
    name: str = "<text>",
) -> Diagnosis:
    """Diagnose the text of a log, such as what an issue quotes, and call it `name`; the rest as in `diagnose_paths`."""
    search = Search(rules)
    found = search.read(Log(name, io.BytesIO(text.encode("utf-8", "replace"))), "")
    return diagnosis([found], search, settings or {}, around or Around(Facts()))


class Search:
    """The symptoms to look for, and the facts that the logs state."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.symptoms: tuple[Sought, ...] = sought(self.rules)
        self._trigger = trigger(self.symptoms, (*_TRACEBACK, *FACTS, *KILLED, *TURNS))
        self.facts = FactReader()

    def read(self, log: Log, process: str) -> Found:
        """Read one log to its end, or to where it cannot be read."""
        one = LogSearch(self, log.name, process)
        try:
            if is_event_file(log.name):
                run, arguments = read_events(log.name)
                self.facts.take_settings(arguments, log.name)
                return Found(log.name, [], [], 0, "", (), [run])
            stream = blocks(log)
            first = next(stream, b"")
            if is_table(first):
                return Found(log.name, [], [], 0, "", (), read_table(chain([first], stream), log.name))
            for block in chain([first], stream):
                one.take(block)
        except Unreadable as error:
            return one.end(str(error))
        return one.end()

    def reader(self, path: str, turns: Turns) -> Reader:
        """Return what finds the parts of a log that matter; the facts of its lines are collected."""

        def passed(line: Line) -> None:
            self.facts.take(line, path)
            turns.take(line)

        return Reader(self._trigger, passed)


class LogSearch:
    """What one log has so far."""

    def __init__(self, search: Search, path: str, process: str) -> None:
        """`process` names the process of lines that name none."""
        self.path = path
        self._search, self._process = search, process
        self._turns = Turns()
        self._reader = search.reader(path, self._turns)
        self._failures: list[Failure] = []
        self._shown: dict[tuple[str, bool], Shown] = {}
        self._times: Counter[int] = Counter()
        self._firsts: dict[bool, tuple[Failure, tuple[Line, ...]]] = {}
        """The failure that is first so far, and its lines: by its line, and by time, which counts if all state one."""
        self._metrics = ObjectReader(path)

    def take(self, block: bytes) -> None:
        """Read the next block."""
        self._metrics.take(block, self._reader.lines + 1)
        for excerpt in self._reader.take(block, self._process):
            self._examine(excerpt)

    def end(self, note: str = "") -> Found:
        """Return what the log has. `note` states why it could not be read to its end."""
        for excerpt in self._reader.end(self._process):
            self._examine(excerpt)
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
            self._turns.is_completed,
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


def diagnosis(found: list[Found], search: Search, settings: Mapping[str, str], around: Around) -> Diagnosis:
    """Return what the logs that `search` has read, which have what is `found`, tell together."""
    if all(each.time for each in found if each.failures):
        found = sorted(found, key=lambda each: each.time or "~")
    metrics = [judged(run) for run in distinct(run for each in found for run in each.runs)]
    stated = search.facts.facts()
    for each in metrics:
        state(each, stated)
    facts, conflicts = combined(around, stated, settings)
    seen = [
        Seen(shown, each.path, order, decisive_line(shown).time if each.is_timed else "")
        for order, each in enumerate(found)
        for shown in each.shown
        if not _went_on(shown, each) and not _is_of_another_use(shown, each, facts)
    ]
    seen += [Seen(shown, each.run.path, len(found)) for each in metrics for shown in shown_by(each, search.rules)]
    failures = [(order, each.path, one) for order, each in enumerate(found) for one in each.failures]
    first = first_failure(failures)
    return Diagnosis(
        tuple(ranked(seen, facts)),
        first[2] if first else None,
        first[1] if first else "",
        tuple(dict.fromkeys(each.path for each in found)),
        sum(each.lines for each in found),
        facts,
        tuple(f"{each.path}: {each.note}" for each in found if each.note),
        len({rule.id for rule in search.rules if rule.symptoms}),
        conflicts,
        found[first[0]].trace if first else (),
        tuple(Ended(failure, path) for _, path, failure in by_process(failures)),
        tuple(each for each in metrics if each.run.all_series),
        tuple(search.facts.accounts),
    )


def _went_on(shown: Shown, found: Found) -> bool:
    """Whether a run did not crash where a text is that a crash prints: a program has coped with it."""
    if shown.rule.effect != "crash" or shown.lines[-1].level in _BAD:
        return False
    return found.lines - shown.lines[-1].number > GOES_ON and not any(each.ends_run for each in found.failures)


def _is_of_another_use(shown: Shown, found: Found, facts: Facts) -> bool:
    """Whether a run has ended well, and nothing shows that vLLM generates, which the rule is about."""
    is_well = found.is_completed and not any(each.ends_run for each in found.failures)
    if not is_well or "plan.use_vllm" not in shown.rule.when.names():
        return False
    return all(facts.get(name) is None for name in _OF_ROLLOUTS)


def process_names(paths: Sequence[str]) -> list[str]:
    """Return the names of processes, if each has a log of its own: the paths as far as they differ."""
    if len(paths) < 2 or STDIN in paths:
        return [""] * len(paths)
    common = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    return [os.path.relpath(os.path.abspath(path), common) for path in paths]
