"""Check all claims against all releases: the work of `vcompat rules verify`, online and offline.

A `View` is what is known of upstream, from the records or from an inspection of releases. The other functions use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.builds.cuda_builds import Builds
from vcompat.facts.records.wheels import Compiled, Wheels
from vcompat.index.packages import IMPORTED
from vcompat.patches import load_patches
from vcompat.patching.patch import Patch
from vcompat.rules.database import load_rules
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import PATCH, RULE, Key, Record, Row, load_record, save_record
from vcompat.rules.rule import Rule
from vcompat.upstream import verdicts
from vcompat.upstream.architectures.model_record import differences, news, recorded_models, save_models
from vcompat.upstream.architectures.release_models import Models
from vcompat.upstream.changes import Change, compared
from vcompat.upstream.index import IndexUnreachable, Release, finder, releases_of
from vcompat.upstream.inspection import Looked, look_at
from vcompat.upstream.requirements import PARTNERS, PINNED
from vcompat.upstream.settings import verify_settings as settings_verify
from vcompat.upstream.settings.fields import Table
from vcompat.upstream.settings.setting_records import foreign_settings, recorded_tables, save_tables
from vcompat.upstream.settings.verify_settings import Difference
from vcompat.upstream.store import Store
from vcompat.upstream.subjects import Subject, subjects_of
from vcompat.upstream.verdicts import Remark
from vcompat.upstream.wheels import compiled_record
from vcompat.upstream.wheels.compiled_code import LIBRARIES
from vcompat.upstream.wheels.pipeline import save_builds
from vcompat.upstream.wheels.torch_wheel import TORCH


class View(NamedTuple):
    """What is known of the releases of each package."""

    releases: dict[str, list[Version]]
    sightings: dict[str, dict[Key, dict[Version, Seen]]]
    declares: dict[str, dict[str, dict[Version, str]]]
    yanked: dict[str, list[Version]]
    troubles: list[str]
    """Lines that state what could not be inspected, and why."""
    settings: Mapping[str, Mapping[Version, Mapping[str, Table]]] = MappingProxyType({})
    """The configuration classes of the inspected releases; empty if they were not looked at."""
    models: Mapping[str, Mapping[Version, Models]] = MappingProxyType({})
    """The models of the inspected releases; empty if they were not looked at."""
    compiled: Wheels = MappingProxyType({})
    """The compiled code of the inspected releases whose code is not recorded yet, by library."""
    builds: Builds = MappingProxyType({})
    """The wheels that vLLM's pipeline builds, of the inspected releases that are not recorded yet."""
    listed: tuple[Release, ...] = ()
    """The releases on the package index; empty if it was not asked."""


def packages_of(rules: Iterable[Rule], patches: Iterable[Patch]) -> list[str]:
    """Return the packages that these rules and patches depend on."""
    named: dict[str, None] = {subject.package: None for subject in subjects_of(rules, patches)}
    for rule in rules:
        for requirement in rule.evidence.requirements:
            named[requirement.package] = None
            if requirement.of not in PINNED:
                named[requirement.of] = None
    return list(named)


def every_package(rules: Iterable[Rule], patches: Iterable[Patch]) -> list[str]:
    """Return all packages with a record: also those recorded for their metadata, their wheels or their names alone."""
    return list(dict.fromkeys([*packages_of(rules, patches), *PARTNERS, *LIBRARIES, *IMPORTED]))


def recorded(packages: Iterable[str], folder: Path | None = None) -> View:
    """Return the view from the records. Raises InputError if a record is malformed."""
    view = View({}, {}, {}, {}, [])
    for package in packages:
        record = load_record(package, folder)
        view.releases[package] = list(record.releases)
        view.sightings[package] = {key: dict(row.seen) for key, row in record.rows.items()}
        view.declares[package] = {partner: dict(ranges) for partner, ranges in record.declares.items()}
        view.yanked[package] = list(record.yanked)
    return view


def on_the_index(packages: Iterable[str], records: Mapping[str, Record]) -> tuple[list[Release], list[str]]:
    """Return the releases to inspect, and troubles. Without an answer from the index, use releases from the store."""
    client, store = finder(), Store()
    store.tidy()
    listed: list[Release] = []
    troubles = []
    for package in packages:
        try:
            releases = releases_of(package, client)
        except IndexUnreachable as trouble:
            kept = store.versions(package)
            troubles.append(f"{package}: {trouble}; releases used from the cache: {len(kept)}")
            releases = [Release(package, version, "", "", "", False) for version in kept]
        since = Version(records[package].since or "0")
        listed += [r for r in releases if r.version >= since and not r.version.is_prerelease]
    return listed, troubles


def surveyed(
    releases: Sequence[Release],
    records: Mapping[str, Record],
    each: Callable[[Looked], None],
    settings: bool = False,
    only: frozenset[str] | None = None,
) -> View:
    """Inspect `releases`; call `each` with every result. Their settings and models are inspected if `settings`.

    Recorded releases are inspected for the rules and patches `only`, if it is given; others for all.
    """
    tables: dict[str, dict[Version, Mapping[str, Table]]] = {}
    models: dict[str, dict[Version, Models]] = {}
    compiled: dict[str, dict[Version, Compiled]] = {}
    builds: dict[str, dict[Version, tuple[Version, ...]]] = {}
    view = View({}, {}, {}, {}, [], tables, models, compiled, builds)
    for release in releases:
        if release.yanked:
            view.yanked.setdefault(release.package, []).append(release.version)
    left = _left_to_inspect(releases, records, view, settings)
    for looked in _looked_at(left, view, settings) if only is None else _looked_at_for(only, left, records):
        each(looked)
        if looked.trouble:
            view.troubles.append(looked.trouble)
            continue
        if looked.settings:
            tables.setdefault(looked.package, {})[looked.version] = looked.settings
        if looked.models:
            models.setdefault(looked.package, {})[looked.version] = looked.models
        for library, code in looked.compiled.items():
            compiled.setdefault(library, {})[looked.version] = code
        for machine, built in looked.builds.items():
            builds.setdefault(machine, {})[looked.version] = built
        _add_source(view, looked)
    for versions in view.releases.values():
        versions.sort()
    return view


def _add_source(view: View, looked: Looked) -> None:
    """Add what was found in the source and the metadata of a release."""
    view.releases.setdefault(looked.package, []).append(looked.version)
    for key, seen in looked.seen.items():
        view.sightings.setdefault(looked.package, {}).setdefault(key, {})[looked.version] = seen
    for partner, text in looked.declares.items():
        view.declares.setdefault(looked.package, {}).setdefault(partner, {})[looked.version] = text


def _left_to_inspect(
    releases: Sequence[Release], records: Mapping[str, Record], view: View, settings: bool
) -> list[Release]:
    """Return all releases but those of torch of which everything is recorded, which are added to the view instead.

    torch wheels have close to a gigabyte each.
    """
    done = _inspected(releases, records, settings)
    known = [release for release in releases if release.package == TORCH and release.version in done]
    if known:
        view.releases[TORCH] = [release.version for release in known]
        view.sightings[TORCH] = {key: {v: seen[v] for v in done} for key, seen in _seen_of_torch(records).items()}
    return [release for release in releases if release not in known]


def _inspected(releases: Sequence[Release], records: Mapping[str, Record], settings: bool) -> frozenset[Version]:
    """Return the torch releases of which everything is recorded, with `settings` also torchrun's options."""
    if not any(release.package == TORCH for release in releases):
        return frozenset()
    done = frozenset(records[TORCH].releases)
    for seen in _seen_of_torch(records).values():
        done &= seen.keys()
    return done & recorded_tables(TORCH).keys() if settings else done


def _seen_of_torch(records: Mapping[str, Record]) -> dict[Key, Mapping[Version, Seen]]:
    """Return what is recorded of each subject in torch's source; nothing for one that was changed since."""
    rows = records[TORCH].rows
    subjects = [subject for subject in subjects_of(load_rules(), load_patches()) if subject.package == TORCH]
    return {s.key: rows[s.key].seen if s.key in rows and rows[s.key].terms == s.terms else {} for s in subjects}


def _looked_at(releases: Sequence[Release], view: View, settings: bool) -> Iterator[Looked]:
    """Inspect releases, those of transformers first: the classes of TRL extend its."""
    if not settings:
        yield from look_at(releases)
        return
    first = [release for release in releases if release.package == "transformers"]
    yield from look_at(first, foreign_settings({}))
    foreign = foreign_settings(view.settings)
    yield from look_at([release for release in releases if release not in first], foreign)


def _looked_at_for(
    only: frozenset[str], releases: Sequence[Release], records: Mapping[str, Record]
) -> Iterator[Looked]:
    recorded_before = [release for release in releases if release.version in records[release.package].releases]
    yield from look_at(recorded_before, only=only)
    yield from look_at([release for release in releases if release not in recorded_before])


def settings_differences(view: View) -> tuple[list[Difference], list[Difference]]:
    """Return what contradicts the records of settings and models, and what is new in releases that they do not have.

    New is also for which GPUs and which CUDA the wheels of such releases are built.
    """
    wrong: list[Difference] = []
    new: list[Difference] = []
    for package, tables in view.settings.items():
        recorded = recorded_tables(package)
        wrong += settings_verify.disagreements(package, tables, recorded)
        new += settings_verify.news(package, tables, recorded)
    for package, models in view.models.items():
        known = recorded_models(package)
        for versions, into in ((differences(models, known), wrong), (news(models, known), new)):
            into += [Difference(package, version, "models", text) for version, text in versions]
    new += compiled_record.news(view.compiled)
    return wrong, new


def disagreements(rules: Sequence[Rule], patches: Sequence[Patch], every: Sequence[Rule], view: View) -> list[Remark]:
    """Return what contradicts `rules` and `patches`. `every` are all rules, to find those that name a patch."""
    remarks: list[Remark] = []
    for rule in rules:
        for package in verdicts.measured_packages(rule):
            remarks += verdicts.of_rule(rule, package, view.releases.get(package, ()), view.sightings.get(package, {}))
    for patch in patches:
        remarks += verdicts.of_patch(patch, every, view.releases, view.sightings)
    statements = {r: None for rule in rules for r in rule.evidence.requirements}
    for statement in statements:
        repeating = [rule for rule in every if statement in rule.evidence.requirements]
        declares = view.declares.get(statement.package, {}).get(statement.of, {})
        others = verdicts.named_in(declares) if statement.of in PINNED else view.releases.get(statement.of, ())
        remarks += verdicts.of_requirement(repeating, statement, declares, others)
    return remarks


_ONE = {RULE: "rule", PATCH: "patch"}


def outdated(subjects: Iterable[Subject], records: Mapping[str, Record]) -> list[str]:
    """Return lines for subjects that are missing in the records, or recorded for other terms and so not valid."""
    lines = []
    for subject in subjects:
        row = records[subject.package].rows.get(subject.key)
        if is_outdated(subject, records):
            word = "was changed after" if row is not None and row.terms != subject.terms else "is not in"
            lines.append(f"{subject.id}: the {_ONE[subject.kind]} {word} the record of {subject.package}")
    return list(dict.fromkeys(lines))


def is_outdated(subject: Subject, records: Mapping[str, Record]) -> bool:
    """Whether nothing valid is recorded of a subject."""
    row = records[subject.package].rows.get(subject.key)
    return row is None or row.terms != subject.terms or not row.seen


def changes(view: View, records: Mapping[str, Record]) -> list[Change]:
    """Compare each release that is not recorded yet with the release before it."""
    changed: list[Change] = []
    for package, versions in view.releases.items():
        changed += compared(versions, view.sightings.get(package, {}), records[package])
    return changed


def update(
    view: View, subjects: Sequence[Subject], records: Mapping[str, Record], folder: Path | None = None
) -> list[Path]:
    """Write the results to the records of the packages in `view`; return the files that changed.

    What is recorded of a release, a rule or a patch that was not inspected this time is kept.
    """
    written = []
    settings, models_folder = (None if folder is None else folder / name for name in ("settings", "models"))
    for package, seen_now in view.releases.items():
        old = records[package]
        releases = tuple(sorted({*old.releases, *seen_now}))
        rows = {}
        for subject in subjects:
            if subject.package == package:
                kept = old.rows.get(subject.key)
                earlier = kept.seen if kept and kept.terms == subject.terms else {}
                now = view.sightings.get(package, {}).get(subject.key, {})
                if now or kept is None:
                    rows[subject.key] = Row(subject.terms, {**earlier, **now})
                else:
                    rows[subject.key] = kept
        partners = {*old.declares, *view.declares.get(package, {})}
        declares = {
            partner: {**old.declares.get(partner, {}), **view.declares.get(package, {}).get(partner, {})}
            for partner in partners
        }
        yanked = tuple(sorted({*old.yanked, *view.yanked.get(package, ())}))
        path = save_record(old._replace(releases=releases, rows=rows, declares=declares, yanked=yanked), folder)
        written += [path] if path else []
    for package, found in view.settings.items():
        written += save_tables(package, {**recorded_tables(package, settings), **found}, settings)
    for package, models in view.models.items():
        written += save_models(package, {**recorded_models(package, models_folder), **models}, models_folder)
    if view.compiled:
        written += compiled_record.save_wheels(view.compiled, folder)
    if view.builds:
        written += save_builds(view.builds, folder)
    return written
