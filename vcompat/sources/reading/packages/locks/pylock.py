"""Reads pylock.toml (PEP 751). The packages that matter are validated by the library ``packaging``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.packages.locks.lock_text import LockText, package_table
from vcompat.sources.reading.packages.origin import Origin, of_index
from vcompat.sources.reading.packages.platforms import Platforms, Runtime
from vcompat.sources.reading.packages.requirement import file_origin, why_revision
from vcompat.sources.reading.packages.stated_packages import Declared, Entry

if TYPE_CHECKING:
    from packaging.pylock import Package, Pylock

#: The number of a package in a message of ``packaging``.
_PACKAGE = re.compile(r"packages\[(\d+)\]\.?")
_EXPECTED = "a lock file as PEP 751 specifies it"


def read_pylock(text: LockText, runtime: Runtime) -> Declared:
    """Return what a pylock.toml pins. Raises InputError if it is malformed."""
    requires = text.head.get("requires-python")
    platforms = Platforms(runtime, requires if isinstance(requires, str) else "")
    tables = [(block.place, package_table(block, "packages")) for block in text.blocks]
    # uv lists packages of other platforms without files, which is not valid, but does not matter here.
    tables = [(place, table) for place, table in tables if platforms.applies(str(table.get("marker", ""))) is not False]
    lock = _validated(text, tables)
    here = platforms.any_applies([str(marker) for marker in lock.environments or ()])
    declared = Declared()
    declared.complete = here is True
    for (place, _), package in zip(tables, lock.packages, strict=True):
        declared.add(_entry(package, place, platforms, here))
    return declared


def _validated(text: LockText, tables: list[tuple[Place, dict[str, Any]]]) -> Pylock:
    """Return the lock file with the packages in `tables` only: to validate thousands of others takes seconds."""
    # Imported here because it takes 80 ms.
    from packaging.pylock import Pylock, PylockUnsupportedVersionError, PylockValidationError

    try:
        return Pylock.from_dict({**text.head, "packages": [table for _, table in tables]})
    except (PylockUnsupportedVersionError, PylockValidationError) as error:
        number = int(found[1]) if (found := _PACKAGE.search(str(error))) else None
        where = f"{text.path}:{tables[number][0].line}" if number is not None else text.path
        problem = _PACKAGE.sub("", str(error)).removesuffix(" in ''")
        raise InputError(where, f"not a valid lock file: {problem}"[:200], _EXPECTED) from None


def _entry(package: Package, place: Place, platforms: Platforms, here: bool | None) -> Entry:
    applies = platforms.applies(str(package.marker or ""))
    depends = f"its marker {package.marker}"
    if applies and not here:
        applies, depends = None, "the environments for which the file was made"
    if package.version is None:
        vcs = package.vcs
        why = why_revision(vcs.requested_revision or vcs.commit_id) if vcs else "has no version"
        return Entry(package.name, place, why=why, applies=applies, depends=depends)
    return Entry(package.name, place, str(package.version), applies=applies, depends=depends, origin=_origin(package))


def _origin(package: Package) -> Origin:
    if package.vcs or package.directory:
        return Origin("a repository or a folder")
    if package.archive:
        return file_origin(package.archive.url or str(package.archive.path))
    if package.index:
        return of_index(package.index)
    for file in package.wheels or ():
        return file_origin(file.url or str(file.path))
    return Origin() if package.sdist is None else file_origin(package.sdist.url or str(package.sdist.path))
