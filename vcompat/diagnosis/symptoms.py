"""Which rules have a symptom that an excerpt of a log shows, and in which failure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, NamedTuple

from vcompat.diagnosis.failures import Failure, follows, message_end, read_failures
from vcompat.diagnosis.frames import ends_in, passes
from vcompat.diagnosis.logs.excerpts import Excerpt
from vcompat.diagnosis.logs.literals import ignores_case, literals
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.quoted import Quoted, is_coped_with, is_quotation
from vcompat.diagnosis.logs.re2_engine import compiled, compiled_bytes, escape
from vcompat.diagnosis.metrics.metric_shapes import Judged, Signature
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom

#: The most matches of one symptom in an excerpt that are compared with what it must not go with.
_MOST_MATCHES = 50
#: The most lines of a message that a terminal has wrapped.
_WRAPPED = 6
#: Lines before and after those that show a symptom, and the most lines and characters that are kept of both together.
_BEFORE, _AFTER, _MOST_AROUND, _LONGEST = 12, 6, 40, 400
_QUIET, _BAD = ("DEBUG", "INFO"), ("ERROR", "CRITICAL", "FATAL")


class Shown(NamedTuple):
    """A symptom of a rule that a log shows."""

    rule: Rule
    symptom: Symptom
    lines: tuple[Line, ...]
    """The lines that match: the first one and the last one, or one."""
    failure: Failure | None
    """The failure that the text is in; None if it is in none."""
    around: tuple[Line, ...] = ()
    """These lines and some before and after them, cut."""
    signature: Signature | None = None
    """What shows it if it is no text: the shape of the metrics."""
    open_point: str = ""
    """What the log leaves open, so that the rule is possible at most; empty if nothing."""
    weight: float = 0.0
    """How well words describe the rule, if they show it."""

    @property
    def is_open(self) -> bool:
        """Whether something else can have the same symptom, so that the rule is possible at most."""
        return bool(self.open_point) or (self.signature is not None and not self.signature.is_certain)


class Sought(NamedTuple):
    """A symptom to look for."""

    rule: Rule
    symptom: Symptom
    literals: tuple[str, ...]
    """Texts of which the log must contain one; empty if none is known."""
    ignores_case: bool

    @property
    def spans_lines(self) -> bool:
        """Whether the pattern can match several lines."""
        return r"[\s\S]" in self.symptom.pattern or "(?s" in self.symptom.pattern


def sought(rules: Iterable[Rule]) -> tuple[Sought, ...]:
    """Return all symptoms of `rules` that are texts."""
    return tuple(
        Sought(rule, symptom, literals(symptom.pattern), ignores_case(symptom.pattern))
        for rule in rules
        for symptom in rule.symptoms
        if symptom.pattern
    )


def shown_by(metrics: Judged, rules: Iterable[Rule]) -> Iterator[Shown]:
    """Yield the rules that name a signature which metrics have, with the value that shows it as the line."""
    signatures = {signature.id: signature for signature in metrics.signatures}
    for rule in rules:
        for symptom in rule.symptoms:
            signature = signatures.get(symptom.signature)
            if signature is not None:
                line = Line(signature.line, "", signature.text, "", "")
                yield Shown(rule, symptom, (line,), None, signature=signature)


def trigger(symptoms: Iterable[Sought], others: Sequence[str]) -> Any:
    """Return the compiled pattern, over bytes, of what a part of a log must contain to be read line by line."""
    parts: dict[str, None] = {}
    for each in symptoms:
        for text in each.literals:
            inside = escape("".join(chr(byte) for byte in text.encode()))
            parts[f"(?i:{inside})" if each.ignores_case else inside] = None
    return compiled_bytes("|".join([*sorted(parts), *others]))


class Examined(NamedTuple):
    """What an excerpt has: its failures, and the symptoms that it shows."""

    failures: tuple[Failure, ...]
    shown: tuple[Shown, ...]
    cut: tuple[Line, ...] = ()
    """The lines of a traceback that has no error at its end."""


def examine(excerpt: Excerpt, symptoms: Iterable[Sought]) -> Examined:
    """Look for the failures and the symptoms in an excerpt."""
    text = _Text(excerpt.lines)
    if excerpt.is_merged:
        # Tracebacks of several processes may be mixed here: only what spans lines is looked for.
        text.failures, text.cut = [], ()
        symptoms = [one for one in symptoms if one.spans_lines]
    return Examined(tuple(text.failures), tuple(each for one in symptoms for each in _shown(one, text)), text.cut)


class _Text:
    """The text of an excerpt, with the lines and failures at its positions."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self.lines = lines
        self.text = "\n".join(line.text for line in lines)
        self.lower = self.text.lower()
        self._starts = [0, *accumulate(len(line.text) + 1 for line in lines)]
        self.quoted = Quoted(lines)
        found, self.cut = read_failures(lines)
        self.failures = [one for one in found if not self.quoted.is_document(one.cause.last)]
        firsts = {failure.cause.first for failure in self.failures}
        self._ends = {failure.cause.first: message_end(lines, failure, firsts) for failure in self.failures}
        self.wrapped = [each for failure in self.failures for each in self._wrapped(failure)]
        """Each failure with a message of several lines, and that message as one line."""

    def index_at(self, position: int) -> int:
        """The index of the line that has the character at `position`."""
        return min(bisect_right(self._starts, position) - 1, len(self.lines) - 1)

    def column(self, position: int, index: int) -> int:
        """The column of the character at `position` in the line at `index`; 0 if it is before that."""
        return max(0, position - self._starts[index])

    def failure_at(self, index: int) -> Failure | None:
        """The failure that the line at `index` is in, or the message of which it continues; None if it is in none."""
        for failure in self.failures:
            if failure.cause.first <= index <= self._ends[failure.cause.first]:
                return failure
        return None

    def text_of(self, failure: Failure | None) -> str:
        """The text of a failure, with its message's further lines and with what was written since the traceback before.

        A library prints an error of its own before Python raises one. The whole text without a failure.
        """
        if failure is None:
            return self.text
        first = failure.cause.first
        before = (self._ends[one.cause.first] + 1 for one in self.failures if one.has_traceback and one is not failure)
        start = max((end for end in before if end <= first), default=0)
        return self.text[self._starts[start] : self._starts[self._ends[first] + 1]]

    def without_consequences(self) -> str:
        """The text without the failures that follow from others: their frames tell nothing about a line elsewhere."""
        left_out = [(one.cause.first, one.chain[-1].last) for one in self.failures if follows(one)]
        kept = (
            line.text
            for index, line in enumerate(self.lines)
            if not any(first <= index <= last for first, last in left_out)
        )
        return "\n".join(kept)

    def _wrapped(self, failure: Failure) -> Iterator[tuple[Failure, str]]:
        """Yield a failure with its message as one line, as wrapped between words and within one, if it has several."""
        first, end = failure.chain[-1].last, self._ends[failure.cause.first]
        message = [line.text for line in self.lines[first : min(end + 1, first + _WRAPPED)]]
        if len(message) > 1:
            yield failure, " ".join(text.strip() for text in message)
            yield failure, "".join(message)


def _shown(sought: Sought, text: _Text) -> Iterator[Shown]:
    """Yield the first match of a symptom that counts, in the text as it is or in a message that was wrapped."""
    matches = list(_in_lines(sought, text)) if _may_match(sought, text.text, text.lower) else []
    yield from matches or islice(_in_wrapped(sought, text), 1)


def _may_match(sought: Sought, text: str, lower: str) -> bool:
    """Whether `text`, which is `lower` in lower case, has one of the texts that a match contains."""
    if sought.ignores_case:
        return not sought.literals or any(each.lower() in lower for each in sought.literals)
    return not sought.literals or any(each in text for each in sought.literals)


def _in_wrapped(sought: Sought, text: _Text) -> Iterator[Shown]:
    """Yield matches of a symptom in messages that a terminal has wrapped."""
    for failure, message in text.wrapped:
        if sought.spans_lines or not _may_match(sought, message, message.lower() if sought.ignores_case else ""):
            continue
        index = failure.chain[-1].last
        match = compiled(sought.symptom.pattern).search(message)
        if match is None or (not failure.has_traceback and _is_told(message, match.start())):
            continue
        if _counts(sought, text, index, failure):
            yield Shown(sought.rule, sought.symptom, (text.lines[index],), failure, _around(text.lines, index, index))


def _in_lines(sought: Sought, text: _Text) -> Iterator[Shown]:
    """Yield the first match of a symptom that counts; rather one in an error's message than one in a line of code."""
    first = None
    for match in islice(compiled(sought.symptom.pattern).finditer(text.text), _MOST_MATCHES):
        start, end = text.index_at(match.start()), text.index_at(max(match.start(), match.end() - 1))
        failure = text.failure_at(end)
        if not _counts(sought, text, end, failure) or _is_quoted(sought, text, match, end, failure):
            continue
        lines = (text.lines[start],) if start == end else (text.lines[start], text.lines[end])
        shown = Shown(sought.rule, sought.symptom, lines, failure, _around(text.lines, start, end))
        first = first or shown
        if failure is None or failure is not first.failure or end >= failure.cause.last:
            yield shown if failure is first.failure else first
            return
    if first is not None:
        yield first


def _around(lines: Sequence[Line], start: int, end: int) -> tuple[Line, ...]:
    """The lines from `start` to `end` with those around them; of very many, the first and the last ones."""
    kept = lines[max(0, start - _BEFORE) : end + 1 + _AFTER]
    if len(kept) > _MOST_AROUND:
        kept = (*kept[: _MOST_AROUND // 2], *kept[-_MOST_AROUND // 2 :])
    return tuple(line._replace(text=line.text[:_LONGEST]) for line in kept)


def _is_told(message: str, start: int) -> bool:
    """Whether a message of several lines only tells of what it has at `start`."""
    return is_coped_with(message, start) or is_quotation(message, start)


def _is_quoted(sought: Sought, text: _Text, match: Any, index: int, failure: Failure | None) -> bool:
    """Whether a match that ends in the line at `index` is in one that only quotes an error, or copes with it."""
    if text.quoted.is_document(index):
        return True
    if failure is not None and failure.has_traceback and index <= failure.chain[-1].last:
        return False
    start, line = text.column(match.start(), index), text.lines[index].text
    end = text.column(match.end(), index) if sought.rule.effect == "crash" else len(line)
    if not sought.symptom.any_level and is_coped_with(line, start, end):
        return True
    return text.lines[index].level not in _BAD and text.quoted.has(index, start)


def _counts(sought: Sought, text: _Text, index: int, failure: Failure | None) -> bool:
    """Whether a match that ends in the line at `index` is a sign of the rule's failure."""
    is_quiet = failure is None and text.lines[index].level in _QUIET
    if is_quiet and sought.rule.effect == "crash" and not sought.symptom.any_level:
        return False
    symptom = sought.symptom
    if not (symptom.unless or symptom.frames or symptom.raised_in):
        return True
    inside = text.text_of(failure)
    if symptom.unless and compiled(symptom.unless).search(inside):
        return False
    around = inside if failure else text.without_consequences()
    return (not symptom.frames or passes(around, symptom.frames)) and (
        not symptom.raised_in or ends_in(around, symptom.raised_in)
    )
