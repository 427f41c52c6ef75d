"""The two errors a caller may see. Everything else stays inside vcompat as a finding or a ledger entry."""

from __future__ import annotations


class InputError(Exception):
    """Something the user gave cannot be used: a fact, a rule file, a script.

    ``str(error)`` is one line that says where, what is wrong and what was expected. The command
    line prints it and exits with code 2.
    """

    def __init__(self, where: str, what: str, expected: str = "") -> None:
        self.where = where
        self.what = what
        self.expected = expected
        line = f"{where}: {what}"
        if expected:
            line += f"; expected {expected}"
        super().__init__(" ".join(line.split()))


class PatchError(RuntimeError):
    """A patch refused or failed while the caller asked for ``strict``."""
