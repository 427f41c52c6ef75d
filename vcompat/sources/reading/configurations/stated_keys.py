"""The keys of configuration files as settings of the classes that read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vcompat.facts.facts import Place
from vcompat.facts.stated import COMPUTED, OPTION, Setting, Stated


def stated_keys(kind: str, table: Mapping[str, Any], place_of: Callable[[str], Place], place: Place) -> Stated:
    """Return the keys of `table` as what the class `kind`, such as ``accelerate.ClusterConfig``, gets."""
    settings = tuple(
        Setting(str(key), value if _is_plain(value) else COMPUTED, place_of(str(key)), OPTION)
        for key, value in table.items()
    )
    return Stated((kind,), settings, place)


def _is_plain(value: object) -> bool:
    """Return whether a value is what the class gets: transformers replaces "auto" before."""
    return (value is None or isinstance(value, bool | int | float | str)) and value != "auto"
