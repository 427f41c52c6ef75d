"""Why misfits have no rule: ``evidence/misfits.toml``, written by hand.

A misfit is explained if each pair of releases that no rule covers has a reason. A reason can be limited to releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from vcompat.foundation.errors import InputError
from vcompat.rules.ranges import InvalidRange, parse_range
from vcompat.rules.record import record_folder
from vcompat.upstream.scanning.covered import Pair
from vcompat.upstream.scanning.scan import Misfit

_KEYS = {"user", "other", "uses", "files", "users", "others", "because"}


class Reason(NamedTuple):
    """Why uses of one package by another need no rule where they are not supported."""

    user: str
    """Pattern of the package with the use; ``*`` for all packages."""
    other: str
    uses: tuple[str, ...]
    """Patterns of uses, such as ``imports transformers.AutoModel*``."""
    files: tuple[str, ...]
    """Patterns of the files with the use, all of which must match; empty for all files."""
    users: str
    """Range of the releases of `user` that it is about; empty for all."""
    others: str
    """Range of the releases of `other` that it is about; empty for all."""
    because: str

    def __str__(self) -> str:
        parts = (self.user, self.users, self.other, self.others)
        return f"{' '.join(part for part in parts if part)}: {', '.join((*self.uses, *self.files))}"

    def is_about(self, user: str, other: str, misfit: Misfit) -> bool:
        """Whether it is about this misfit, with some releases at least."""
        if not fnmatchcase(user, self.user) or other != self.other:
            return False
        named = any(fnmatchcase(str(misfit.use), pattern) for pattern in self.uses)
        inside = (any(fnmatchcase(file, pattern) for pattern in self.files) for file in misfit.files)
        return named and (not self.files or all(inside))

    def explains(self, pair: Pair) -> bool:
        """Whether it is about these releases of both packages."""
        ranges = zip(pair, (self.users, self.others), strict=True)
        return all(not text or parse_range(text).contains(version) for version, text in ranges)


def load_reasons(folder: Path | None = None) -> tuple[Reason, ...]:
    """Read all reasons. Raises InputError if the file is malformed."""
    path = (folder or record_folder()) / "misfits.toml"
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), error.strerror or str(error)) from None
    except (UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise InputError(str(path), f"not valid TOML: {error}") from None
    entries = table.get("reason", [])
    if set(table) - {"reason"} or not isinstance(entries, list):
        raise InputError(str(path), "has keys other than [[reason]]")
    return tuple(_reason(entry, f"{path}: reason {number}") for number, entry in enumerate(entries, 1))


def _reason(entry: Any, where: str) -> Reason:
    if not isinstance(entry, dict) or set(entry) - _KEYS:
        raise InputError(where, "has unknown keys", f"the keys {', '.join(sorted(_KEYS))}")
    lists = [entry.get("uses"), entry.get("files", [])]
    if not all(isinstance(entry.get(key), str) and entry[key] for key in ("user", "other", "because")):
        raise InputError(where, "user, other and because must be texts")
    if not all(isinstance(items, list) and all(isinstance(item, str) for item in items) for items in lists):
        raise InputError(where, "uses and files must be lists of texts")
    if not entry["uses"]:
        raise InputError(where, "names no use")
    users, others = (_range(entry.get(key, ""), where) for key in ("users", "others"))
    uses, files = (tuple(items) for items in lists)
    return Reason(entry["user"], entry["other"], uses, files, users, others, entry["because"])


def _range(text: Any, where: str) -> str:
    try:
        if text != "":
            parse_range(str(text))
    except InvalidRange:
        raise InputError(where, "users and others must be ranges of versions") from None
    return str(text)


def reasons_for(user: str, other: str, misfit: Misfit, reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Return the reasons that explain a misfit; empty if they leave a pair of releases that no rule covers."""
    about = [reason for reason in reasons if reason.is_about(user, other, misfit)]
    first = [next((reason for reason in about if reason.explains(pair)), None) for pair in misfit.left]
    found = tuple(dict.fromkeys(reason for reason in first if reason))
    return () if None in first else found
