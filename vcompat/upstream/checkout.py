"""A source tree of a package, such as a clone of its repository: which package it is, and which version."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.upstream.index import Release
from vcompat.upstream.requirements import PARTNERS

#: Files that can state the version, and how; the first match counts. A clone has no PKG-INFO.
_STATED = (
    ("PKG-INFO", r"^Version: (\S+)$"),
    ("{root}/__init__.py", r"^__version__ = [\"']([^\"']+)[\"']"),
    ("{root}/_version.py", r"^__version__ = .*[\"']([^\"']+)[\"']$"),
    ("VERSION", r"^(\S+)$"),
    ("version.txt", r"^(\S+)$"),
)
_EXPECTED = f"a source tree of {', '.join(PARTNERS[1:-1])} or {PARTNERS[-1]}"


def checkout_in(folder: Path, version: Version | None = None) -> Release:
    """Return the source tree in `folder` as a release; `version` outweighs what its files state.

    Raises InputError if it is none, or if no version is given and none is stated.
    """
    for package in PARTNERS[1:]:
        for root in (package, f"src/{package}"):
            if (folder / root / "__init__.py").is_file():
                version = version or _stated(folder, root, package)
                return Release(package, version, folder.name, "", "", False, local=str(folder))
    raise InputError(str(folder), "not a source tree", _EXPECTED)


def _stated(folder: Path, root: str, package: str) -> Version:
    for name, pattern in _STATED:
        path = folder / name.format(root=root)
        try:
            match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
            if match:
                return Version(match[1])
        except (OSError, UnicodeDecodeError, InvalidVersion):
            continue
    raise InputError(str(folder), f"no file states the version of {package}", f"{package}==VERSION@{folder}")
