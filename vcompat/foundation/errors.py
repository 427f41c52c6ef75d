"""The two errors that a caller can see. Every other error becomes a finding or a ledger entry."""

from __future__ import annotations


class InputError(Exception):
    """Invalid input from the user: a fact, a rule file, a script.

    ``str(error)`` is one line with the location, what is wrong and what was expected. The command line prints it and
    exits with code 2.
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
    """A patch refused or failed, and the caller passed ``strict=True``."""
