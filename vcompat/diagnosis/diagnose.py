"""A whole diagnosis: logs in, ranked rules out."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from vcompat.diagnosis.around import Around, combined
from vcompat.diagnosis.excerpts import Excerpt, Reader
from vcompat.diagnosis.failures import Failure
from vcompat.diagnosis.log_facts import CUES, FactReader
from vcompat.diagnosis.ranking import CONTRADICTED, Match, Seen, closeness, first_failure, ranked
from vcompat.diagnosis.reading import STDIN, Log, Unreadable, blocks, open_log, paths_of
from vcompat.diagnosis.symptoms import Shown, Sought, examine, sought, trigger
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule

#: What begins an excerpt besides the symptoms.
_TRACEBACK = (r"Traceback \(most recent call last\):", r'File "[^"\n]{1,400}", line \d+', r"Error: ", r"LLVM ERROR")
#: How often excerpts that differ only in numbers are examined, and of how many that is known.
_OFTEN, _KNOWN = 20, 10_000
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
#: A run that prints this many more lines has not crashed; levels of what may have ended it nevertheless.
_GOES_ON = 100
_BAD = ("ERROR", "CRITICAL", "FATAL")
#: Of each log, the most failures and the most symptoms that are kept: the first ones are those that matter.
_MOST = 300


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

    @property
    def causes(self) -> tuple[Match, ...]:
        """The matches that no fact contradicts."""
        return tuple(match for match in self.matches if match.certainty != CONTRADICTED)


class _Found(NamedTuple):
    """What one log has."""

    path: str
    failures: list[Failure]
    shown: list[Shown]
    lines: int
    note: str

    @property
    def time(self) -> str:
        """When its first failure happened; empty if it states no time."""
        return next((each.cause.line.time for each in self.failures if each.cause.line.time), "")


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
    files = [file for path in paths for file in paths_of(path)]
    search = _Search(rules)
    found = []
    for path, process in zip(files, _process_names(files), strict=True):
        log = open_log(path)
        with closing(log.file):
            found.append(search.read(log, process))
    if all(each.note and not each.lines for each in found):
        raise InputError(found[0].path, found[0].note, "a log")
    return _diagnosis(found, search, settings or {}, around or Around(Facts()))


def diagnose_text(
    text: str,
    rules: Iterable[Rule],
    settings: Mapping[str, str] | None = None,
    around: Around | None = None,
    name: str = "<text>",
) -> Diagnosis:
    """Diagnose the text of a log, such as what an issue quotes, and call it `name`; the rest as in `diagnose_paths`."""
    search = _Search(rules)
    found = search.read(Log(name, io.BytesIO(text.encode("utf-8", "replace"))), "")
    return _diagnosis([found], search, settings or {}, around or Around(Facts()))


class _Search:
    """The symptoms to look for, and the facts that the logs state."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.symptoms: tuple[Sought, ...] = sought(rules)
        self._trigger = trigger(self.symptoms, (*_TRACEBACK, *CUES))
        self.facts = FactReader()

    def read(self, log: Log, process: str) -> _Found:
        """Read one log to its end, or to where it cannot be read."""
        failures: list[Failure] = []
        shown: dict[str, Shown] = {}
        note = ""
        times: Counter[int] = Counter()
        reader = Reader(self._trigger, lambda line: self.facts.take(line, log.name))
        try:
            for excerpt in reader.read(blocks(log), process):
                shape = _shape(excerpt)
                if times[shape] >= _OFTEN:
                    continue
                if len(times) < _KNOWN:
                    times[shape] += 1
                examined = examine(excerpt, self.symptoms)
                for failure in examined.failures:
                    self.facts.take_traceback(excerpt.lines[failure.cause.first : failure.cause.last + 1], log.name)
                failures += examined.failures[: max(0, _MOST - len(failures))]
                for each in examined.shown:
                    _keep(shown, each)
        except Unreadable as error:
            note = str(error)
        return _Found(log.name, failures, list(shown.values()), reader.lines, note)


def _shape(excerpt: Excerpt) -> int:
    """What excerpts have in common that differ only in numbers."""
    text = "\n".join(line.text for line in excerpt.lines)
    return hash((excerpt.is_merged, text.translate(_WITHOUT_DIGITS)))


def _keep(shown: dict[str, Shown], each: Shown) -> None:
    """Keep of each rule what names the cause best: excerpts end in another order than they begin."""
    known = shown.get(each.rule.id)
    if known is None or closeness(each) < closeness(known):
        shown[each.rule.id] = each


def _diagnosis(found: list[_Found], search: _Search, settings: Mapping[str, str], around: Around) -> Diagnosis:
    if all(each.time for each in found if each.failures):
        found = sorted(found, key=lambda each: each.time or "~")
    facts, conflicts = combined(around, search.facts.facts(), settings)
    seen = [
        Seen(shown, each.path, order)
        for order, each in enumerate(found)
        for shown in each.shown
        if not _went_on(shown, each)
    ]
    first = first_failure([(order, each.path, one) for order, each in enumerate(found) for one in each.failures])
    return Diagnosis(
        tuple(ranked(seen, facts)),
        first[2] if first else None,
        first[1] if first else "",
        tuple(each.path for each in found),
        sum(each.lines for each in found),
        facts,
        tuple(f"{each.path}: {each.note}" for each in found if each.note),
        len({each.rule.id for each in search.symptoms}),
        conflicts,
    )


def _went_on(shown: Shown, found: _Found) -> bool:
    """Whether a run did not crash where a text is that a crash prints: a program has coped with it."""
    if shown.rule.effect != "crash" or shown.lines[-1].level in _BAD:
        return False
    return found.lines - shown.lines[-1].number > _GOES_ON and not any(each.ends_run for each in found.failures)


def _process_names(paths: Sequence[str]) -> list[str]:
    """The names of the processes of logs, if each process has a log of its own: the paths as far as they differ."""
    if len(paths) < 2 or STDIN in paths:
        return [""] * len(paths)
    common = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    return [os.path.relpath(os.path.abspath(path), common) for path in paths]
