"""The facts of one run, each known, likely or unknown, with its source and its place in a file.

``sources`` collects facts, ``evaluation`` evaluates rules over them, and ``vocabulary`` defines each fact. A fact whose
value is ``None`` is known to be absent: a package that is not installed, a variable that is not set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from vcompat.facts.place import Place as Place  # noqa: PLC0414 - a fact has a place: who handles facts finds it here
from vcompat.facts.value import FactValue

if TYPE_CHECKING:
    from vcompat.facts.presumption import Presumption
    from vcompat.facts.stated import Stated
    from vcompat.facts.use import Used

#: The source of a fact that the user sets on the command line. It overrides every fact that is read or derived.
BY_HAND = "--set"
#: The reason of a fact that the user sets to unknown there.
UNKNOWN_BY_HAND = "set to unknown with --set"
#: Maximum number of presumptions of one fact: who reads more than these acts on none of them.
MOST_PRESUMPTIONS = 6


class Known(NamedTuple):
    """A fact's value and its source, as text that a user can check."""

    value: FactValue
    source: str
    place: Place | None = None
    """The position in the file that sets the fact; None if no file sets it."""

    @property
    def presumes(self) -> tuple[Presumption, ...]:
        """What was presumed for it; nothing, but in facts made by `Facts.presumed`."""
        return ()


class KnownIf(Known):
    """A likely fact, taken for known."""

    presumes: tuple[Presumption, ...] = ()

    @classmethod
    def of(cls, value: FactValue, source: str, place: Place | None, presumes: tuple[Presumption, ...]) -> KnownIf:
        """Return a value that is known if `presumes` holds."""
        made = cls(value, source, place)
        made.presumes = presumes
        return made


class Likely(NamedTuple):
    """A fact that has this value if what is presumed holds."""

    value: FactValue
    source: str
    place: Place | None
    presumes: tuple[Presumption, ...]
    reason: str = ""
    """Why it is not known."""
    open_at: Place | None = None
    """The position in the file that leaves it unknown."""
    candidates: tuple[FactValue, ...] = ()
    """All values that it can have, also where what is presumed does not hold; empty if they are not known."""


class Unknown(NamedTuple):
    """Why a fact is not known, and the values that it can have."""

    reason: str
    place: Place | None = None
    """The position in the file that leaves the value undetermined."""
    candidates: tuple[FactValue, ...] = ()
    """All values that it can have; empty if they are not known."""
    is_unstated: bool = False
    """Whether presumably nothing states it, so that it has its default."""


State: TypeAlias = "Known | Likely | Unknown"


class Facts:
    """One mapping of facts to what is known of them. A fact that is not in it is unknown, for no recorded reason.

    A family of facts (``env``, ``packages``, ``gpu``) can have a state of its own, which holds for its facts that have
    none: a *closed* family was read completely, so that they are known to be None; an unknown one has the reason.
    """

    def __init__(self, known: Mapping[str, Known] | None = None, closed: Iterable[str] = ()) -> None:
        self._states: dict[str, State] = dict(known or {})
        for family in closed:
            self.close(family)
        self.stated: tuple[Stated, ...] = ()
        """What configuration classes get, also settings that are not facts."""
        self.likely_stated: tuple[Stated, ...] | None = None
        """What they get if what is presumed holds; None if nothing was presumed."""
        self.uses: tuple[Used, ...] = ()
        """What the code of the run uses of recorded packages."""
        self.whole: tuple[Presumption, ...] | None = None
        """What is presumed if the run files set every setting that has not its default; None if that is not likely."""
        self._attributed: list[Presumption] | None = None

    # Reading

    def get(self, name: str) -> Known | None:
        """Return the value and source of `name`, or None if it is not known."""
        state = self._states.get(name)
        if state is None:
            state = self._states.get(name.partition(".")[0])
        if not isinstance(state, Known):
            return None
        if state.presumes and self._attributed is not None:
            self._attributed += state.presumes
        return state

    def value(self, name: str, default: FactValue = None) -> FactValue:
        """Return the value of `name`, or `default` if it is not known."""
        found = self.get(name)
        return default if found is None else found.value

    def recorded(self, name: str) -> Known | None:
        """Return the value of `name` if it was recorded itself, not by its closed family."""
        return self.get(name) if name in self._states else None

    def likely(self, name: str) -> Likely | None:
        """Return the likely value of `name`; None if it is known or unknown."""
        state = self._states.get(name)
        return state if type(state) is Likely else None

    def is_open(self, name: str) -> bool:
        """Return whether `name` is recorded as not known, with a reason."""
        state = self._states.get(name)
        if isinstance(state, Known) and state.presumes and self._attributed is not None:
            self._attributed += state.presumes
        return type(state) in (Unknown, Likely)

    def why_unknown(self, name: str) -> str:
        """Return the reason why `name` is unknown; empty if none was recorded."""
        for key in (name, name.partition(".")[0]):
            state = self._states.get(key)
            if type(state) is Unknown or type(state) is Likely:
                return state.reason
        return ""

    def open_at(self, name: str) -> Place | None:
        """Return the position in a file that leaves `name` unknown; None if there is none."""
        state = self._states.get(name)
        if type(state) is Likely:
            return state.open_at
        return state.place if type(state) is Unknown else None

    def candidates(self, name: str) -> tuple[FactValue, ...]:
        """Return all values that the fact `name` can have, which is not known; empty if they are not known either."""
        state = self._states.get(name)
        return () if state is None or isinstance(state, Known) else state.candidates

    def all_known(self) -> Iterator[tuple[str, Known]]:
        """Yield the recorded facts that are known, without closed families."""
        for name, state in list(self._states.items()):
            if isinstance(state, Known) and "." in name:
                yield name, state

    def all_likely(self) -> Iterator[tuple[str, Likely]]:
        """Yield the facts that are likely."""
        for name, state in list(self._states.items()):
            if type(state) is Likely:
                yield name, state

    def all_open(self) -> Iterator[tuple[str, str]]:
        """Yield the facts, and families, that are recorded as unknown, with the reason; likely ones, too."""
        for name, state in list(self._states.items()):
            if type(state) is Unknown or type(state) is Likely:
                yield name, state.reason

    def all_unknown(self) -> Iterator[tuple[str, str]]:
        """Yield the facts, and families, that are recorded as unknown, with the reason; no likely ones."""
        for name, state in list(self._states.items()):
            if type(state) is Unknown:
                yield name, state.reason

    def changed(self, after: Facts) -> Iterator[str]:
        """Yield the facts that are known here, and are unknown or have another value in `after`."""
        for name, state in self._states.items():
            if after._states.get(name) is state or not isinstance(state, Known) or "." not in name:
                continue
            if _differ(state, after.get(name)):
                yield name
        # Without having been recorded, the facts of a closed family are known to be None.
        for name, state in after._states.items() if self.closed else ():
            own = self._states.get(name)
            is_named = "." in name
            if own is state or (isinstance(own, Known) and is_named) or (isinstance(state, Known) and not is_named):
                continue
            if (nothing := self.get(name)) is not None and _differ(nothing, after.get(name)):
                yield name

    def names(self) -> list[str]:
        """Return the facts and families of which something is recorded."""
        return list(self._states)

    @property
    def known(self) -> dict[str, Known]:
        """The recorded facts that are known, as a new mapping."""
        return dict(self.all_known())

    @property
    def reasons(self) -> dict[str, str]:
        """The reasons of facts and families that are not known, as a new mapping."""
        return dict(self.all_open())

    @property
    def closed(self) -> frozenset[str]:
        """The families that were read completely."""
        return frozenset(name for name, state in self._states.items() if isinstance(state, Known) and "." not in name)

    # Writing

    def set(
        self,
        name: str,
        value: FactValue,
        source: str,
        place: Place | None = None,
        presumes: tuple[Presumption, ...] = (),
    ) -> None:
        """Record a fact. Replaces an earlier value."""
        if self._attributed:
            presumes = (*presumes, *self._attributed)
        known = Known(value, source, place)
        self._states[name] = KnownIf.of(*known, bounded(presumes)) if presumes else known

    def offer(
        self,
        name: str,
        value: FactValue,
        source: str,
        place: Place | None = None,
        presumes: tuple[Presumption, ...] = (),
    ) -> None:
        """Record a derived fact unless it is known, or recorded as unknown with a reason."""
        if name not in self._states and self.get(name) is None:
            self.set(name, value, source, place, presumes)

    def set_likely(self, name: str, likely: Likely) -> None:
        """Record a likely value of a fact that is not known, which keeps its candidates. A known one stays."""
        if self.get(name) is None:
            candidates = likely.candidates or self.candidates(name)
            self._states[name] = likely._replace(presumes=bounded(likely.presumes), candidates=candidates)

    def presume_unstated(self, name: str) -> None:
        """Note that presumably nothing states the unknown fact `name`, so that it has its default."""
        state = self._states.get(name)
        if type(state) is Unknown:
            self._states[name] = state._replace(is_unstated=True)

    def is_presumed_unstated(self, name: str) -> bool:
        """Return whether presumably nothing states the unknown fact `name`."""
        state = self._states.get(name)
        return type(state) is Unknown and state.is_unstated

    def leave_open(self, name: str, like: str) -> None:
        """Make the derived fact `name` unknown for the same reason as `like`, the setting that it is derived from."""
        if self.is_open(like) and name not in self._states:
            self.forget(name, self.why_unknown(like), self.open_at(like))

    def forget(self, name: str, reason: str, place: Place | None = None, candidates: Iterable[FactValue] = ()) -> None:
        """Make `name` unknown and record the `reason`. `place` is the position in the file that leaves it open.

        `candidates` are all values that it can have, if these are known.
        """
        self._states[name] = Unknown(reason, place, tuple(candidates))

    def excuse(self, name: str, reason: str) -> None:
        """Record why `name` is unknown, unless something is recorded of it."""
        if name not in self._states:
            self.forget(name, reason)

    def drop(self, name: str) -> None:
        """Remove what is recorded of `name`."""
        self._states.pop(name, None)

    def drop_known(self, name: str) -> None:
        """Remove the value of `name`; why it is unknown stays."""
        if isinstance(self._states.get(name), Known):
            del self._states[name]

    def close(self, family: str) -> None:
        """State that a family was read completely: its facts that are not recorded are known to be None.

        A family that is recorded as unknown stays so.
        """
        if self.is_open(family):
            return
        self._states[family] = Known(None, "not installed" if family == "packages" else "not set")

    def reopen(self, family: str) -> None:
        """Take back that a family was read completely."""
        self.drop_known(family)

    def update(self, other: Facts) -> None:
        """Merge `other` into these facts. `other` overrides single facts, and the families of which it has a state."""
        for family in [name for name in other._states if "." not in name]:
            for name in [name for name, state in self._states.items() if type(state) is not Unknown]:
                if name.partition(".")[0] == family:
                    del self._states[name]
        self._states.update(other._states)
        self.stated += tuple(stated for stated in other.stated if stated not in self.stated)
        self.uses = tuple(dict.fromkeys((*self.uses, *other.uses)))
        self.whole = self.whole if other.whole is None else other.whole
        if other.likely_stated is not None:
            self.likely_stated = (*(self.likely_stated or ()), *other.likely_stated)

    def is_by_hand(self, name: str) -> bool:
        """Return whether the user set the fact with ``--set``."""
        known = self.recorded(name)
        return known is not None and known.source == BY_HAND

    def is_unknown_by_hand(self, name: str) -> bool:
        """Return whether the user set the fact to unknown with ``--set``."""
        return self.is_open(name) and self.why_unknown(name) == UNKNOWN_BY_HAND

    def copy(self) -> Facts:
        """Return an independent copy."""
        copy = Facts()
        copy._states = dict(self._states)
        copy.stated = self.stated
        copy.uses = self.uses
        copy.likely_stated = self.likely_stated
        copy.whole = self.whole
        return copy

    # What is presumed

    @property
    def has_likely(self) -> bool:
        """Whether a fact is likely, or what is stated or left out."""
        return (
            self.whole is not None
            or self.likely_stated is not None
            or any(type(state) is Likely for state in self._states.values())
        )

    def presumed(self) -> Facts:
        """Return a copy in which each likely fact is known, with what was presumed for it."""
        copy = self.copy()
        copy.stated = self.stated if self.likely_stated is None else self.likely_stated
        for name, state in self._states.items():
            if type(state) is Likely:
                copy._states[name] = KnownIf.of(state.value, state.source, state.place, state.presumes)
            elif type(state) is Unknown and state.is_unstated:
                del copy._states[name]
        return copy

    def certain(self) -> Facts:
        """Return a copy in which each likely fact is unknown."""
        copy = self.copy()
        copy.whole = copy.likely_stated = None
        for name, state in self.all_likely():
            copy._states[name] = Unknown(state.reason, state.open_at, state.candidates)
        return copy

    def add_presumed(self, presumed: Facts) -> None:
        """Record as likely what is known in `presumed`, the same facts with presumptions, and is not known here."""
        for name, known in presumed.all_known():
            if known.presumes and self.get(name) is None:
                likely = Likely(known.value, known.source, known.place, known.presumes, self.why_unknown(name))
                self._states[name] = likely._replace(open_at=self.open_at(name), candidates=self.candidates(name))
        if presumed.stated != self.stated:
            self.likely_stated = presumed.stated

    @contextmanager
    def attributing(self) -> Iterator[None]:
        """Give what is set in the block the presumptions of the facts that the block has read by then."""
        self._attributed = []
        try:
            yield
        finally:
            self._attributed = None


def _differ(before: Known, after: Known | None) -> bool:
    return after is None or type(after.value) is not type(before.value) or after.value != before.value


def bounded(presumes: Iterable[Presumption]) -> tuple[Presumption, ...]:
    """Return presumptions without duplicates, at most MOST_PRESUMPTIONS."""
    return tuple(dict.fromkeys(presumes))[:MOST_PRESUMPTIONS]


def number(facts: Facts, name: str) -> float | None:
    """The value of a fact that is a number; None if it is unknown or nothing."""
    value = facts.value(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def smallest(facts: Facts, name: str) -> float | None:
    """Return the smallest value among the visible GPUs."""
    values = facts.value(name)
    numbers = [v for v in values if isinstance(v, int | float)] if isinstance(values, tuple) else []
    return min(numbers, default=None)
