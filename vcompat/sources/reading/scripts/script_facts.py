"""States facts from values of a script: a value that is not known makes a fact unknown, with its possible values."""

from __future__ import annotations

from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import FactValue, show
from vcompat.sources.reading.project import as_given
from vcompat.sources.reading.python.values.values import (
    UNSET,
    Const,
    Held,
    NotPlainError,
    Unknown,
    Value,
    candidates,
    to_plain,
)
from vcompat.sources.reading.settings import is_text_of_number, state


class ScriptFacts(Facts):
    """The facts that the script at a path states."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._whole = Place(path)
        self.overridable: dict[str, Place | None] = {}
        """The variables that the script sets only if they are not set."""

    def record(self, fact: str, held: Held, uncertain: str = "") -> None:
        """Record a fact. It is unknown if it is not constant, has a wrong type, or has two different values.

        `uncertain` is why it may not be set at all.
        """
        place = held.place or self._whole
        why, plain, remark = "", None, ""
        try:
            plain = to_plain(held.value)
            remark = held.value.remark if isinstance(held.value, Const) else ""
        except NotPlainError as error:
            why = str(error)
        if isinstance(plain, str):
            plain = as_given(plain, self._whole.path)
        why = why or ("set only under a condition" if held.optional else "") or uncertain
        if why:
            is_set = not held.optional and not uncertain
            self._leave_unknown(fact, place, why, held.value, is_set)
            return
        known = self.recorded(fact)
        if self.is_open(fact):
            return
        if is_text_of_number(fact, plain):
            # A configuration class keeps it; parsers have converted theirs before.
            self.forget(fact, f"{place}: {plain!r} is a text; expected a number", place)
            return
        state(self, fact, plain, place, remark)
        now = self.recorded(fact)
        if known is not None and now is not None and known.value != now.value:
            other = f"; it may be {show(known.value)} or {show(now.value)}"
            self.forget(fact, f"{place} and {known.place} set different values{other}", place)

    def _leave_unknown(self, fact: str, place: Place, why: str, value: Value, is_set: bool) -> None:
        possible = possible_values(value)
        listed = f"; it may be {_listed(possible)}" if possible else ""
        if not self.is_open(fact):
            closed = is_set and isinstance(value, Unknown) and value.is_complete
            self.forget(fact, f"{place}: {why}{listed}", place, _as_facts(fact, possible) if closed else ())

    def record_variable(self, fact: str, held: Held) -> None:
        """Record a variable that the script sets, removes, or sets only if it is not set."""
        place = held.place or self._whole
        if held.value is UNSET and not held.optional:
            self.set(fact, None, str(place), place)
        elif isinstance(held.value, Unknown) and held.value.unless_set and not held.optional:
            self.set(fact, str(held.value.candidates[0]), str(place), place)
            self.overridable[fact] = place
        elif isinstance(held.value, Const) and not isinstance(held.value.value, str):
            self.forget(fact, f"{place}: not a string", place)
        else:
            self.record(fact, held)


def _as_facts(fact: str, possible: tuple[Any, ...]) -> tuple[FactValue, ...]:
    """Return plain values as values of a fact; none if one of them has a wrong type."""
    read = Facts()
    values = []
    for each in possible:
        state(read, fact, each, Place(""))
        known = read.get(fact)
        if known is None:
            return ()
        values.append(known.value)
    return tuple(dict.fromkeys(values))


def possible_values(value: Value) -> tuple[Any, ...]:
    """Return the plain values that `value` has, or may have."""
    possible = candidates(value)
    if possible or isinstance(value, Unknown):
        return possible
    try:
        return (to_plain(value),)
    except NotPlainError:
        return ()


def _listed(possible: tuple[Any, ...]) -> str:
    shown = [repr(candidate)[:60] for candidate in possible]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
