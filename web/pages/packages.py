"""A page for each package: its releases, and which failures, requirements and settings each of them brings or ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.records.recorded_settings import known_classes, load_class
from vcompat.index.packages import IMPORTED
from vcompat.report.upstream.setting_table import default_of
from vcompat.rules.record import Record, load_record
from vcompat.rules.rule import Rule
from vcompat.upstream.requirements import PARTNERS
from web import knowledge
from web.page import Page

#: The configuration class or command whose settings a package's page follows.
_MAIN = {
    "trl": "GRPOConfig",
    "transformers": "TrainingArguments",
    "vllm": "EngineArgs",
    "peft": "LoraConfig",
    "accelerate": "launch",
    "deepspeed": "DeepSpeedZeroConfig",
    "torch": "torchrun",
}


class Release(NamedTuple):
    """What one release changes."""

    version: Version
    yanked: bool
    begins: list[Rule]
    """The failures that affect it and not the release before."""
    ends: list[Rule]
    """The failures that affected the release before and not this one."""
    requires: list[str]
    """What it requires otherwise than the release before."""
    settings: list[str]
    """What it changes in the settings of the main class."""

    @property
    def is_plain(self) -> bool:
        """Whether it changes nothing that is recorded."""
        return not (self.begins or self.ends or self.requires or self.settings or self.yanked)


def pages() -> Iterator[Page]:
    """Yield the pages of all packages and the list."""
    records = [record for name in sorted({*PARTNERS, *IMPORTED}) if (record := load_record(name)).releases]
    ordered = sorted(records, key=lambda record: (_place(record.package), record.package))
    yield Page(
        "packages",
        "releases/packages.html",
        "Packages and their releases",
        "The releases of TRL, vLLM, torch, transformers and others that vcompat has read, and what each changes.",
        {"records": ordered},
    )
    for record in ordered:
        yield _page(record)


def _place(package: str) -> int:
    first = ("trl", "vllm", "torch", "transformers", "accelerate", "peft", "deepspeed")
    return first.index(package) if package in first else len(first)


def _page(record: Record) -> Page:
    releases = list(_releases(record))
    main = _MAIN.get(record.package, "")
    return Page(
        f"packages/{record.package}",
        "releases/package.html",
        f"{record.package}: failures and requirements by release",
        f"What each of {len(record.releases)} releases of {record.package} brings or ends: failures of GRPO runs, "
        f"required versions{', settings' if main else ''}. The newest is {record.releases[-1]}.",
        {
            "record": record,
            # Releases that change nothing stand together.
            "releases": [
                list(group) for _, group in groupby(reversed(releases), key=lambda one: one.is_plain or one.version)
            ],
            "table": list(_table(record)),
            "partners": sorted(record.declares),
            "main": main,
            "has_classes": record.package in PARTNERS and bool(known_classes(record.package)),
            "name_of": knowledge.name_of,
        },
    )


def _releases(record: Record) -> Iterator[Release]:
    begins: dict[Version, list[Rule]] = {}
    ends: dict[Version, list[Rule]] = {}
    for rule in knowledge.rules():
        for span in knowledge.spans(rule):
            if span.package == record.package:
                for place, count in span.stretches:
                    if place:
                        begins.setdefault(span.releases[place], []).append(rule)
                    if place + count < len(span.releases):
                        ends.setdefault(span.releases[place + count], []).append(rule)
    settings = _settings(record.package)
    before: Version | None = None
    for version in record.releases:
        yield Release(
            version,
            version in record.yanked,
            begins.get(version, []),
            ends.get(version, []),
            list(_requires(record, before, version)),
            settings.get(version, []),
        )
        before = version


def _requires(record: Record, before: Version | None, version: Version) -> Iterator[str]:
    for partner in sorted(record.declares):
        told = record.declares[partner]
        now, then = told.get(version), told.get(before) if before is not None else None
        if before is not None and now != then:
            yield f"{partner} {_range(now)}, before {_range(then)}"


def _range(text: str | None) -> str:
    return "not required" if text is None else text or "any"


def _table(record: Record) -> Iterator[tuple[str, list[str]]]:
    """Yield the runs of releases that require the same, newest first."""
    partners = sorted(record.declares)
    told = [
        (version, ["-" if (text := record.declares[one].get(version)) is None else text or "any" for one in partners])
        for version in reversed(record.releases)
    ]
    for cells, run in groupby(told, key=lambda one: one[1]):
        versions = [version for version, _ in run]
        yield f"{versions[-1]} - {versions[0]}" if len(versions) > 1 else f"{versions[0]}", cells


def _settings(package: str) -> dict[Version, list[str]]:
    """Return what each release changes in the settings of the main class of a package, in words."""
    record = load_class(package, _MAIN[package]) if package in _MAIN else None
    changes: dict[Version, list[str]] = {}
    if record is None:
        return changes
    has = [version for version in record.releases() if record.exists(version)]
    following = dict(pairwise(has))
    for name in record.names():
        history = record.history(name)
        runs = {first: (following.get(last), ", ".join(default_of(field))) for first, last, field in history}
        before = dict(runs.values())
        for first, (after, default) in runs.items():
            if first not in before and first != has[0]:
                changes.setdefault(first, []).append(f"{name} is new ({default})")
            elif first in before and before[first] != default:
                changes.setdefault(first, []).append(f"{name}: {before[first]} → {default}")
            if after is not None and after not in runs:
                changes.setdefault(after, []).append(f"{name} is gone")
    return changes
