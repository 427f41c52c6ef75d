"""The keys of a table in a rule file: which are allowed, and of which types their values are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

_TYPE_NAMES = {
    str: "a string",
    list: "a list",
    dict: "a table",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


def check_keys(table: Mapping[str, Any], required: Mapping[str, Any], optional: Mapping[str, Any], where: str) -> None:
    """Raise InputError with `where` and the key if `table` has an unknown key, a value of another type, or lacks a key.

    `required` and `optional` have the type of each key, or a tuple of types.
    """
    if not isinstance(table, dict):
        raise InputError(where, f"{table!r}", "a table")
    known = {**required, **optional}
    for key, value in table.items():
        if key not in known:
            raise InputError(f"{where}: {key}", "unknown key", did_you_mean(key, known) or ", ".join(known))
        kinds = known[key]
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds in (int, float)):
            raise InputError(f"{where}: {key}", f"{value!r}", _TYPE_NAMES.get(kinds, "a plain value"))
    for key in required:
        if key not in table:
            raise InputError(f"{where}: {key}", "missing", _TYPE_NAMES.get(required[key], "a value"))
