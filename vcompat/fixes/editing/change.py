"""A change to one setting, independent of the file type."""

from __future__ import annotations

from typing import Any, NamedTuple

from vcompat.facts.facts import Place


class Cannot(Exception):
    """A change cannot be made. The message is the reason."""


class Edit(NamedTuple):
    """A change to one setting."""

    rule: str
    setting: str
    value: Any
    """The new value; source code if `is_expression` is true."""
    is_expression: bool
    place: Place
    """The position of the current value; with `adds`, the position of the configuration."""
    adds: bool
