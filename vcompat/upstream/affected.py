"""The releases that one rule affects, for showing them: as measured in their source, else as the rule declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from packaging.version import Version

from vcompat.rules.fingerprint import PRESENT
from vcompat.rules.record import RULE, load_record
from vcompat.rules.rule import Rule
from vcompat.upstream.verdicts import may_apply, measured_packages

#: A record takes longer to read than all rules take to look up in it.
_record = cache(load_record)


def affected(rule: Rule) -> Iterator[tuple[str, Sequence[Version], list[Version], bool]]:
    """For each package that the rule is about: its name, its releases, those affected, whether this was measured.

    A package is left out if none of its releases is recorded, or if all of them are affected and none was measured.
    """
    measured = measured_packages(rule)
    named = [name.removeprefix("packages.") for name in rule.when.names() if name.startswith("packages.")]
    for package in dict.fromkeys([*measured, *named]):
        record = _record(package)
        if package in measured:
            rows = [row.seen for key, row in record.rows.items() if key[:2] == (RULE, rule.id)]
            hit = [v for v in record.releases if any(v in row and row[v].verdict == PRESENT for row in rows)]
            yield package, record.releases, hit, True
        else:
            hit = [version for version in record.releases if may_apply(rule, package, version)]
            if len(hit) < len(record.releases):
                yield package, record.releases, hit, False
