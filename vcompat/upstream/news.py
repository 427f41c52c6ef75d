"""New releases: which releases the records lack, what they mean for rules and patches, and which misfits they bring.

`inspected` looks at no other release, except where what is recorded of others does not hold any more. `verify.update`
writes the records; what it writes for `rules verify --update`, it writes for `rules update`, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from packaging.version import Version

from vcompat.patching.patch import Patch
from vcompat.rules.record import Record
from vcompat.rules.rule import Rule
from vcompat.upstream import verify_claims
from vcompat.upstream.architectures.model_record import recorded_models
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.changes import ENDS, Turn, turns
from vcompat.upstream.index import Release
from vcompat.upstream.inspection import Looked
from vcompat.upstream.scanning.covered import Pair
from vcompat.upstream.scanning.reasons import Reason, reasons_for
from vcompat.upstream.scanning.scan import Misfit, Scan
from vcompat.upstream.settings.setting_classes import PACKAGES
from vcompat.upstream.settings.setting_records import recorded_tables
from vcompat.upstream.settings.verify_settings import Difference
from vcompat.upstream.store import Store, Unavailable
from vcompat.upstream.subjects import Subject
from vcompat.upstream.verdicts import Remark, grouped
from vcompat.upstream.verify_claims import View

TRANSFORMERS = "transformers"
#: The releases that are new, by package, oldest first.
New = Mapping[str, Sequence[Version]]


class Unexplained(NamedTuple):
    """What pairs with a new release lack, without a rule and without a reason."""

    user: str
    other: str
    misfit: Misfit
    """Only its pairs of which one is new."""


class News(NamedTuple):
    """What an update found."""

    new: New
    """The releases that were recorded now."""
    subjects: Mapping[tuple[str, Version], int]
    """How many rules and patches look at the source of each new release."""
    turns: tuple[Turn, ...]
    """Those for which something differs from the release before."""
    contradictions: tuple[Remark, ...]
    """Where all releases, the new ones and those recorded before, contradict rules and patches."""
    settings: tuple[Difference, ...]
    """What is new in settings, models and wheels, and what is not as recorded."""
    yanked: New
    """The recorded releases that were yanked since."""
    misfits: tuple[Unexplained, ...] | None = None
    """None if the releases were not compared with those of other packages."""
    kernels: tuple[str, ...] = ()
    """Lines about kernels and attention backends, if they were surveyed."""
    kernel_contradictions: tuple[str, ...] = ()
    """Lines that state where the records of kernels contradict rules."""
    names: tuple[tuple[str, str], ...] = ()
    """For each package whose index of names was written, what is new in it."""
    troubles: tuple[str, ...] = ()
    """What could not be read, and why."""
    files: int = 0
    """How many files of the records were written."""

    @property
    def needs(self) -> int:
        """How many entries need a person: a failure that ends as its rule states needs none."""
        undecided = sum(turn.word != ENDS for turn in self.turns)
        return undecided + len(grouped(self.contradictions)) + len(self.kernel_contradictions) + len(self.misfits or ())


def lacking(releases: Iterable[Release], records: Mapping[str, Record]) -> list[Release]:
    """Return the releases that the records lack.

    That is also one without settings or models in the records, as an update leaves it that was interrupted.
    """
    known = {package: _whole(record) for package, record in records.items()}
    return [release for release in releases if release.version not in known[release.package]]


def _whole(record: Record) -> set[Version]:
    """The releases of which everything is recorded. The settings of a package are recorded from some release on."""
    whole = set(record.releases)
    for known in (recorded_tables(record.package).keys(), recorded_models(record.package).keys()):
        whole = {version for version in whole if not known or version in known or version < min(known)}
    return whole


def to_inspect(
    releases: Sequence[Release], new: Sequence[Release], subjects: Iterable[Subject], records: Mapping[str, Record]
) -> list[Release]:
    """Return the new releases, and those of which something recorded may not hold any more.

    These are all releases of a package with a rule or patch that was changed since, and those whose classes extend
    classes of transformers, if one of transformers is new.
    """
    again = {subject.package for subject in subjects if verify_claims.is_outdated(subject, records)}
    if any(release.package == TRANSFORMERS for release in new):
        again |= {package for package in PACKAGES if package != TRANSFORMERS and _extends(package)}
    chosen = {(release.package, release.version) for release in new}
    return [one for one in releases if one.package in again or (one.package, one.version) in chosen]


def _extends(package: str) -> bool:
    """Whether a recorded class of a package extends one of transformers."""
    classes = (table for tables in recorded_tables(package).values() for table in tables.values())
    return any(base.startswith(f"{TRANSFORMERS}.") for table in classes for base in table.get("bases", ()))


def inspected(
    releases: Sequence[Release],
    chosen: Sequence[Release],
    records: Mapping[str, Record],
    each: Callable[[Looked], None],
) -> View:
    """Inspect the `chosen` ones of all `releases`. The view also has which of the recorded ones are yanked."""
    view = verify_claims.surveyed(chosen, records, each, settings=True)
    for release in releases:
        record = records[release.package]
        if release.yanked and release.version in record.releases and release.version not in record.yanked:
            view.releases.setdefault(release.package, [])
            view.yanked.setdefault(release.package, []).append(release.version)
    return view


def judged(view: View, records: Mapping[str, Record], rules: Sequence[Rule], patches: Sequence[Patch]) -> News:
    """Return what the releases in `view` mean. `records` and the records on the disk are those before the update."""
    new = {name: [one for one in known if one not in records[name].releases] for name, known in view.releases.items()}
    yanked = {name: sorted({*known} & {*records[name].releases}) for name, known in view.yanked.items()}
    changes = verify_claims.changes(view, records)
    wrong, differing = verify_claims.settings_differences(view)
    everything = joined(verify_claims.recorded(verify_claims.every_package(rules, patches)), view)
    return News(
        {name: versions for name, versions in new.items() if versions},
        Counter((package, version) for _, package, version in {(c.key[:2], c.package, c.version) for c in changes}),
        tuple(turns(changes)),
        tuple(verify_claims.disagreements(rules, patches, rules, everything)),
        (*differing, *wrong),
        {name: versions for name, versions in yanked.items() if versions},
        troubles=tuple(view.troubles),
    )


def joined(recorded: View, read: View) -> View:
    """Put what is recorded and what was found together; what was found counts."""
    return read._replace(
        releases=_merged(recorded.releases, read.releases, lambda one, other: sorted({*one, *other})),
        sightings=_merged(recorded.sightings, read.sightings, lambda one, other: _merged(one, other, _updated)),
        declares=_merged(recorded.declares, read.declares, lambda one, other: _merged(one, other, _updated)),
    )


def _merged(one: Mapping[Any, Any], other: Mapping[Any, Any], merge: Callable[[Any, Any], Any]) -> dict[Any, Any]:
    return {**one, **other, **{key: merge(one[key], other[key]) for key in one.keys() & other.keys()}}


def _updated(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> dict[Any, Any]:
    return {**one, **other}


def unexplained(scans: Iterable[Scan], new: New, reasons: Sequence[Reason]) -> Iterator[Unexplained]:
    """Yield what pairs with a new release lack, if neither a rule nor a reason covers it."""
    for scan in scans:
        for misfit in scan.misfits:
            left = tuple(pair for pair in misfit.left if _has_new(pair, (scan.user, scan.other), new))
            of_new = misfit._replace(left=left)
            if left and not reasons_for(scan.user, scan.other, of_new, reasons):
                yield Unexplained(scan.user, scan.other, of_new)


def _has_new(pair: Pair, packages: tuple[str, str], new: New) -> bool:
    return any(version in new.get(package, ()) for version, package in zip(pair, packages, strict=True))


def fetched(releases: Iterable[Release]) -> Iterator[str]:
    """Fetch releases that the store does not have; yield why one cannot be fetched."""
    store = Store()
    for release in releases:
        if not store.has(release.package, release.version):
            try:
                with store.open(release):
                    continue
            except (Unavailable, BadArchive) as trouble:
                yield str(trouble)
