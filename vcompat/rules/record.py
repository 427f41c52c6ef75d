"""Evidence records: the results of inspecting upstream releases, one TOML file per package in the repository.

A line covers consecutive releases with the same verdict on the same code, so an upstream change is a changed line in a
diff. Offline, claims are checked against the records; `vcompat rules verify --update` writes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tomli
from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder
from vcompat.foundation.writing import write_changed
from vcompat.rules.fingerprint import Seen

#: The two kinds of recorded subjects.
RULE, PATCH = "rules", "patches"
Key = tuple[str, str, int]


class Row(NamedTuple):
    """The results of all releases for one subject."""

    terms: str
    seen: Mapping[Version, Seen]


class Record(NamedTuple):
    """The results for the releases of one package."""

    package: str
    releases: tuple[Version, ...]
    """The inspected releases, oldest first."""
    rows: Mapping[Key, Row]
    declares: Mapping[str, Mapping[Version, str]] = {}
    """For other packages (and Python), the range that each release requires; an empty string for any version."""
    yanked: tuple[Version, ...] = ()
    """The yanked ones of the releases; an installer uses them only if they are pinned exactly."""
    since: str = ""
    """The oldest inspected release; empty for the first release."""
    because: str = ""
    """Why older releases are not inspected."""


def record_folder() -> Path:
    """Return the folder of the records of this installation."""
    return Path(evidence_folder())


@cache
def _version(text: str) -> Version:
    """Parse a version once: the same one is in many rows, and comparing an object with itself is fast."""
    return Version(text)


def load_record(package: str, folder: Path | None = None, with_rows: bool = True) -> Record:
    """Return the record of a package, empty if there is none. Raises InputError if it is malformed.

    Reading the rows takes most of the time; a caller that does not use them passes False.
    """
    path = (folder or record_folder()) / f"{package}.toml"
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Record(package, (), {})
    except OSError as error:
        raise InputError(str(path), error.strerror or str(error)) from None
    except (UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise InputError(str(path), f"not valid TOML: {error}", "a file written by `rules verify --update`") from None
    try:
        return _parse(package, table, with_rows)
    except (KeyError, ValueError, TypeError, AttributeError, InvalidVersion) as error:
        raise InputError(str(path), f"malformed: {error}", "a file written by `rules verify --update`") from None


@cache
def shipped_record(package: str) -> Record:
    """Return the record of a package in this installation, without rows, read once in a process."""
    return load_record(package, with_rows=False)


def _parse(package: str, table: Mapping[str, Any], with_rows: bool) -> Record:
    releases = tuple(map(_version, table["releases"].split()))
    rows = {
        (kind, subject, number): Row(entry["terms"], _seen(entry["seen"], releases))
        for kind in (RULE, PATCH)
        if with_rows
        for subject, entries in table.get(kind, {}).items()
        for number, entry in enumerate(entries)
    }
    declares = {
        partner: {version: words[-1].strip("*") for version, words in _expanded(lines, releases)}
        for partner, lines in table.get("declares", {}).items()
    }
    yanked = tuple(map(_version, table.get("yanked", "").split()))
    return Record(package, releases, rows, declares, yanked, table.get("since", ""), table.get("because", ""))


def _seen(lines: str, releases: tuple[Version, ...]) -> dict[Version, Seen]:
    return {
        version: Seen(verdict, digest=digest[0] if digest else "")
        for version, (verdict, *digest) in _expanded(lines, releases)
    }


def _expanded(lines: str, releases: tuple[Version, ...]) -> Iterator[tuple[Version, list[str]]]:
    """For each release, the words of its line without the first and last release of the line."""
    for line in filter(str.strip, lines.splitlines()):
        first, last, *words = line.split()
        begin, end = releases.index(_version(first)), releases.index(_version(last))
        for version in releases[begin : end + 1]:
            yield version, words


def save_record(record: Record, folder: Path | None = None) -> Path | None:
    """Write a record atomically. Return its file, or None if the file is already up to date.

    Raises InputError if it cannot be written.
    """
    path = (folder or record_folder()) / f"{record.package}.toml"
    return path if write_changed(path, _written(record), "a checkout") else None


def _written(record: Record) -> str:
    lines = [
        f"# Evidence from the releases of {record.package}. Generated by `vcompat rules verify --update`.",
        "# Each line: first release, last release, verdict, hash of the inspected code.",
        f'package = "{record.package}"',
    ]
    if record.since:
        lines += [f'since = "{record.since}"', f'because = "{record.because}"']
    lines += ['releases = """', *_filled([str(version) for version in record.releases]), '"""']
    if record.yanked:
        lines.append(f'yanked = "{" ".join(map(str, record.yanked))}"')
    for partner in sorted(record.declares):
        required: dict[Version, tuple[str, ...]] = {
            version: (text or "*",) for version, text in record.declares[partner].items()
        }
        lines += ["", *(["[declares]"] if partner == min(record.declares) else []), f'{partner} = """']
        lines += [*_runs(required, record.releases), '"""']
    for kind in (RULE, PATCH):
        for key in sorted(key for key in record.rows if key[0] == kind):
            row = record.rows[key]
            lines += ["", f"[[{kind}.{key[1]}]]", f'terms = "{row.terms}"', 'seen = """']
            verdicts: dict[Version, tuple[str, ...]] = {
                version: (f"{seen.verdict:<10}", seen.digest) for version, seen in row.seen.items()
            }
            lines += [*_runs(verdicts, record.releases), '"""']
    return "\n".join(lines) + "\n"


def _filled(words: list[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 110:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _runs(values: Mapping[Version, tuple[str, ...]], releases: tuple[Version, ...]) -> list[str]:
    """A line for each run of consecutive releases with the same values."""
    runs: list[tuple[Version, Version, tuple[str, ...]]] = []
    before = None
    for version in releases:
        words = values.get(version)
        if words is not None and words == before:
            runs[-1] = (runs[-1][0], version, words)
        elif words is not None:
            runs.append((version, version, words))
        before = words
    return [f"{first!s:<13} {last!s:<13} {' '.join(words)}".rstrip() for first, last, words in runs]
