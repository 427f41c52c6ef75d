"""A whole diagnosis: logs in, ranked rules out."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from vcompat.diagnosis.described import LONGEST, OPEN, described
from vcompat.diagnosis.failures import Failure
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.log_search import Found, Search
from vcompat.diagnosis.logs.log_bytes import STDIN, Log, open_log, paths_of
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.quoted import has_quoting_form
from vcompat.diagnosis.metrics.metric_shapes import Judged, judged, state
from vcompat.diagnosis.metrics.series import distinct
from vcompat.diagnosis.near import near
from vcompat.diagnosis.ranking import (
    CERTAIN,
    CONTRADICTED,
    LogFailure,
    Match,
    Seen,
    by_process,
    decisive_line,
    first_failure,
    ranked,
)
from vcompat.diagnosis.reached import has_trained, precedes_training
from vcompat.diagnosis.stated.around import Around, combined
from vcompat.diagnosis.symptoms import Shown, shown_by
from vcompat.diagnosis.unfinished import suspected
from vcompat.diagnosis.waiting.why_waiting import Hang, hang_of
from vcompat.evaluation.evaluate import evaluate_certain
from vcompat.evaluation.finding import Finding, by_order
from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import WITHOUT_TRL
from vcompat.facts.place import Place
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom

#: Facts of which a log in which vLLM generates states one.
_OF_ROLLOUTS = ("plan.use_vllm", "vllm.engine", "vllm.dtype")
#: A run that prints this many more lines has not crashed; levels of what may have ended it nevertheless.
GOES_ON = 100
_BAD = ("ERROR", "CRITICAL", "FATAL")


class Diagnosis(NamedTuple):
    """What logs tell about a failure."""

    matches: tuple[Match, ...]
    """The rules that the logs show, the likeliest cause first."""
    first: LogFailure | None
    """The failure that was first, as far as the logs tell."""
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
    ended: tuple[LogFailure, ...] = ()
    """The failures that ended a process each, the first one first."""
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
    near: tuple[Rule, ...] = ()
    """The rules whose words are nearest to those of the text, if there is no cause and no lead that names a fix."""

    @property
    def failure(self) -> Failure | None:
        """The failure that was first."""
        return self.first.failure if self.first else None

    @property
    def failure_path(self) -> str:
        """The log that has the failure that was first; empty if there is none."""
        return self.first.path if self.first else ""

    @property
    def is_cause_found(self) -> bool:
        """Whether a rule matches, metrics show a failure, or it is known why the run hangs."""
        return bool(self.causes) or any(each.signatures for each in self.metrics) or self.is_hang_explained

    @property
    def is_hang_explained(self) -> bool:
        """Whether it is known why the run hangs."""
        return self.hang is not None and self.hang.is_explained

    @property
    def causes(self) -> tuple[Match, ...]:
        """The matches that no fact contradicts."""
        return tuple(match for match in self.matches if match.certainty != CONTRADICTED)


def diagnose_paths(
    paths: Sequence[str], rules: Iterable[Rule], settings: Mapping[str, str] | None = None, around: Around | None = None
) -> Diagnosis:
    """Diagnose logs: files, folders of them, ``-`` for standard input. `settings` are facts as ``--set`` takes them.

    `around` are facts from beside the logs, such as those of the machine; they count where the logs state none.
    Raises InputError if nothing can be read.
    """
    files = [file for path in dict.fromkeys(paths) for file in paths_of(path)]
    search = Search(rules)
    logs = []
    for path, process in zip(files, process_names(files), strict=True):
        log = open_log(path, waits=True)
        with closing(log.file):
            logs.append(search.read(log, process))
    if all(each.note and not each.lines for each in logs):
        raise InputError(logs[0].path, logs[0].note, "a log")
    return diagnosis(logs, search, settings or {}, around or Around(Facts()))


def diagnose_text(
    text: str,
    rules: Iterable[Rule],
    settings: Mapping[str, str] | None = None,
    around: Around | None = None,
    name: str = "<text>",
) -> Diagnosis:
    """Diagnose the text of a log, such as what an issue quotes, and call it `name`; the rest as in `diagnose_paths`."""
    search = Search(rules)
    log = search.read(Log(name, io.BytesIO(text.encode("utf-8", "replace"))), "")
    return diagnosis([log], search, settings or {}, around or Around(Facts()))


def diagnosis(logs: Sequence[Found], search: Search, settings: Mapping[str, str], around: Around) -> Diagnosis:
    """Return what the logs that `search` has read tell together."""
    logs = _by_time(logs)
    stated = search.facts.facts()
    metrics = _metrics(logs, stated)
    facts, conflicts = combined(around, stated, settings)
    seen = _seen(logs, metrics, facts, search)
    failures = [LogFailure(order, log.path, failure) for order, log in enumerate(logs) for failure in log.failures]
    first = first_failure(failures)
    trace = logs[first.order].trace if first else ()
    notes = _narrowed(trace, facts)
    unfinished = None if first else next((log for log in logs if log.cut), None)
    if not seen and first is None:
        seen = _guessed(logs, unfinished, search)
    if facts.value("plan.framework") in WITHOUT_TRL:
        seen = [each for each in seen if not each.shown.rule.is_about_trl]
    diagnosed = Diagnosis(
        tuple(ranked(seen, facts)),
        first,
        tuple(dict.fromkeys(log.path for log in logs)),
        sum(log.lines for log in logs),
        facts,
        (*_unread(logs), *notes),
        search.rules_with_symptoms,
        conflicts,
        trace,
        tuple(by_process(failures)),
        tuple(metrics),
        cut=Place(unfinished.path, unfinished.cut[0].number) if unfinished else None,
        accounts=tuple(search.facts.accounts),
        hang=_hang(logs),
    )
    lines = trace or (unfinished.cut if unfinished else _description(logs))
    is_trained = has_trained(lines) or bool(metrics)
    diagnosed = _with_near(_with_leads(diagnosed, lines), logs, lines, search.rules, is_trained)
    return _with_applying(diagnosed, search, is_trained)


def _by_time(logs: Sequence[Found]) -> Sequence[Found]:
    """Return the logs in the order of their first failures, if all of these have a time."""
    is_timed = all(log.time for log in logs if log.failures)
    return sorted(logs, key=lambda log: log.time or "~") if is_timed else logs


def _unread(logs: Sequence[Found]) -> list[str]:
    return [f"{log.path}: {log.note}" for log in logs if log.note]


def _metrics(logs: Sequence[Found], stated: Facts) -> list[Judged]:
    """Return what the metrics of each run show, and state what follows from which there are."""
    metrics = [judged(run) for run in distinct(run for log in logs for run in log.runs) if run.all_series]
    for each in metrics:
        state(each, stated)
    return metrics


def _seen(logs: Sequence[Found], metrics: Sequence[Judged], facts: Facts, search: Search) -> list[Seen]:
    """Return the symptoms in texts and in metrics, without texts that tell nothing of this run."""
    seen = [
        Seen(shown, log.path, order, decisive_line(shown).time if log.is_timed else "")
        for order, log in enumerate(logs)
        for shown in log.shown
        if not _went_on(shown, log) and not _is_of_another_use(shown, log, facts)
    ]
    seen += [Seen(shown, each.run.path, len(logs)) for each in metrics for shown in shown_by(each, search.rules)]
    return seen


def _hang(logs: Sequence[Found]) -> Hang | None:
    """Why ranks wait for each other. Only if a log shows that one does, the ends of all logs are read."""
    clues = [(log.clues, log.failures) for log in logs if log.clues is not None]
    if not any(one.signs for one, _ in clues):
        return None
    hang = hang_of([one.log(failures) for one, failures in clues])
    # Stacks that were printed once tell nothing of a run that has gone on to its end.
    went_on = any(log.is_completed for log in logs) and not any(one.has_timeout for one, _ in clues)
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


def _with_leads(diagnosed: Diagnosis, lines: Sequence[Line]) -> Diagnosis:
    """Look the failure that `lines` state up in the code of the releases, unless a rule names its cause."""
    is_certain = any(match.certainty == CERTAIN for match in diagnosed.causes)
    if is_certain or diagnosed.is_hang_explained or not lines:
        return diagnosed
    # Imported here: most diagnoses end before, and the index is not needed for them.
    from vcompat.diagnosis.leads.leads import leads_of

    try:
        return diagnosed._replace(leads=tuple(leads_of(lines, diagnosed.facts)))
    except InputError as error:
        return diagnosed._replace(notes=(*diagnosed.notes, str(error)))


def _with_near(
    diagnosed: Diagnosis, logs: Sequence[Found], lines: Sequence[Line], rules: Iterable[Rule], is_trained: bool
) -> Diagnosis:
    """Add the rules that are nearest by their words, if nothing else helps; one that is far nearer may be the cause."""
    if len(logs) == 1 and logs[0].brief:
        lines = _unquoted(logs[0].brief)
    if diagnosed.is_cause_found or any(lead.changes for lead in diagnosed.leads) or not lines:
        return diagnosed
    if diagnosed.facts.value("plan.framework") in WITHOUT_TRL:
        rules = [rule for rule in rules if not rule.is_about_trl]
    if is_trained:
        rules = [rule for rule in rules if not precedes_training(rule)]
    has_error = diagnosed.first is not None
    found = near("\n".join(line.text for line in lines), rules, diagnosed.facts, has_error)
    if not found.score or has_error:
        return diagnosed._replace(near=found.rules)
    shown = Shown(found.rules[0], Symptom(""), tuple(lines[:1]), None, open_point=OPEN, weight=found.score)
    matches = ranked([Seen(shown, logs[0].path, 0)], diagnosed.facts)
    return diagnosed._replace(matches=(*matches, *diagnosed.matches))


def _description(logs: Sequence[Found]) -> list[Line]:
    """Return the lines of texts that are no longer than a description."""
    return [line for log in logs if len(log.brief) <= LONGEST for line in _unquoted(log.brief)]


def _unquoted(text: str) -> tuple[Line, ...]:
    """Return the lines of a text, without those that quote an error."""
    lines = (Line(number, "", line.strip(), "", "") for number, line in enumerate(text.splitlines(), 1) if line.strip())
    return tuple(line for line in lines if not has_quoting_form(line.text))


def _with_applying(diagnosed: Diagnosis, search: Search, is_trained: bool) -> Diagnosis:
    """Add the rules that certainly apply, if something has failed and nothing shows the cause.

    If the run has trained, what fails before that does not apply to it, whatever its releases are.
    """
    if diagnosed.is_cause_found or (diagnosed.first is None and diagnosed.cut is None):
        return diagnosed
    found = sorted(evaluate_certain(search.rules, diagnosed.facts), key=by_order)
    return diagnosed._replace(applying=tuple(one for one in found if not (is_trained and precedes_training(one.rule))))


def _guessed(logs: Sequence[Found], unfinished: Found | None, search: Search) -> list[Seen]:
    """What a traceback without an error, or a short text in words, may be about."""
    if unfinished is not None:
        return [Seen(shown, unfinished.path, 0) for shown in suspected(unfinished.cut, search.rules)]
    if len(logs) != 1 or any(run.all_series for run in logs[0].runs):
        return []
    return [Seen(shown, logs[0].path, 0) for shown in described(logs[0].brief, search.rules)]


def _went_on(shown: Shown, log: Found) -> bool:
    """Whether a run did not crash where a text is that a crash prints: a program has coped with it."""
    if shown.rule.effect != "crash" or shown.lines[-1].level in _BAD:
        return False
    return log.lines - shown.lines[-1].number > GOES_ON and not log.has_ended_run


def _is_of_another_use(shown: Shown, log: Found, facts: Facts) -> bool:
    """Whether a run has ended well, and nothing shows that vLLM generates, which the rule is about."""
    if not log.is_completed or log.has_ended_run or "plan.use_vllm" not in shown.rule.when.names():
        return False
    return all(facts.get(name) is None for name in _OF_ROLLOUTS)


def process_names(paths: Sequence[str]) -> list[str]:
    """Return the names of processes, if each has a log of its own: the paths as far as they differ."""
    if len(paths) < 2 or STDIN in paths:
        return [""] * len(paths)
    common = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    return [os.path.relpath(os.path.abspath(path), common) for path in paths]
