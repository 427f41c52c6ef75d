"""One change of one setting, as the editors of each kind of file take it."""

from __future__ import annotations

from typing import Any, NamedTuple

from vcompat.facts.facts import Place


class Cannot(Exception):
    """A change cannot be made; the text says why."""


class Edit(NamedTuple):
    """One change of one setting."""

    rule: str
    setting: str
    value: Any
    """The new value, or for an `expression` its code."""
    is_expression: bool
    place: Place
    """Where the value stands, or, with `adds`, where the configuration is made."""
    adds: bool
