"""Compare what releases have with the record of settings: disagreements, and what is new."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from packaging.version import Version

from vcompat.upstream.settings.fields import Table
from vcompat.upstream.settings.setting_records import Tables


class Difference(NamedTuple):
    """One way in which a class of a release is not as recorded, or not as in the release before."""

    package: str
    version: Version
    name: str
    """The class."""
    text: str


def disagreements(package: str, read: Tables, recorded: Tables) -> Iterator[Difference]:
    """Yield in what recorded releases are not as recorded."""
    for version in sorted(read.keys() & recorded.keys()):
        for name, text in _compared(read[version], recorded[version]):
            yield Difference(package, version, name, f"not as recorded: {text}")


def news(package: str, read: Tables, recorded: Tables) -> Iterator[Difference]:
    """Yield what is new in releases that are not recorded, each compared with the release before."""
    known = {**recorded, **read}
    for version in sorted(read.keys() - recorded.keys()):
        before = max((one for one in known if one < version), default=None)
        if before is not None and recorded:
            for name, text in _compared(read[version], known[before]):
                yield Difference(package, version, name, text)


def _compared(now: Mapping[str, Table], before: Mapping[str, Table]) -> Iterator[tuple[str, str]]:
    for name in sorted(now.keys() | before.keys()):
        if name not in before:
            yield name, "a new class"
        elif name not in now:
            yield name, "the class is gone"
        elif not _same(now[name], before[name]):
            yield name, "; ".join(_changes(now[name], before[name]))


def _changes(now: Table, before: Table) -> Iterator[str]:
    fields, earlier = now["fields"], before["fields"]
    for word, names in (("new", fields.keys() - earlier.keys()), ("removed", earlier.keys() - fields.keys())):
        if names:
            yield f"{word}: {', '.join(sorted(names))}"
    for name in sorted(fields.keys() & earlier.keys()):
        if not _same(fields[name], earlier[name]):
            yield f"{name}: {', '.join(_details(fields[name], earlier[name]))}"
    for word, checks in (("new check", _added(now, before)), ("check removed", _added(before, now))):
        yield from (f"{word}: {check}" for check in checks)
    for key in sorted(now.keys() | before.keys()):
        if key not in ("fields", "checks") and not _same(now.get(key), before.get(key)):
            yield f"{key} {json.dumps(before.get(key))} -> {json.dumps(now.get(key))}"


def _details(now: Table, before: Table) -> Iterator[str]:
    for key in sorted(now.keys() | before.keys()):
        if not _same(now.get(key), before.get(key)):
            yield f"{key} {json.dumps(before.get(key))} -> {json.dumps(now.get(key))}"


def _added(now: Table, before: Table) -> list[str]:
    return [check for check in now["checks"] if check not in before["checks"]]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are recorded alike, in any order of keys and checks."""
    return _text(one) == _text(other)


def _text(value: Any) -> str:
    if isinstance(value, dict) and isinstance(value.get("checks"), list):
        value = {**value, "checks": sorted(value["checks"])}
    return json.dumps(value, sort_keys=True)
