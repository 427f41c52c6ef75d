"""``vcompat rules scan``."""

from __future__ import annotations

import argparse

from vcompat.cli.progress import progress
from vcompat.cli.terminal import say
from vcompat.fixes.resolve import FIRST_WITH_GRPO
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.report import misfits
from vcompat.rules.database import load_rules
from vcompat.rules.record import load_record
from vcompat.upstream import verify
from vcompat.upstream.requirements import PARTNERS
from vcompat.upstream.scan import scan
from vcompat.upstream.torch_wheel import TORCH

DESCRIPTION = """\
Look for releases that cannot work together: what each release of one package asks of another (imports, arguments,
methods), held against what each release of the other has. TRL counts from its first release with GRPO.

Lists what is missing in a pair that the first package's own metadata allows, and whether a rule speaks of it. What
stands behind a check of the version, or in a try that expects it to be missing, does not count. Nothing is run.

Exit code: 0 all that was found is known, 1 some is not, 2 some release could not be looked at.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("user", nargs="?", default="trl", help="the package that asks (default: trl)")
    parser.add_argument("other", nargs="?", default="vllm", help="the package that is asked (default: vllm)")
    parser.add_argument("--outside", action="store_true", help="list also what is missing in other pairs only")


def run(arguments: argparse.Namespace) -> int:
    """Scan, and print what was found."""
    packages = (_package(arguments.user), _package(arguments.other))
    if packages[0] == packages[1]:
        raise InputError(f"{packages[0]} {packages[1]}", "a package always has what it asks of itself", "two packages")
    records = {package: load_record(package) for package in packages}
    releases, troubles = verify.on_the_index(packages, records)
    users, others = ([release for release in releases if release.package == package] for package in packages)
    users = [release for release in users if release.package != "trl" or release.version >= FIRST_WITH_GRPO]
    if not users or not others:
        raise InputError(" ".join(packages), "; ".join(troubles) or "no releases are known")
    with progress(len(releases)) as each:
        found = scan(users, others, load_rules(), each)
    inside = [misfit for misfit in found.misfits if misfit.inside]
    listed = found.misfits if arguments.outside else inside
    known = {package: sorted(r.version for r in releases if r.package == package) for package in packages}
    for line in misfits.render(listed, packages, known):
        say(line)
    for trouble in (*troubles, *found.troubles):
        say(trouble)
    new = [misfit for misfit in inside if not misfit.known]
    asked = f"{len(users)} releases of {packages[0]} ask for {found.uses} things"
    say(
        f"{asked}; {len(others)} releases of {packages[1]} lack {len(inside)} of them in pairs that are declared to "
        f"work, {len(new)} without a rule"
    )
    return 1 if new else 2 if troubles or found.troubles else 0


def _package(name: str) -> str:
    known = [package for package in PARTNERS if package != TORCH]
    if name not in known:
        near = did_you_mean(name, known) or ", ".join(known)
        raise InputError(name, "not a package whose releases are looked at", near)
    return name
