"""The recorded indexes: whether they are up to date, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from packaging.version import InvalidVersion

from vcompat.foundation.shipped import evidence_folder
from vcompat.index.packages import IMPORTED
from vcompat.index.store import BROKEN, Index
from vcompat.rules.record import Record, load_record
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.index import Release
from vcompat.upstream.names.build import build
from vcompat.upstream.names.stamp import stamp
from vcompat.upstream.names.write import write_index
from vcompat.upstream.store import Unavailable


class Updated(NamedTuple):
    """What an update of the indexes did."""

    written: tuple[Path, ...] = ()
    news: tuple[tuple[str, str], ...] = ()
    """For each package whose index was written, what is new in it."""
    troubles: tuple[str, ...] = ()


def index_file(package: str, folder: Path | None = None) -> Path:
    """Return the file of the index of a package. `folder` has the records, by default those of this installation."""
    return (folder or Path(evidence_folder())) / "index" / f"{package}.zip"


def recorded_index(package: str, folder: Path | None = None) -> Index | None:
    """Return the recorded index of a package; None if there is none or it cannot be read."""
    try:
        return Index(str(index_file(package, folder)))
    except (*BROKEN, InvalidVersion):
        return None


def stale(records: Mapping[str, Record], folder: Path | None = None) -> list[str]:
    """Return a line for each index that is not of the recorded releases, or that other code has built."""
    reasons = ((package, _why_stale(record, folder)) for package, record in records.items() if package in IMPORTED)
    return [f"{package}: the index of names {reason}; `--update` writes it" for package, reason in reasons if reason]


def _why_stale(record: Record, folder: Path | None) -> str:
    index = recorded_index(record.package, folder)
    if index is None:
        return "is missing" if record.releases else ""
    if index.made_by != stamp():
        return "was built by other code than this"
    return "" if index.releases == record.releases else "is not of the recorded releases"


def update(
    packages: Iterable[str], releases: Iterable[Release], each: Callable[[str], None], folder: Path | None = None
) -> Updated:
    """Write the indexes of `packages` that are not up to date with the records. Call `each` with every package.

    `releases` are those on the package index. They are fetched if they are not in the store.
    """
    files = {(release.package, release.version): release for release in releases}
    done = Updated()
    for package in packages:
        each(package)
        record = load_record(package, folder, with_rows=False)
        if package in IMPORTED and _why_stale(record, folder):
            before = recorded_index(package, folder)
            known = [
                files.get((package, version), Release(package, version, "", "", "", False))
                for version in record.releases
            ]
            try:
                members = build(package, known, lambda chunk: None, before)
            except (Unavailable, BadArchive) as trouble:
                done = done._replace(troubles=(*done.troubles, f"the index of {package} was not written: {trouble}"))
                continue
            path = index_file(package, folder)
            if write_index(path, members):
                news = (package, _news(Index(str(path)), before))
                done = done._replace(written=(*done.written, path), news=(*done.news, news))
    return done


def _news(index: Index, before: Index | None) -> str:
    """What the releases bring that an earlier index lacks."""
    if before is None or before.releases != index.releases[: len(before.releases)]:
        return f"{len(index.releases)} releases, built from nothing"
    last = len(before.releases) - 1
    masks = list(_modules(index))
    begin = sum((mask & -mask).bit_length() - 1 > last for mask in masks)
    end = sum(last <= mask.bit_length() - 1 < len(index.releases) - 1 for mask in masks)
    moved = sum(release >= last for moves in index.moves.values() for release, _ in moves)
    return f"{begin} modules begin, {end} end; {moved} functions and classes moved"


def _modules(index: Index) -> Iterator[int]:
    """The releases of each module."""
    for chunk in index.chunks:
        for module in index.modules_in(chunk):
            known = index.module(module)
            yield known.mask if known else 0
