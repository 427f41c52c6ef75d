"""``vcompat rules scan``."""

from __future__ import annotations

import click

from vcompat.cli.options import color_option
from vcompat.cli.progress import progress
from vcompat.cli.terminal import say
from vcompat.fixes.releases import FIRST_WITH_GRPO
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.report import misfits
from vcompat.rules.database import load_rules
from vcompat.rules.record import load_record
from vcompat.upstream import verify
from vcompat.upstream.requirements import PARTNERS
from vcompat.upstream.scan import scan
from vcompat.upstream.torch_wheel import TORCH


@click.command()
@click.argument("user", default="trl")
@click.argument("other", default="vllm")
@click.option("--outside", is_flag=True, help="List also what is missing only in pairs that are not declared to work.")
@color_option
def command(user: str, other: str, outside: bool) -> int:
    """Find releases of two packages that cannot work together.

    Compares what each release of USER (default: trl) imports, calls and passes with what each release of OTHER
    (default: vllm) defines. Lists what is missing in a pair that USER's own metadata allows, and the rule that knows
    it. Code behind a version check, or in a try statement that expects the name to be missing, does not count. TRL
    counts from its first release with GRPO. Nothing is run.

    Exit code: 0 if every misfit has a rule, 1 if not, 2 if a release could not be read.
    """
    packages = (_package(user), _package(other))
    if packages[0] == packages[1]:
        raise InputError(f"{packages[0]} {packages[1]}", "a package always fits itself", "two packages")
    records = {package: load_record(package) for package in packages}
    releases, troubles = verify.on_the_index(packages, records)
    users, others = ([release for release in releases if release.package == package] for package in packages)
    users = [release for release in users if release.package != "trl" or release.version >= FIRST_WITH_GRPO]
    if not users or not others:
        raise InputError(" ".join(packages), "; ".join(troubles) or "no releases are known")
    with progress(len(releases)) as each:
        found = scan(users, others, load_rules(), each)
    inside = [misfit for misfit in found.misfits if misfit.inside]
    listed = found.misfits if outside else inside
    known = {package: sorted(r.version for r in releases if r.package == package) for package in packages}
    for line in misfits.render(listed, packages, known):
        say(line)
    for trouble in (*troubles, *found.troubles):
        say(trouble)
    new = [misfit for misfit in inside if not misfit.known]
    asked = f"{len(users)} releases of {packages[0]} use {found.uses} names"
    say(
        f"{asked}; {len(others)} releases of {packages[1]} lack {len(inside)} of them in pairs that are declared to "
        f"work, {len(new)} without a rule"
    )
    return 1 if new else 2 if troubles or found.troubles else 0


def _package(name: str) -> str:
    known = [package for package in PARTNERS if package != TORCH]
    if name not in known:
        near = did_you_mean(name, known) or ", ".join(known)
        raise InputError(name, "not a package whose releases are recorded", near)
    return name
