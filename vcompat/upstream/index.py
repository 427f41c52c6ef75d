"""The releases of a package on the package index, and the file of each that contains its source."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from packaging.utils import parse_wheel_filename
from packaging.version import InvalidVersion, Version

from vcompat.facts.records.wheels import EVERY_MACHINE
from vcompat.foundation.errors import InputError

#: Installs the libraries that only this package of vcompat needs.
EXTRA = "pip install 'vcompat[upstream]'"


class Release(NamedTuple):
    """One release on the package index."""

    package: str
    version: Version
    file: str
    """Name of the file to inspect: the source distribution, else a wheel; empty if there is neither."""
    address: str
    sha256: str
    """The hash of the file on the index; empty if the index has none."""
    yanked: bool
    local: str = ""
    """Path of an archive or a source tree on this machine; empty for a release on the index."""


class IndexUnreachable(Exception):
    """The package index did not answer, or has no release of the package."""


def finder() -> Any:
    """Return a client of the package index that also lists files incompatible with this machine.

    The index is PIP_INDEX_URL, else the public one. Raises InputError if the client is not installed.
    """
    try:
        # Imported here: only the commands that inspect releases need the client and its HTTP library.
        from unearth import PackageFinder
    except ImportError:
        raise InputError("looking at upstream's releases", "the index client is not installed", EXTRA) from None
    named = os.environ.get("PIP_INDEX_URL")
    return PackageFinder(index_urls=[named] if named else [], ignore_compatibility=True)


def releases_of(package: str, client: Any = None) -> list[Release]:
    """Return all releases of `package`, oldest first, including yanked ones and those without a usable file.

    Raises IndexUnreachable.
    """
    files = _files_of(package, client)
    return [_release(package, version, files[version]) for version in sorted(files)]


def wheels_of(package: str, machine: str, client: Any = None) -> list[Release]:
    """Return the releases of `package` that have a wheel for Linux on `machine`, with that wheel, oldest first.

    `machine` is one of `MACHINES`, or `EVERY_MACHINE` for wheels that are for every one.
    Of several, it is the one that an installer prefers: for the stable ABI, else the newest Python, and the last build.
    Raises IndexUnreachable.
    """
    files = _files_of(package, client)
    wheels = []
    for version in sorted(files):
        links = [link for link in files[version] if _is_for_linux(link.filename, machine)]
        if links:
            wheels.append(_of_file(package, version, max(links, key=_preferred), files[version]))
    return wheels


def _files_of(package: str, client: Any) -> dict[Version, list[Any]]:
    client = client or finder()
    try:
        candidates = list(client.find_all_packages(package, allow_yanked=True))
    except Exception as error:  # the type depends on the HTTP library of the client
        raise IndexUnreachable(f"the package index cannot be reached: {_first_line(error)}") from error
    files: dict[Version, list[Any]] = {}
    for candidate in candidates:
        try:
            files.setdefault(Version(candidate.version or ""), []).append(candidate.link)
        except InvalidVersion:
            continue
    if not files:
        raise IndexUnreachable(f"the package index lists no release of {package}")
    return files


def _is_for_linux(file: str, machine: str) -> bool:
    if machine == EVERY_MACHINE:
        return file.endswith("-none-any.whl")
    return file.endswith(f"_{machine}.whl") and "manylinux" in file


def _preferred(link: Any) -> tuple[bool, tuple[int, ...], object]:
    _, _, build, tags = parse_wheel_filename(link.filename)
    pythons = [tag.interpreter.removeprefix("cp") for tag in tags]
    return "-abi3-" in link.filename, tuple(int(text) for text in pythons if text.isdecimal()), build


def _release(package: str, version: Version, links: list[Any]) -> Release:
    link = min((link for link in links if _rank(link) is not None), key=lambda link: _rank(link) or 0, default=None)
    return _of_file(package, version, link, links)


def _of_file(package: str, version: Version, link: Any, links: list[Any]) -> Release:
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
    """Preference for a file, lower is better: source distributions, then wheels; None if it cannot be read."""
    name = link.filename
    if name.endswith((".tar.gz", ".tgz", ".zip", ".tar.bz2")):
        return 0
    if not name.endswith(".whl"):
        return None
    # Every wheel with compiled code contains the Python files; preferring one platform makes the choice repeatable.
    return 1 if "manylinux" in name and "x86_64" in name else 2


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
