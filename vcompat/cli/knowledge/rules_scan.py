"""``vcompat rules scan``."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.progress import progress
from vcompat.cli.shared.terminal import say, say_all, width
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.report.rules import misfits, pairs, raising
from vcompat.rules.database import load_rules
from vcompat.rules.record import load_record
from vcompat.upstream import verify_claims
from vcompat.upstream.checkout import checkout_in
from vcompat.upstream.index import Release
from vcompat.upstream.raising.compare import compared
from vcompat.upstream.scanning.reasons import load_reasons
from vcompat.upstream.scanning.scan import Misfit, Scan, scan, scan_all
from vcompat.upstream.scanning.scan_cache import kept_folder
from vcompat.upstream.scanning.scanned import PACKAGES, by_package, since_grpo
from vcompat.upstream.store import default_folder, release_of


@click.command()
@click.argument("user", required=False)
@click.argument("other", required=False)
@click.option("--outside", is_flag=True, help="List also what is missing only in pairs that are not declared to work.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Compare every package with every other, in both directions. With --since: print everything in full.",
)
@click.option(
    "--since", metavar="VERSION", help="List what changed of OTHER, one release, since this one, of what USER uses."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown"]),
    default="text",
    help="How to print what --since found (default: text).",
)
@color_option
def command(user: str | None, other: str | None, outside: bool, every: bool, since: str | None, format_: str) -> int:
    """Find releases of two packages that cannot work together.

    Compares what each release of USER (default: trl) imports, calls and passes with what each release of OTHER
    (default: vllm) defines. Lists what is missing in a pair that USER's own metadata allows, and the rule that knows
    it. Code behind a version check, or in a try statement that expects the name to be missing, does not count. TRL
    counts from its first release with GRPO. Nothing is run.

    USER and OTHER are packages, releases such as vllm==0.33.0 (also pre-releases), or source trees such as ./trl. If
    OTHER is one release or tree, all that it lacks is listed, whatever USER's metadata allows.

    With --all, prints a line for each pair of packages. A misfit then needs a rule or a reason in
    evidence/misfits.toml why it has none, also where USER declares no range of OTHER.

    With --since, OTHER is the release to which a bound is raised, and VERSION the one that worked so far, such as
    0.33.0, or 0.33.0@./vllm for a tree. Lists the names that USER uses which are gone, with where they are now, which
    have another signature, other settings or other defaults, and which have other code. Releases between the two are
    not read.

    Exit code: 0 if every misfit has a rule, 1 if not, 2 if a release could not be read. For one OTHER: 1 if it lacks
    anything. With --since: 1 if something is gone or no longer accepted.
    """
    if format_ != "text" and since is None:
        raise InputError("--format", "only --since has several formats", "--since VERSION")
    if since is not None and outside:
        raise InputError("--outside", "--since compares with one release", "no --outside")
    if since is not None:
        return _raised(user or "trl", other or "vllm", since, format_, every)
    if every:
        if user or outside:
            raise InputError("--all", "compares all packages", "no other argument")
        return _scan_all()
    return _scan_pair(user or "trl", other or "vllm", outside)


def _scan_pair(user: str, other: str, outside: bool) -> int:
    (users, troubles), (others, more) = _releases(user, "trl"), _releases(other, "")
    troubles += more
    if not users or not others:
        raise InputError(f"{user} {other}", "; ".join(troubles) or "no releases are known")
    packages = (users[0].package, others[0].package)
    if packages[0] == packages[1]:
        raise InputError(f"{user} {other}", "a package always fits itself", "two packages")
    rules = load_rules()
    with progress(len(users) + len(others)) as each:
        scanned = scan(users, others, rules, each)
    troubles += scanned.troubles
    is_one = len(others) == 1 and other != packages[1]
    listed = [misfit for misfit in scanned.misfits if misfit.inside or outside or is_one]
    known = _versions({packages[0]: users, packages[1]: others})
    ranges = misfits.declared_ranges(users, others[0], scanned.asks) if is_one else ()
    say_all((*ranges, *misfits.render(listed, packages, known, is_one), *troubles))
    say(_total(users, others, scanned, is_one))
    return 1 if (listed if is_one else _without_rule(scanned)) else 2 if troubles else 0


def _versions(releases: Mapping[str, Sequence[Release]]) -> dict[str, list[Version]]:
    return {package: sorted(release.version for release in of_package) for package, of_package in releases.items()}


def _without_rule(scanned: Scan) -> list[Misfit]:
    """The misfits in pairs that are declared to work, of which no rule knows."""
    return [misfit for misfit in scanned.misfits if misfit.inside and not misfit.known]


def _raised(user: str, other: str, since: str, format_: str, every: bool) -> int:
    """Compare what `user` uses of one release of `other` with an earlier one."""
    users, others = _one(user), _one(other)
    before = _one(f"{others.package}=={since}")
    if users.package == others.package:
        raise InputError(f"{user} {other}", "a package always fits itself", "two packages")
    if before.version >= others.version:
        raise InputError(f"--since {since}", f"not older than {others.package} {others.version}", "an older release")
    raised = compared(users, before, others)
    if format_ == "text":
        say_all(misfits.declared_ranges([users], others, {users.version: raised.asks}))
    say_all(raising.markdown(raised) if format_ == "markdown" else raising.text(raised, width(), every))
    return 1 if any(change.fails for change in raised.changes) else 0


def _one(text: str) -> Release:
    """Return the only release that an argument names."""
    name, pinned, _ = text.partition("==")
    if not pinned and os.sep not in text:
        raise InputError(
            text, "with --since, all releases of a package are too many", f"{_package(name)}==VERSION or a folder"
        )
    return _releases(text, "")[0][0]


def _scan_all() -> int:
    began = time.monotonic()
    recorded, troubles = verify_claims.on_the_index(PACKAGES, {package: load_record(package) for package in PACKAGES})
    releases = by_package(recorded)
    reasons = load_reasons()
    count = sum(map(len, releases.values()))
    with progress(2 * count) as each:
        scans = list(scan_all(releases, load_rules(), each))
    judged = [pairs.judged(scan, reasons) for scan in scans]
    known = _versions(releases)
    say_all((*pairs.table(judged), "", *pairs.unexplained(judged, known), *pairs.unused(judged, reasons)))
    troubles += dict.fromkeys(trouble for scan in scans for trouble in scan.troubles)
    say_all(troubles)
    say(
        f"{len(scans)} ordered pairs of {len(PACKAGES)} packages with {count} releases, "
        f"{sum(scan.uses for scan in scans)} names, {time.monotonic() - began:.0f} s; kept in {kept_folder()}: "
        f"{_megabytes(kept_folder())} MB, releases {_megabytes(default_folder())} MB"
    )
    wrong = any(pair.unexplained for pair in judged) or any(pairs.unused(judged, reasons))
    return 1 if wrong else 2 if troubles else 0


def _megabytes(folder: Path) -> int:
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)


def _total(users: Sequence[Release], others: Sequence[Release], scanned: Scan, is_one: bool) -> str:
    asked = f"{misfits.named(users)} {'use' if len(users) > 1 else 'uses'} {scanned.uses} "
    asked += f"{'name' if scanned.uses == 1 else 'names'} of {others[0].package}"
    if is_one:
        return f"{asked}; {misfits.named(others)} lacks {len(scanned.misfits)} of them"
    inside = sum(bool(misfit.inside) for misfit in scanned.misfits)
    return (
        f"{asked}; {misfits.named(others)} lack {inside} of them in pairs that are declared to work, "
        f"{len(_without_rule(scanned))} without a rule"
    )


def _releases(text: str, from_grpo: str) -> tuple[list[Release], list[str]]:
    """Return the releases that an argument names, and troubles."""
    name, pinned, rest = text.partition("==")
    if os.sep in text and not pinned:
        return [checkout_in(Path(text))], []
    package = _package(name)
    if pinned:
        number, _, folder = rest.partition("@")
        try:
            version = Version(number)
        except InvalidVersion:
            raise InputError(text, f"'{number}' is not a version", f"a release such as {package}==1.2.3") from None
        return [checkout_in(Path(folder), version) if folder else release_of(package, version, text)], []
    recorded, troubles = verify_claims.on_the_index([package], {package: load_record(package)})
    return since_grpo(recorded) if package == from_grpo else recorded, troubles


def _package(name: str) -> str:
    if name not in PACKAGES:
        near = did_you_mean(name, PACKAGES) or ", ".join(PACKAGES)
        raise InputError(name, "not a package whose releases are recorded", near)
    return name
