"""Releases in a folder of the user: source distributions, wheels, or unpacked source trees."""

from __future__ import annotations

from pathlib import Path

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.upstream.index import Release

_EXPECTED = "a folder of <package>-<version>.tar.gz, wheels, or unpacked trees named <package>-<version>"


def releases_in(folder: Path) -> list[Release]:
    """Return the releases in `folder`, by package and version. Raises InputError if there are none."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(str(folder), error.strerror or str(error), _EXPECTED) from None
    releases = [release for release in map(_release, entries) if release is not None]
    if not releases:
        raise InputError(str(folder), "contains no release", _EXPECTED)
    return sorted(releases, key=lambda release: (release.package, release.version))


def _release(path: Path) -> Release | None:
    try:
        if path.is_dir():
            package, _, version = path.name.rpartition("-")
            parsed: tuple[str, Version] = (package.lower().replace("_", "-"), Version(version))
        elif path.suffix == ".whl":
            parsed = parse_wheel_filename(path.name)[:2]
        else:
            parsed = parse_sdist_filename(path.name)
    except (InvalidVersion, InvalidSdistFilename, InvalidWheelFilename):
        return None
    return Release(*parsed, file=path.name, address="", sha256="", yanked=False, local=str(path))
