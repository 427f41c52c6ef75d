"""Write the record of models, and compare releases with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from packaging.version import Version

from vcompat.facts.records.models import ModelRecord, load_models
from vcompat.foundation.shipped import evidence_folder
from vcompat.foundation.writing import write_changed
from vcompat.upstream.architectures.release_models import KINDS, Models
from vcompat.upstream.settings.setting_records import runs_of

#: What was found in the releases of a package.
Found = Mapping[Version, Models]


def recorded_models(package: str, folder: Path | None = None) -> dict[Version, Models]:
    """Return what the record states of each surveyed release. Raises InputError."""
    record = load_models(package, folder)
    return {Version(release): _at(record, Version(release)) for release in record.releases} if record else {}


def differences(read: Found, recorded: Found) -> Iterator[tuple[Version, str]]:
    """Yield in what recorded releases are not as the record states."""
    for version in sorted(read.keys() & recorded.keys()):
        for text in _compared(read[version], recorded[version]):
            yield version, f"not as recorded: {text}"


def news(read: Found, recorded: Found) -> Iterator[tuple[Version, str]]:
    """Yield what is new in releases that are not recorded, each compared with the release before."""
    known = {**recorded, **read}
    for version in sorted(read.keys() - recorded.keys()):
        before = max((one for one in known if one < version), default=None)
        if before is not None and recorded:
            yield from ((version, text) for text in _compared(read[version], known[before]))


def save_models(package: str, read: Found, folder: Path | None = None) -> list[Path]:
    """Write the record of a package; return the file if it changed. Raises InputError if it cannot be written."""
    path = (folder or Path(evidence_folder(), "models")) / f"{package}.json"
    releases = sorted(read)
    kinds = {}
    for kind in KINDS[package]:
        names = sorted({name for models in read.values() for name in models[kind]})
        having = {name: {version: True for version in releases if name in read[version][kind]} for name in names}
        kinds[kind] = {name: [run[:2] for run in runs_of(releases, values)] for name, values in having.items()}
    return [path] if write_changed(path, _written(package, releases, kinds), "a checkout") else []


def _at(record: ModelRecord, version: Version) -> Models:
    return {kind: record.names(kind, version) for kind in record.kinds()}


def _compared(now: Models, before: Models) -> Iterator[str]:
    for kind in now:
        for word, names in (("new", now[kind] - before[kind]), ("removed", before[kind] - now[kind])):
            if names:
                yield f"{kind.replace('_', ' ')}, {word}: {', '.join(sorted(names))}"


def _written(package: str, releases: Sequence[Version], kinds: Mapping[str, Mapping[str, object]]) -> str:
    """JSON with a line for each name."""
    lines = []
    for kind, names in kinds.items():
        inner = ",\n".join(f"      {json.dumps(name)}: {json.dumps(runs)}" for name, runs in names.items())
        lines.append(f"    {json.dumps(kind)}: {{\n{inner}\n    }}" if inner else f"    {json.dumps(kind)}: {{}}")
    head = f'{{\n  "package": "{package}",\n  "releases": "{" ".join(map(str, releases))}",\n'
    return head + '  "models": {\n' + ",\n".join(lines) + "\n  }\n}\n"
