"""All rules in one file, as shipped in a wheel: first an index that every check reads, then the details of each rule.

The first line is a JSON list with one entry per rule, sorted by id, with the keys of INDEX. Each further line contains
the other keys of one rule, in the same order. A check decodes the first line and the lines of the rules that apply. The
file is written when a wheel is built; a checkout has none and reads the TOML files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from vcompat.foundation.errors import InputError
from vcompat.rules.rule import INDEX, Rule


def compiled_text(tables: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of the compiled file for the `tables` of rule files."""
    ordered = sorted(tables, key=lambda table: str(table["id"]))
    index = [{key: table[key] for key in INDEX if key in table} for table in ordered]
    details = [{key: value for key, value in table.items() if key not in INDEX} for table in ordered]
    return "".join(json.dumps(part, separators=(",", ":")) + "\n" for part in (index, *details))


def read_compiled(path: str) -> tuple[Rule, ...]:
    """Return the rules in the compiled file at `path`. Raises InputError if it is damaged."""
    try:
        with open(path, encoding="utf-8") as file:
            index, *details = file.read().splitlines()
        entries = json.loads(index)
        if not entries:
            raise ValueError("no rules")
        rules = tuple(_rule(entry, line, path) for entry, line in zip(entries, details, strict=True))
    except OSError as error:
        raise InputError(path, error.strerror or str(error)) from None
    except (ValueError, KeyError, TypeError):
        raise InputError(path, "damaged", "the rules file of the installation; reinstall vcompat") from None
    return rules


def _rule(entry: Mapping[str, Any], details: str, path: str) -> Rule:
    def read() -> Mapping[str, Any]:
        try:
            table: Mapping[str, Any] = json.loads(details)
        except ValueError:
            raise InputError(path, "damaged", "the rules file of the installation; reinstall vcompat") from None
        return table

    return Rule(entry, read, entry["id"])
