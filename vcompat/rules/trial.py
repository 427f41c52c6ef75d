"""Trials: code that a rule claims to fail, with the releases that it fails with and those that it works with.

A rule states trials under ``[[evidence.trials]]``. ``python -m tests.upstream.trials`` runs them on real packages in
scratch environments and records the outcomes in the file ``trials.toml`` of the evidence folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vcompat.foundation.errors import InputError

#: Releases by package; packages that are not named are in any release that these accept.
Pins = Mapping[str, str]
#: The outcome of a trial whose code does not raise.
WORKS = "works"


class Trial(NamedTuple):
    """What is run, and what it raises with which releases."""

    code: str
    """Python code, run in a process without a GPU."""
    raises: str
    """The expected exception: its type, a colon, and a text that its message contains."""
    fails: tuple[Pins, ...]
    """Affected releases: the code raises the exception."""
    works: tuple[Pins, ...]
    """Unaffected releases: the code raises no exception; empty if no release is known to be unaffected."""
    until: str
    """A date such as ``2025-06-30``: other packages are in the newest release before it; empty for the newest."""

    def runs(self) -> Iterator[tuple[Pins, str]]:
        """Return each set of releases with the outcome that the rule claims."""
        for pins in self.fails:
            yield pins, self.raises
        for pins in self.works:
            yield pins, WORKS

    @property
    def exception(self) -> str:
        """The type of the exception, such as ``ImportError``."""
        return self.raises.partition(":")[0]


def parse_trial(table: Mapping[str, Any], where: str) -> Trial:
    """Build a trial from its table. Raises InputError with `where` and what was expected."""
    if not isinstance(table, dict) or not set(table) <= {"code", "raises", "fails", "works", "until"}:
        raise InputError(where, f"{table!r}", "a table with code, raises, fails, works and, optionally, until")
    texts = [table.get(key) for key in ("code", "raises")]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise InputError(where, f"{texts!r}", "texts under code and raises")
    if ": " not in str(table["raises"]):
        raise InputError(f"{where}: raises", f"{table['raises']!r}", "a text such as 'ImportError: cannot import name'")
    works = _pins(table["works"], f"{where}: works") if "works" in table else ()
    fails = _pins(table.get("fails"), f"{where}: fails")
    return Trial(table["code"].strip(), table["raises"], fails, works, str(table.get("until", "")))


def _pins(items: Any, where: str) -> tuple[Pins, ...]:
    if not (isinstance(items, list) and items and all(isinstance(item, dict) and item for item in items)):
        raise InputError(where, f"{items!r}", "a list of tables of releases, such as { trl = '0.18.2' }")
    for item in items:
        if not all(isinstance(version, str) for version in item.values()):
            raise InputError(where, f"{item!r}", "releases as texts")
    return tuple(items)


def named(pins: Pins) -> str:
    """Return releases as one text, the same for every order: ``trl 0.18.2, vllm 0.12.0``."""
    return ", ".join(f"{package} {version}" for package, version in sorted(pins.items()))
