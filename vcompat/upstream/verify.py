"""All claims held against all releases: what `vcompat rules verify` does, online and off.

A `View` is what is known of upstream, from the records or from releases looked at just now; everything else here asks
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from vcompat.patching.patch import Patch
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import PATCH, RULE, Key, Record, Row, load_record, save_record
from vcompat.rules.rule import Rule
from vcompat.upstream import verdicts
from vcompat.upstream.index import IndexUnreachable, Release, finder, releases_of
from vcompat.upstream.store import Store
from vcompat.upstream.subjects import Subject, subjects_of
from vcompat.upstream.survey import Looked, look_at
from vcompat.upstream.torch_wheel import TORCH
from vcompat.upstream.verdicts import Remark


class View(NamedTuple):
    """What is known of the releases of each package."""

    releases: dict[str, list[Version]]
    sightings: dict[str, dict[Key, dict[Version, Seen]]]
    declares: dict[str, dict[str, dict[Version, str]]]
    yanked: dict[str, list[Version]]
    troubles: list[str]
    """Lines that say what could not be looked at, and why."""


def packages_of(rules: Iterable[Rule], patches: Iterable[Patch]) -> list[str]:
    """The packages that have to be looked at for these rules and patches."""
    named: dict[str, None] = {subject.package: None for subject in subjects_of(rules, patches)}
    for rule in rules:
        for requirement in rule.evidence.requirements:
            named.update({requirement.package: None, requirement.of: None})
    return list(named)


def recorded(packages: Iterable[str], folder: Path | None = None) -> View:
    """What the records say. Raises InputError if one is malformed."""
    view = View({}, {}, {}, {}, [])
    for package in packages:
        record = load_record(package, folder)
        view.releases[package] = list(record.releases)
        view.sightings[package] = {key: dict(row.seen) for key, row in record.rows.items()}
        view.declares[package] = {partner: dict(said) for partner, said in record.declares.items()}
        view.yanked[package] = list(record.yanked)
    return view


def on_the_index(packages: Iterable[str], records: Mapping[str, Record]) -> tuple[list[Release], list[str]]:
    """The releases to look at, and what is wrong: of a package that the index does not tell of, those in the store."""
    client, store = finder(), Store()
    store.tidy()
    found: list[Release] = []
    troubles = []
    for package in packages:
        try:
            releases = releases_of(package, client)
        except IndexUnreachable as trouble:
            kept = store.versions(package)
            troubles.append(f"{package}: {trouble}; {len(kept)} releases that were fetched before are looked at")
            releases = [Release(package, version, "", "", "", False) for version in kept]
        since = Version(records[package].since or "0")
        found += [r for r in releases if r.version >= since and not r.version.is_prerelease]
    return found, troubles


def surveyed(releases: Sequence[Release], records: Mapping[str, Record], each: Callable[[Looked], None]) -> View:
    """Look at `releases`; call `each` with every one that was looked at.

    Of torch, whose wheels are close to a gigabyte each, only those are looked at that are not recorded yet.
    """
    view = View({}, {}, {}, {}, [])
    known = [release for release in releases if release.package == TORCH and release.version in records[TORCH].releases]
    for release in known:
        view.releases.setdefault(TORCH, []).append(release.version)
    for release in releases:
        if release.yanked:
            view.yanked.setdefault(release.package, []).append(release.version)
    for looked in look_at([release for release in releases if release not in known]):
        each(looked)
        if looked.trouble:
            view.troubles.append(looked.trouble)
            continue
        view.releases.setdefault(looked.package, []).append(looked.version)
        for key, seen in looked.seen.items():
            view.sightings.setdefault(looked.package, {}).setdefault(key, {})[looked.version] = seen
        for partner, text in looked.declares.items():
            view.declares.setdefault(looked.package, {}).setdefault(partner, {})[looked.version] = text
    for versions in view.releases.values():
        versions.sort()
    return view


def disagreements(rules: Sequence[Rule], patches: Sequence[Patch], every: Sequence[Rule], view: View) -> list[Remark]:
    """What contradicts `rules` and `patches`. `every` are all rules there are: those that name a patch promise it."""
    found: list[Remark] = []
    for rule in rules:
        for package in verdicts.measured_packages(rule):
            found += verdicts.of_rule(rule, package, view.releases.get(package, ()), view.sightings.get(package, {}))
    for patch in patches:
        found += verdicts.of_patch(patch, every, view.releases, view.sightings)
    statements = {r: None for rule in rules for r in rule.evidence.requirements}
    for statement in statements:
        repeating = [rule for rule in every if statement in rule.evidence.requirements]
        said = view.declares.get(statement.package, {}).get(statement.of, {})
        found += verdicts.of_requirement(repeating, statement, said, view.releases.get(statement.of, ()))
    return found


def outdated(subjects: Iterable[Subject], records: Mapping[str, Record]) -> list[str]:
    """Subjects that the records do not have, or have for other terms: what is recorded of them proves nothing."""
    lines = []
    for subject in subjects:
        row = records[subject.package].rows.get(subject.key)
        if row is None or row.terms != subject.terms:
            word = "is not in" if row is None else "was changed after"
            lines.append(f"{subject.id}: the {_ONE[subject.kind]} {word} the record of {subject.package}")
    return list(dict.fromkeys(lines))


def changes(view: View, records: Mapping[str, Record]) -> list[Remark]:
    """What the releases that are not recorded yet show, compared with the recorded release before each."""
    found = []
    for package, versions in view.releases.items():
        known = records[package].releases
        for version in versions:
            before = max((one for one in known if one < version), default=None)
            if version in known or before is None:
                continue
            for key, seen in sorted(view.sightings.get(package, {}).items()):
                row = records[package].rows.get(key)
                was = row.seen.get(before) if row else None
                if version in seen and was is not None:
                    now = seen[version]
                    text = _said(key[0], now, before, was)
                    found.append(Remark(key[0], key[1], package, version, text, now.place if text else ""))
    return found


_ONE = {RULE: "rule", PATCH: "patch"}
_SAID = {
    RULE: {"present": "the fault is still there", "fixed": "no fault", "absent": "there is no such code"},
    PATCH: {
        "apply": "applies",
        "not-needed": "is not needed",
        "refuse": "would refuse: the code is not the one it was written for",
        "absent": "finds no such code",
    },
}


def _said(kind: str, now: Seen, before: Version, was: Seen) -> str:
    """What became of a subject since the release before; empty if nothing did."""
    word = _SAID[kind][now.verdict]
    if now.verdict != was.verdict:
        return f"{word}; in {before}: {_SAID[kind][was.verdict]}"
    return f"{word}, as in {before}, but the code changed: have a look" if now.digest != was.digest else ""


def update(
    view: View, subjects: Sequence[Subject], records: Mapping[str, Record], folder: Path | None = None
) -> list[Path]:
    """Write what was seen to the records of the packages in `view`; return the files that changed.

    What is recorded of a release that could not be looked at this time is kept.
    """
    written = []
    for package, seen_now in view.releases.items():
        old = records[package]
        releases = tuple(sorted({*old.releases, *seen_now}))
        rows = {}
        for subject in subjects:
            if subject.package == package:
                kept = old.rows.get(subject.key)
                earlier = kept.seen if kept and kept.terms == subject.terms else {}
                now = view.sightings.get(package, {}).get(subject.key, {})
                rows[subject.key] = Row(subject.terms, {**earlier, **now})
        partners = {*old.declares, *view.declares.get(package, {})}
        declares = {
            partner: {**old.declares.get(partner, {}), **view.declares.get(package, {}).get(partner, {})}
            for partner in partners
        }
        yanked = tuple(sorted({*old.yanked, *view.yanked.get(package, ())}))
        path = save_record(old._replace(releases=releases, rows=rows, declares=declares, yanked=yanked), folder)
        written += [path] if path else []
    return written
