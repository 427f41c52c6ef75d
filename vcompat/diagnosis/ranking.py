"""Orders the rules that a log shows: by the log's facts, by which failure was first, by how exactly a rule fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vcompat.diagnosis.failures import MILD, Failure, follows
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.symptoms import Shown
from vcompat.evaluation.finding import Need, Reason, reasons
from vcompat.evaluation.fitting import fitting
from vcompat.facts.facts import Facts, bounded
from vcompat.facts.place import Place
from vcompat.facts.presumption import Presumption
from vcompat.rules.condition import Truth
from vcompat.rules.rule import SEVERITIES, Fix, Rule

CERTAIN, LIKELY, POSSIBLE, CONTRADICTED = CERTAINTIES = ("certain", "likely", "possible", "contradicted")


class LogFailure(NamedTuple):
    """A failure in one of the logs."""

    order: int
    """The log's number, by the time of its first failure."""
    path: str
    failure: Failure

    @property
    def line(self) -> Line:
        """The line of its cause."""
        return self.failure.cause.line


class Seen(NamedTuple):
    """A symptom in one of the logs."""

    shown: Shown
    path: str
    order: int
    """The log's number, by the time of its first failure."""
    time: str = ""
    """When it was written; empty unless all failures and symptoms of the log state a time."""

    @property
    def place(self) -> Place:
        """The line that shows it."""
        return Place(self.path, self.shown.lines[-1].number)


class Match(NamedTuple):
    """A rule with a symptom that the log shows."""

    rule: Rule
    certainty: str
    """'certain' if the rule applies with the facts known, 'likely' if with the likely ones, 'contradicted' if not."""
    seen: Seen
    """The first place that shows it."""
    because: tuple[Reason, ...]
    """The facts that decided; those that contradict it, if it is contradicted."""
    needs: tuple[Need, ...]
    """Unknown facts that would decide."""
    fixes: tuple[Fix, ...]
    presumes: tuple[Presumption, ...] = ()
    """What a likely match rests on; empty for others."""

    @property
    def label(self) -> str:
        """``likely: `` or ``possible: ``; empty for a certain one."""
        return "" if self.certainty == CERTAIN else f"{self.certainty}: "


def ranked(seen: Iterable[Seen], facts: Facts) -> list[Match]:
    """Return a match for each rule that is seen, the likeliest cause first."""
    first: dict[tuple[str, bool], Seen] = {}
    for each in seen:
        if any(facts.get(name) is None for name in each.shown.symptom.only_where_known):
            continue
        key = each.shown.rule.id, each.shown.symptom.is_common
        if key not in first or _when(each) < _when(first[key]):
            first[key] = each
    matches: dict[str, Match] = {}
    for (name, is_common), each in sorted(first.items(), key=lambda item: item[0]):
        match = _match(each, facts)
        if is_common and match.certainty != CERTAIN:
            continue
        if match.certainty == CONTRADICTED and each.shown.symptom.pattern and each.shown.symptom.only_where_known:
            # Much else prints the text.
            continue
        matches.setdefault(name, match)
    return sorted(matches.values(), key=_order)


def _when(seen: Seen) -> tuple[int, int, str, int]:
    """Sort key of the places that show something: causes before consequences, then by time."""
    remoteness, line = closeness(seen.shown)
    return remoteness, seen.order, seen.time, line


def closeness(shown: Shown) -> tuple[int, int]:
    """Sort key of the places in one log that show something: causes before consequences, then by line."""
    failure = shown.failure
    return _remoteness(failure), failure.cause.line.number if failure else shown.lines[-1].number


def _remoteness(failure: Failure | None) -> int:
    """How far what is in a failure is from the cause."""
    if failure is None:
        return 1
    if follows(failure):
        return 3
    return 2 if failure.cause.line.level in MILD else 0 if failure.is_fatal else 1


def _order(match: Match) -> tuple[object, ...]:
    """Sort key: contradicted last, texts before metrics; then as `_when`, certain first, more facts known, and so on.

    A rule that names few signatures, a longer text, and a more severe rule come before others of that kind. An error is
    rather shown by a failure that ends the run than by one that it also leads to.
    """
    return (
        match.certainty == CONTRADICTED,
        match.seen.shown.signature is not None,
        *_when(match.seen),
        CERTAINTIES.index(match.certainty),
        -match.seen.shown.weight,
        match.seen.shown.failure is not None and match.rule.effect not in ("crash", "hang"),
        -len(match.because),
        len(match.needs),
        sum(bool(symptom.signature) for symptom in match.rule.symptoms),
        -len(match.seen.shown.symptom.pattern),
        SEVERITIES.index(match.rule.severity),
        # What was reported more often is the likelier one.
        -len(match.rule.references),
        match.rule.id,
    )


def _match(seen: Seen, facts: Facts) -> Match:
    rule = seen.shown.rule
    certainty, facts = _certainty(rule, facts)
    if certainty == CONTRADICTED:
        return Match(rule, certainty, seen, _against(rule, facts), (), fitting(rule, facts))
    names = [] if rule.has_subjects else list(dict.fromkeys(rule.when.deciders(facts)))
    known = {name: value for name in names if (value := facts.get(name)) is not None}
    because = reasons(known, facts)
    needs = [Need(name, facts.why_unknown(name), facts.open_at(name)) for name in names if name not in known]
    if seen.shown.open_point:
        needs.append(Need("", seen.shown.open_point))
    if seen.shown.is_open or rule.only_if:
        certainty = POSSIBLE
    presumes = bounded(one for value in known.values() for one in value.presumes) if certainty == LIKELY else ()
    return Match(rule, certainty, seen, because, tuple(needs), fitting(rule, facts), presumes)


def _certainty(rule: Rule, facts: Facts) -> tuple[str, Facts]:
    """How certain the facts make it that a rule applies, and the facts that do: if it is likely, what is presumed."""
    truth: Truth = None if rule.has_subjects else rule.when.truth(facts)
    if truth is not None:
        return (CERTAIN if truth else CONTRADICTED), facts
    if facts.has_likely and not rule.has_subjects and rule.when.truth(facts.presumed()):
        return LIKELY, facts.presumed()
    return POSSIBLE, facts


def _against(rule: Rule, facts: Facts) -> tuple[Reason, ...]:
    """Known facts that contradict the rule together, and of which none can be left out; rather stated than derived."""
    names = [name for name in dict.fromkeys(rule.when.names()) if facts.get(name) is not None]
    kept = facts.copy()
    for name in sorted(names, key=lambda name: _is_stated(name, facts)):
        fewer = kept.copy()
        fewer.forget(name, "left out")
        if rule.when.truth(fewer) is False:
            kept = fewer
    return reasons(names, kept)


def _is_stated(name: str, facts: Facts) -> bool:
    known = facts.get(name)
    return known is not None and (known.place is not None or facts.is_by_hand(name))


def decisive_line(shown: Shown) -> Line:
    """Return the line of a log that tells when a symptom was written."""
    return shown.failure.cause.line if shown.failure else shown.lines[-1]


def are_timed(lines: Iterable[Line]) -> bool:
    """Return whether the times of lines tell their order: all state one, and all or none of them the day."""
    lengths = {len(line.time) for line in lines}
    return len(lengths) == 1 and 0 not in lengths


def first_failure(failures: Sequence[LogFailure]) -> LogFailure | None:
    """Return the failure that was first among those that are no consequences; else the first one.

    The times of the lines decide within a log of which all failures state one: several processes write to it.
    """
    of_log: dict[int, list[Line]] = {}
    for each in failures:
        of_log.setdefault(each.order, []).append(each.line)
    timed = {order: are_timed(lines) for order, lines in of_log.items()}

    def when(each: LogFailure) -> tuple[int, int, str, int]:
        remoteness, time, line = earliness(each.failure, timed[each.order])
        return remoteness, each.order, time, line

    return min(failures, key=when, default=None)


def earliness(failure: Failure, timed: bool) -> tuple[int, str, int]:
    """Sort key of the failures of one log: causes before consequences; then by time if that is `timed`, by line."""
    line = failure.cause.line
    return _remoteness(failure), line.time if timed else "", line.number


def by_process(failures: Sequence[LogFailure]) -> list[LogFailure]:
    """Return the failure that ended each process, in order of time; in that of the logs, unless all state a time."""
    of_process: dict[tuple[int, str], list[LogFailure]] = {}
    for each in failures:
        if each.failure.ends_run:
            of_process.setdefault((each.order, each.line.process), []).append(each)
    firsts = [first for ended in of_process.values() if (first := first_failure(ended))]
    timed = are_timed(each.line for each in firsts)
    return sorted(firsts, key=lambda each: (each.line.time * timed, each.order, each.line.number))
