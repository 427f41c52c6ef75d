"""A rehearsal as part of what is sent upstream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.rehearsal.verdict import FAILED
from vcompat.report.parts.markdown_parts import cell

_EXPECTED = "the verdict of `vcompat rehearse`"
#: What is read of a verdict, and its types.
_KEYS = {"status": str, "steps": int, "world_size": int, "checks": list, "patches": list, "changed": list}


def read_verdict(path: str) -> Mapping[str, Any]:
    """Return the JSON of a verdict. Raises InputError if the file is none."""
    try:
        table = json.loads(read_text(path, 64 * MB, _EXPECTED))
    except (ValueError, RecursionError):
        raise InputError(path, "not valid JSON", _EXPECTED) from None
    is_verdict = isinstance(table, dict) and all(isinstance(table.get(key), kind) for key, kind in _KEYS.items())
    if not is_verdict or not all(_is_check(check) for check in table["checks"]):
        raise InputError(path, "another structure", _EXPECTED)
    return dict(table)


def _is_check(check: object) -> bool:
    texts = [check.get(key) for key in ("name", "status", "text")] if isinstance(check, dict) else [None]
    return all(isinstance(text, str) for text in texts)


def headline(verdict: Mapping[str, Any]) -> str:
    """The first check that failed, in one line; empty if none did."""
    failed = [check for check in verdict["checks"] if check["status"] == FAILED]
    return f"{failed[0]['name']}: {failed[0]['text']}" if failed else ""


def texts(verdict: Mapping[str, Any]) -> Iterator[str]:
    """Yield all texts of the checks, which may name hosts and paths."""
    for check in verdict["checks"]:
        details = check.get("details")
        yield from (check["text"], *map(str, details if isinstance(details, list) else []))


def section(verdict: Mapping[str, Any], hide: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of the section. `hide` replaces what identifies anybody."""
    yield f"### Rehearsal: {cell(str(verdict['status']))}"
    yield ""
    steps, world = verdict["steps"], verdict["world_size"]
    patches = ", ".join(map(str, verdict["patches"])) or "none"
    yield f"{steps} step{'s' * (steps != 1)} on {world} rank{'s' * (world != 1)}. Patches: {cell(patches)}."
    yield ""
    yield "| check | result | seen |"
    yield "| --- | --- | --- |"
    for check in verdict["checks"]:
        seen = "<br>".join(cell(hide(text)) for text in texts({"checks": [check]}))
        yield f"| {cell(check['name'])} | {cell(check['status'])} | {seen} |"
    if verdict["changed"]:
        yield ""
        yield f"For the rehearsal, other values were set for: {cell(', '.join(map(str, verdict['changed'])))}."
