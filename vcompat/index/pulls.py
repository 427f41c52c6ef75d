"""The pull requests that changed a function in a release, from the records in `evidence/pulls`.

A record is a zip archive with one text: a line ``@module`` for each module, below it a line for each function or class,
with the releases that changed it and the numbers of the pull requests.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from functools import cache

from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder
from vcompat.index.store import BROKEN

#: For each module, for each scope, for each release: the numbers, the oldest change first.
Pulls = Mapping[str, Mapping[str, Mapping[Version, tuple[int, ...]]]]
#: The only member of the archive.
MEMBER = "pulls"


def pulls_of(package: str, module: str, scope: str, release: Version) -> tuple[int, ...]:
    """Return the numbers of all pull requests that changed a scope in a release since the recorded one before.

    Empty if that is not known. Raises InputError for a damaged record.
    """
    text = f"\n{recorded_text(package)}\n"
    start = text.find(f"\n@{module}\n")
    end = text.find("\n@", start + 1)
    line = text.find(f"\n{scope} ", start, end) if start >= 0 else -1
    words = text[line + 1 : text.find("\n", line + 1)].split(" ") if line >= 0 else []
    return next((_numbers(word)[1] for word in words[1:] if word.startswith(f"{release}:")), ())


def encoded(pulls: Pulls) -> str:
    """Return the text of a record."""
    lines = []
    for module, scopes in sorted(pulls.items()):
        lines.append(f"@{module}")
        for scope, releases in sorted(scopes.items()):
            words = (f"{release}:{','.join(map(str, numbers))}" for release, numbers in sorted(releases.items()))
            lines.append(" ".join((scope, *words)))
    return "\n".join(lines)


def decoded(text: str) -> Pulls:
    """Return what `encoded` wrote."""
    pulls: dict[str, dict[str, dict[Version, tuple[int, ...]]]] = {}
    scopes: dict[str, dict[Version, tuple[int, ...]]] = {}
    for line in text.splitlines():
        if line.startswith("@"):
            scopes = pulls[line[1:]] = {}
        else:
            scope, *words = line.split(" ")
            scopes[scope] = dict(map(_numbers, words))
    return pulls


def _numbers(word: str) -> tuple[Version, tuple[int, ...]]:
    release, _, numbers = word.partition(":")
    return Version(release), tuple(map(int, numbers.split(",")))


def pulls_file(package: str, folder: str | None = None) -> str:
    """Return the file of the record of a package. `folder` has the evidence, by default that of this installation."""
    return os.path.join(folder or evidence_folder(), "pulls", f"{package}.zip")


@cache
def recorded_text(package: str, folder: str | None = None) -> str:
    """Return the text of the record of a package; empty if there is none. Raises InputError if it is damaged."""
    path = pulls_file(package, folder)
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(MEMBER).decode()
    except FileNotFoundError:
        return ""
    except BROKEN:
        raise InputError(path, "damaged", "the file of this release of vcompat; install it again") from None
