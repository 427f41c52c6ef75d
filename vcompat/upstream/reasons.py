"""Why misfits have no rule: ``evidence/misfits.toml``, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from vcompat.foundation.errors import InputError
from vcompat.rules.record import record_folder
from vcompat.upstream.scan import Misfit

_KEYS = {"user", "other", "uses", "files", "because"}


class Reason(NamedTuple):
    """Why uses of one package by another need no rule where they are not supported."""

    user: str
    other: str
    uses: tuple[str, ...]
    """Patterns of uses, such as ``imports transformers.AutoModel*``."""
    files: tuple[str, ...]
    """Patterns of the files with the use, all of which must match; empty for all files."""
    because: str

    def __str__(self) -> str:
        return f"{self.user} {self.other} {', '.join((*self.uses, *self.files))}"

    def explains(self, user: str, other: str, misfit: Misfit) -> bool:
        """Whether it is about this misfit."""
        if (user, other) != (self.user, self.other):
            return False
        named = any(fnmatchcase(str(misfit.use), pattern) for pattern in self.uses)
        inside = (any(fnmatchcase(file, pattern) for pattern in self.files) for file in misfit.files)
        return named and (not self.files or all(inside))


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
    texts = [entry.get(key) for key in ("user", "other", "because")]
    lists = [entry.get("uses"), entry.get("files", [])]
    if not all(isinstance(text, str) and text for text in texts):
        raise InputError(where, "user, other and because must be texts")
    if not all(isinstance(items, list) and all(isinstance(item, str) for item in items) for items in lists):
        raise InputError(where, "uses and files must be lists of texts")
    if not entry["uses"]:
        raise InputError(where, "names no use")
    return Reason(entry["user"], entry["other"], tuple(entry["uses"]), tuple(entry.get("files", [])), entry["because"])


def reason_for(user: str, other: str, misfit: Misfit, reasons: Sequence[Reason]) -> Reason | None:
    """Return the first reason that explains a misfit; None if there is none."""
    return next((reason for reason in reasons if reason.explains(user, other, misfit)), None)
