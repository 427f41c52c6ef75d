"""Write the record of models, and compare releases with it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from packaging.version import Version

from vcompat.facts.records.models import ModelRecord, load_models
from vcompat.foundation.shipped import evidence_folder
from vcompat.foundation.writing import write_whole
from vcompat.upstream.architectures.release_models import KINDS, Models

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
        kinds[kind] = {name: _runs(releases, [name in read[version][kind] for version in releases]) for name in names}
    text = _written(package, releases, kinds)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.read_text(encoding="utf-8") == text:
            return []
    write_whole(path, text, "a checkout")
    return [path]


def _at(record: ModelRecord, version: Version) -> Models:
    return {kind: record.names(kind, version) for kind in record.kinds()}


def _compared(now: Models, before: Models) -> Iterator[str]:
    for kind in now:
        for word, names in (("new", now[kind] - before[kind]), ("removed", before[kind] - now[kind])):
            if names:
                yield f"{kind.replace('_', ' ')}, {word}: {', '.join(sorted(names))}"


def _runs(releases: Sequence[Version], has: Sequence[bool]) -> list[list[str | None]]:
    """The runs of consecutive releases that have a name."""
    runs: list[list[str | None]] = []
    for number, (version, present) in enumerate(zip(releases, has, strict=True)):
        if present and number and has[number - 1]:
            runs[-1][1] = str(version)
        elif present:
            runs.append([str(version), str(version)])
    if has and has[-1]:
        runs[-1][1] = None
    return runs


def _written(package: str, releases: Sequence[Version], kinds: Mapping[str, Mapping[str, object]]) -> str:
    """JSON with a line for each name."""
    lines = []
    for kind, names in kinds.items():
        inner = ",\n".join(f"      {json.dumps(name)}: {json.dumps(runs)}" for name, runs in names.items())
        lines.append(f"    {json.dumps(kind)}: {{\n{inner}\n    }}" if inner else f"    {json.dumps(kind)}: {{}}")
    head = f'{{\n  "package": "{package}",\n  "releases": "{" ".join(map(str, releases))}",\n'
    return head + '  "models": {\n' + ",\n".join(lines) + "\n  }\n}\n"
