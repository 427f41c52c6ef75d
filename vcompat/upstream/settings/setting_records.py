"""Write the record of settings, and read it release by release."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.version import Version

from vcompat.facts.records.recorded_settings import known_classes, load_class, settings_folder
from vcompat.foundation.writing import write_whole
from vcompat.upstream.settings.fields import Table
from vcompat.upstream.settings.setting_classes import SINCE
from vcompat.upstream.settings.side_effects import Foreign

#: What was found in the releases of a package: for each release, the classes.
Tables = Mapping[Version, Mapping[str, Table]]
#: The parts of a class that have one value per release, and the value that is not written.
_PARTS: tuple[tuple[str, Any], ...] = (
    ("module", ""),
    ("bases", []),
    ("extra", ""),
    ("refuses", []),
    ("before_bases", {}),
    ("assigns", []),
    ("unread", 0),
)
_RELEASES = "releases.json"


def recorded_tables(package: str, folder: Path | None = None) -> dict[Version, dict[str, Table]]:
    """Return what the record states of each surveyed release. Raises InputError."""
    tables: dict[Version, dict[str, Table]] = {}
    for name in known_classes(package, folder):
        record = load_class(package, name, folder)
        if record is not None:
            for version in record.releases():
                classes = tables.setdefault(version, {})
                if record.exists(version):
                    classes[name] = record.table(version)
    return tables


def save_tables(package: str, tables: Tables, folder: Path | None = None) -> list[Path]:
    """Write the record of a package; return the files that changed. Raises InputError if one cannot be written."""
    target = Path(folder or settings_folder(), package)
    releases = sorted(tables)
    names = sorted({name for classes in tables.values() for name in classes})
    texts = {f"{name}.json": _class_text(package, name, releases, tables) for name in names}
    texts[_RELEASES] = _releases_text(package, releases)
    with contextlib.suppress(OSError):
        target.mkdir(parents=True, exist_ok=True)
    changed = [target / name for name, text in texts.items() if _contents(target / name) != text]
    for path in changed:
        write_whole(path, texts[path.name], "a checkout")
    for path in target.glob("*.json"):
        if path.name not in texts:
            path.unlink()
            changed.append(path)
    return changed


def foreign_settings(tables: Mapping[str, Tables]) -> Foreign:
    """Return what the classes of transformers mean for those of other packages, by the record and by `tables`."""
    transformers = {**recorded_tables("transformers"), **tables.get("transformers", {})}
    fields: dict[str, set[str]] = {}
    assigns: dict[str, set[str]] = {}
    for classes in transformers.values():
        for name, table in classes.items():
            fields.setdefault(f"transformers.{name}", set()).update(table["fields"])
            assigns.setdefault(f"transformers.{name}", set()).update(table.get("assigns", ()))
    return Foreign(
        {name: frozenset(found) for name, found in fields.items()},
        {name: frozenset(found) for name, found in assigns.items()},
    )


def _contents(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def _releases_text(package: str, releases: Sequence[Version]) -> str:
    table: dict[str, Any] = {"package": package}
    if package in SINCE:
        table |= {"since": SINCE[package][0], "because": SINCE[package][1]}
    return _written({**table, "releases": " ".join(map(str, releases))})


def _class_text(package: str, name: str, releases: Sequence[Version], tables: Tables) -> str:
    having = {version: tables[version][name] for version in releases if name in tables[version]}
    contents: dict[str, Any] = {"package": package, "class": name}
    contents["exists"] = [run[:2] for run in runs_of(releases, dict.fromkeys(having, True))]
    for key, nothing in _PARTS:
        values = {version: table[key] for version, table in having.items() if table.get(key, nothing) != nothing}
        runs = runs_of(releases, values)
        contents |= {key: runs} if runs else {}
    fields = sorted({field for table in having.values() for field in table["fields"]})
    contents["fields"] = {
        field: runs_of(releases, {v: table["fields"][field] for v, table in having.items() if field in table["fields"]})
        for field in fields
    }
    contents["checks"] = list(_check_runs(releases, having))
    return _written(contents)


def _check_runs(releases: Sequence[Version], having: Mapping[Version, Table]) -> Iterator[list[Any]]:
    checks = {check: None for version in releases if version in having for check in having[version]["checks"]}
    for check in checks:
        yield from runs_of(releases, {version: check for version, table in having.items() if check in table["checks"]})


def runs_of(releases: Sequence[Version], values: Mapping[Version, Any]) -> list[list[Any]]:
    """Return the runs of consecutive releases with equal values: first, last or None for all newer ones, value."""
    runs: list[list[Any]] = []
    before = None
    for version in releases:
        if version in values:
            if before is not None and _same(values[before], values[version]):
                runs[-1][1] = str(version)
            else:
                runs.append([str(version), str(version), values[version]])
        before = version if version in values else None
    for run in runs:
        run[1] = None if run[1] == str(releases[-1]) else run[1]
    return runs


def _same(one: Any, other: Any) -> bool:
    """Whether two values are written alike; 1, 1.0 and true are not."""
    return json.dumps(one) == json.dumps(other)


def _written(table: Mapping[str, Any]) -> str:
    """JSON with a line for each run."""
    lines = []
    for key, value in table.items():
        if key == "fields":
            inner = [f"    {json.dumps(name)}: {_list(runs, '      ')}" for name, runs in value.items()]
            text = "{\n" + ",\n".join(inner) + "\n  }" if inner else "{}"
        else:
            text = _list(value, "    ") if isinstance(value, list) else json.dumps(value)
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _list(runs: Sequence[Any], indent: str) -> str:
    if len(runs) < 2:
        return json.dumps(runs)
    return "[\n" + ",\n".join(indent + json.dumps(run) for run in runs) + f"\n{indent[2:]}]"
