"""The configurations that a script makes, those of them that decide, and what several of them share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.python.classes.configurations import settings_of
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ON_CONDITION,
    ClassValue,
    Held,
    NotPlainError,
    Obj,
    Unknown,
    Value,
    alternatives,
    candidates,
    is_none,
    join_held,
    same,
    to_plain,
)
from vcompat.sources.reading.scripts.assigned import assigned_later
from vcompat.sources.reading.scripts.executed import Executed, why_uncalled
from vcompat.sources.reading.settings import COUNTS_INSTEAD

_OWN_CLASS = "its class is not that of a library, so that its other settings are not known"


class Configured(NamedTuple):
    """A configuration that a script makes, with its settings."""

    name: str
    place: Place
    settings: Mapping[str, Held]
    why_open: str
    """Why it may have other settings than these; empty if it does not."""
    kind: str = ""
    copies: str = ""
    """The class of TRL of which its class is a copy, by the name; empty if it is none."""
    assigned: frozenset[str] = frozenset()
    """Former names of settings that the script assigns after the configuration is made."""


def configured_by(event: Event) -> Configured:
    """Return a configuration with its settings at the end; those it was made with if its branch was given up."""
    subject = event.subject
    assert isinstance(subject, Obj)
    made = event.settings["self"].value
    if not subject.cells and isinstance(made, Obj):
        subject = made
    settings = settings_of(subject)
    copies, assigned = copied_from(subject, event.name), assigned_later(made, settings)
    return Configured(event.name, event.place, settings, subject.why_open, copies=copies, assigned=assigned)


def deciding(ran: Executed) -> tuple[list[Configured], str]:
    """Return the configurations that decide, and why they may not; empty if they do."""
    used = [configured for trainer in ran.trainers for configured in of_trainer(ran, trainer)]
    if used:
        return used, why_uncalled(ran.trainers)
    made = ran.events("configuration")
    made = [event for event in made if event.name != "TrainingArguments"] or made
    unclear = [e for e in ran.trainers if "made" not in e.settings and (e.why_open or "args" in e.settings)]
    if unclear:
        return [Configured("", event.place, {}, event.why_open or AT_RUN_TIME) for event in unclear], ""
    return [_without_trainer(ran, event) for event in made], why_uncalled(made)


def _without_trainer(ran: Executed, event: Event) -> Configured:
    """Return a configuration that no trainer is known to get. The name of a class of the project tells nothing."""
    configured = configured_by(event)._replace(kind="made")
    if isinstance(event.subject, Obj) and not ran.class_name(event.subject) and not configured.copies:
        return configured._replace(name="", why_open=configured.why_open or _OWN_CLASS)
    return configured


def of_trainer(ran: Executed, trainer: Event) -> list[Configured]:
    """Return the configuration that a trainer gets, as it is at that moment, or each of several."""
    made, got = trainer.settings.get("made"), trainer.settings.get("args")
    if made is None or got is None:
        return []
    times = [event for event in ran.events("trained") if event.subject is trainer.subject]
    # As it is when the trainer trains last; at the end if that is not known.
    last = made.value if not times or any(event.uncertain for event in times) else times[-1].settings["args"].value
    configurations = []
    several = alternatives(got.value)
    for now, later, before in zip(alternatives(made.value), alternatives(last), several, strict=False):
        if isinstance(before, Obj) and isinstance(now, Obj) and isinstance(later, Obj):
            configurations.append(_as_got(ran, trainer, before, now, later))
        elif len(several) > 1 or not is_none(before):
            # A trainer that gets none makes a configuration of its own.
            why = before.why if isinstance(before, Unknown) else ON_CONDITION
            configurations.append(Configured("", trainer.place, {}, why))
    return configurations


def _as_got(ran: Executed, trainer: Event, before: Obj, now: Obj, last: Obj) -> Configured:
    """Return a configuration as it is when the `trainer` gets it; `last` is the same one as the trainer uses it."""
    settings = {name: _unchanged(last, name, held) for name, held in settings_of(before).items()}
    name = ran.class_name(before)
    made = next((event.settings["self"].value for event in ran.events("configuration") if event.subject is now), None)
    return Configured(
        name,
        before.place or trainer.place,
        settings,
        before.why_open or ("" if name else _OWN_CLASS),
        "made" if made is not None else "",
        copied_from(before, name),
        assigned_later(made, settings),
    )


def _unchanged(now: Obj, name: str, then: Held) -> Held:
    """Return a setting, unknown if the script changes it after the trainer has got it."""
    later = now.cells.get(name)
    if not now.cells or later is None or is_equal(later.value, then.value):
        return then
    return Held(Unknown("changed after the trainer is made", candidates(then.value)), then.place)


def is_equal(left: Value, right: Value) -> bool:
    """Return whether two values are equal; of those that are not plain, whether they are of left kind."""
    try:
        return same(to_plain(left), to_plain(right))
    except NotPlainError:
        return isinstance(left, type(right))


def copied_from(value: Obj, extends: str) -> str:
    """Return the name of TRL's class that a class of the script has which `extends` transformers' arguments."""
    kinds: list[Value] = [value.kind] if extends == "TrainingArguments" else []
    for kind in kinds:
        if isinstance(kind, ClassValue):
            if kind.name in CONFIGURATIONS:
                return kind.name
            kinds += [base for base in kind.bases if base not in kinds]
    return ""


def shared(configured: list[Configured], what: str = "configuration") -> dict[str, Held]:
    """Return each setting of `configured`. It is unknown if they differ, or if some do not set it."""
    settings: dict[str, Held] = {}
    for name in dict.fromkeys(name for c in configured for name in c.settings):
        stated = [c for c in configured if name in c.settings]
        held: Held | None = stated[0].settings[name]
        for other in stated[1:]:
            held = join_held(held, other.settings[name], f"set to different values in {_lines(stated)}")
        assert held is not None
        if any(name not in c.settings for c in configured):
            value = Unknown(f"set in {_lines(stated)} only, not for every {what}", candidates(held.value))
            held = held._replace(value=value)
        settings[name] = held
    return settings


def in_force(settings: Mapping[str, Held]) -> dict[str, Held]:
    """Leave out settings that do not count because another one does, and those that count only with a value."""
    counting = dict(settings)
    for new, old in COUNTS_INSTEAD.items():
        held = counting.get(new)
        if held is None:
            continue
        if held.is_certainly(None):
            del counting[new]
            continue
        counting.pop(old, None)
        if None in candidates(held.value):
            # The other one counts then.
            counting[new] = held._replace(value=Unknown(f"{new} may have no value"))
    return counting


def _lines(configured: Iterable[Configured]) -> str:
    lines = sorted({c.place.line for c in configured})
    return ("lines " if len(lines) > 1 else "line ") + ", ".join(map(str, lines[:8])) + ("..." if lines[8:] else "")
