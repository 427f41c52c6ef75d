"""The ledger: the status of each patch in this process, and the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

PENDING, APPLIED, NOT_NEEDED, REFUSED, FAILED, DISABLED = (
    "pending",
    "applied",
    "not needed",
    "refused",
    "failed",
    "disabled",
)

#: The status of a patch with several changes: the first of these that one of its changes has.
_PRECEDENCE = (FAILED, REFUSED, APPLIED, PENDING, NOT_NEEDED, DISABLED)


class Entry(NamedTuple):
    """The status of one patch, or of one of its changes."""

    status: str
    """One of PENDING, APPLIED, NOT_NEEDED, REFUSED, FAILED, DISABLED."""
    reason: str


def summary(changes: list[Entry]) -> Entry:
    """Return the entry of a patch from the entries of its changes."""
    status = min((entry.status for entry in changes), key=_PRECEDENCE.index)
    reasons = dict.fromkeys(entry.reason for entry in changes if entry.status == status and entry.reason)
    return Entry(status, "; ".join(reasons))


class Ledger(Mapping[str, Entry]):
    """A snapshot that maps patch ids to entries. ``print(ledger)`` shows one line for each patch."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, patch_id: str) -> Entry:
        return self._entries[patch_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def ids(self, status: str) -> list[str]:
        """Return the ids of the patches with `status`."""
        return [patch_id for patch_id, entry in self._entries.items() if entry.status == status]

    def __str__(self) -> str:
        width = max(map(len, self._entries), default=0)
        return "\n".join(
            f"{patch_id:<{width}}  {entry.status:<10}  {entry.reason}".rstrip()
            for patch_id, entry in self._entries.items()
        )

    def __repr__(self) -> str:
        return f"Ledger({self._entries!r})"
