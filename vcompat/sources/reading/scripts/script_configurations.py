"""The configurations that a script makes, and what several of them share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.python.classes.configurations import settings_of
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    ClassValue,
    Const,
    Held,
    Obj,
    Unknown,
    Value,
    candidates,
    join_held,
)
from vcompat.sources.reading.scripts.assigned import assigned_later
from vcompat.sources.reading.settings import COUNTS_INSTEAD


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
    found: dict[str, Held] = {}
    for name in dict.fromkeys(name for c in configured for name in c.settings):
        stated = [c for c in configured if name in c.settings]
        held: Held | None = stated[0].settings[name]
        for other in stated[1:]:
            held = join_held(held, other.settings[name], f"set to different values in {_lines(stated)}")
        assert held is not None
        if any(name not in c.settings for c in configured):
            value = Unknown(f"set in {_lines(stated)} only, not for every {what}", candidates(held.value))
            held = held._replace(value=value)
        found[name] = held
    return found


def in_force(settings: Mapping[str, Held]) -> dict[str, Held]:
    """Leave out settings that do not count because another one does, and those that count only with a value."""
    found = dict(settings)
    for new, old in COUNTS_INSTEAD.items():
        held = found.get(new)
        if held is None:
            continue
        possible = candidates(held.value)
        if isinstance(held.value, Const) and held.value.value is None and not held.optional:
            del found[new]
            continue
        found.pop(old, None)
        if None in possible:
            # The other one counts then.
            found[new] = held._replace(value=Unknown(f"{new} may have no value"))
    return found


def _lines(configured: Iterable[Configured]) -> str:
    lines = sorted({c.place.line for c in configured})
    return ("lines " if len(lines) > 1 else "line ") + ", ".join(map(str, lines[:8])) + ("..." if lines[8:] else "")
