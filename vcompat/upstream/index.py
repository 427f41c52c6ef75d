"""Which releases of a package the package index has, and which file of each holds its source."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError

#: How to get the libraries that only this part of vcompat needs.
EXTRA = "pip install 'vcompat[upstream]'"


class Release(NamedTuple):
    """One release on the package index."""

    package: str
    version: Version
    file: str
    """Name of the file that is looked at: the source distribution, else a wheel; empty if there is neither."""
    address: str
    sha256: str
    """What the index says of the file; empty if it says nothing."""
    yanked: bool
    local: str = ""
    """Path of an archive or a source tree on this machine; empty for a release of the index."""


class IndexUnreachable(Exception):
    """The package index gave no answer; the text says which one."""


def finder() -> Any:
    """A client of the package index that leaves nothing out for this machine's sake.

    The index is the one that PIP_INDEX_URL names, else the public one. Raises InputError where the client is not
    installed.
    """
    try:
        # A client with an HTTP library in it: nobody but the commands that look at releases should pay for that.
        from unearth import PackageFinder
    except ImportError:
        raise InputError("looking at upstream's releases", "the index client is not installed", EXTRA) from None
    named = os.environ.get("PIP_INDEX_URL")
    return PackageFinder(index_urls=[named] if named else [], ignore_compatibility=True)


def releases_of(package: str, client: Any = None) -> list[Release]:
    """All releases of `package`, oldest first, yanked ones and those without a usable file included.

    Raises IndexUnreachable.
    """
    client = client or finder()
    try:
        found = list(client.find_all_packages(package, allow_yanked=True))
    except Exception as error:  # which one it is depends on the HTTP library that the client uses
        raise IndexUnreachable(f"the package index cannot be reached: {_first_line(error)}") from error
    files: dict[Version, list[Any]] = {}
    for candidate in found:
        try:
            files.setdefault(Version(candidate.version or ""), []).append(candidate.link)
        except InvalidVersion:
            continue
    if not files:
        raise IndexUnreachable(f"the package index lists no release of {package}")
    return [_release(package, version, files[version]) for version in sorted(files)]


def _release(package: str, version: Version, links: list[Any]) -> Release:
    link = min((link for link in links if _rank(link) is not None), key=lambda link: _rank(link) or 0, default=None)
    hashes = (link.hash_option if link is not None else None) or {}
    return Release(
        package,
        version,
        file=link.filename if link is not None else "",
        address=link.url_without_fragment if link is not None else "",
        sha256=next(iter(hashes.get("sha256", [])), ""),
        yanked=all(link.is_yanked for link in links),
    )


def _rank(link: Any) -> int | None:
    """How well a file serves: source first, then wheels; None for one that cannot be read here."""
    name = link.filename
    if name.endswith((".tar.gz", ".tgz", ".zip", ".tar.bz2")):
        return 0
    if not name.endswith(".whl"):
        return None
    # Of wheels with compiled code, any holds the Python files; one name before another makes the choice repeatable.
    return 1 if "manylinux" in name and "x86_64" in name else 2


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
