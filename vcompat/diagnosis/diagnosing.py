"""A whole diagnosis: logs in, ranked rules out."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from vcompat.diagnosis.described import described
from vcompat.diagnosis.failures import Failure
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.log_search import Found, Search
from vcompat.diagnosis.logs.log_bytes import STDIN, Log, open_log, paths_of
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.quoted import has_quoting_form
from vcompat.diagnosis.metrics.metric_shapes import Judged, judged, state
from vcompat.diagnosis.metrics.series import distinct
from vcompat.diagnosis.ranking import (
    CERTAIN,
    CONTRADICTED,
    Match,
    Seen,
    by_process,
    decisive_line,
    first_failure,
    ranked,
)
from vcompat.diagnosis.stated.around import Around, combined
from vcompat.diagnosis.symptoms import Shown, shown_by
from vcompat.diagnosis.unfinished import suspected
from vcompat.diagnosis.waiting.why_waiting import Hang, hang_of
from vcompat.evaluation.evaluate import evaluate_certain
from vcompat.evaluation.finding import Finding, by_order
from vcompat.facts.facts import Facts
from vcompat.facts.place import Place
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule

#: Facts of which a log in which vLLM generates states one.
_OF_ROLLOUTS = ("plan.use_vllm", "vllm.engine", "vllm.dtype")
#: A run that prints this many more lines has not crashed; levels of what may have ended it nevertheless.
GOES_ON = 100
_BAD = ("ERROR", "CRITICAL", "FATAL")


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
    applying: tuple[Finding, ...] = ()
    """The rules that certainly apply with the facts known, if something has failed and no text shows the cause."""
    leads: tuple[Lead, ...] = ()
    """What the code of the releases says about the failure, if no rule names its cause."""
    cut: Place | None = None
    """Where a traceback begins that has no error at its end, if the logs state no failure."""
    accounts: tuple[str, ...] = ()
    """The lines that name accounts of users, which an anonymous report must not name anywhere."""
    hang: Hang | None = None
    """Why ranks of the run wait for each other, if logs show that some do."""

    @property
    def is_cause_found(self) -> bool:
        """Whether a rule matches, metrics show a failure, or it is known why the run hangs."""
        is_shown = bool(self.causes) or any(each.signatures for each in self.metrics)
        return is_shown or (self.hang is not None and self.hang.is_explained)

    @property
    def causes(self) -> tuple[Match, ...]:
        """The matches that no fact contradicts."""
        return tuple(match for match in self.matches if match.certainty != CONTRADICTED)


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
    notes = _narrowed(found[first[0]].trace if first else (), facts)
    unfinished = next((each for each in found if each.cut), None) if first is None else None
    if not seen and first is None:
        seen = _guessed(found, unfinished, search)
    diagnosed = Diagnosis(
        tuple(ranked(seen, facts)),
        first[2] if first else None,
        first[1] if first else "",
        tuple(dict.fromkeys(each.path for each in found)),
        sum(each.lines for each in found),
        facts,
        (*(f"{each.path}: {each.note}" for each in found if each.note), *notes),
        len({rule.id for rule in search.rules if rule.symptoms}),
        conflicts,
        found[first[0]].trace if first else (),
        tuple(Ended(failure, path) for _, path, failure in by_process(failures)),
        tuple(each for each in metrics if each.run.all_series),
        cut=Place(unfinished.path, unfinished.cut[0].number) if unfinished else None,
        accounts=tuple(search.facts.accounts),
        hang=_hang(found),
    )
    diagnosed = _with_leads(diagnosed, found)
    if diagnosed.is_cause_found or (first is None and unfinished is None):
        return diagnosed
    return diagnosed._replace(applying=tuple(sorted(evaluate_certain(search.rules, facts), key=by_order)))


def _hang(found: Sequence[Found]) -> Hang | None:
    """Why ranks wait for each other. Only if a log shows that one does, the ends of all logs are read."""
    clues = [(each.clues, each.failures) for each in found if each.clues is not None]
    if not any(one.signs for one, _ in clues):
        return None
    hang = hang_of([one.log(failures) for one, failures in clues])
    # Stacks that were printed once tell nothing of a run that has gone on to its end.
    went_on = any(each.is_completed for each in found) and not any(one.has_timeout for one, _ in clues)
    return None if went_on else hang


def _narrowed(trace: Sequence[Line], facts: Facts) -> tuple[str, ...]:
    """Narrow releases that nothing states by the traceback of the failure. Return why that failed; empty if not."""
    if not trace:
        return ()
    # Imported here, as below: without a traceback, the index is not needed.
    from vcompat.diagnosis.leads.leads import narrow

    try:
        narrow(trace, facts)
    except InputError as error:
        return (str(error),)
    return ()


def _with_leads(diagnosed: Diagnosis, found: Sequence[Found]) -> Diagnosis:
    """Look the failure up in the code of the releases, unless a rule names its cause."""
    is_hang = diagnosed.hang is not None and diagnosed.hang.is_explained
    if is_hang or any(match.certainty == CERTAIN for match in diagnosed.causes):
        return diagnosed
    brief = [Line(number, "", text, "", "") for each in found for number, text in enumerate(each.brief.splitlines(), 1)]
    cut = next((each.cut for each in found if each.cut), ()) if diagnosed.failure is None else ()
    lines = diagnosed.trace or cut or [line for line in brief if not has_quoting_form(line.text)]
    if not lines:
        return diagnosed
    # Imported here: most diagnoses end before, and the index is not needed for them.
    from vcompat.diagnosis.leads.leads import leads_of

    try:
        return diagnosed._replace(leads=tuple(leads_of(lines, diagnosed.facts)))
    except InputError as error:
        return diagnosed._replace(notes=(*diagnosed.notes, str(error)))


def _guessed(found: Sequence[Found], unfinished: Found | None, search: Search) -> list[Seen]:
    """What a traceback without an error, or a short text in words, may be about."""
    if unfinished is not None:
        return [Seen(shown, unfinished.path, 0) for shown in suspected(unfinished.cut, search.rules)]
    brief = found[0] if len(found) == 1 and not any(run.all_series for run in found[0].runs) else None
    return [Seen(shown, brief.path, 0) for shown in described(brief.brief, search.rules)] if brief else []


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
