"""``vcompat rules verify``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from vcompat.cli.progress import progress
from vcompat.cli.terminal import say
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.patches import load_patches
from vcompat.patching.patch import Patch
from vcompat.report import verification
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.record import Record, load_record
from vcompat.rules.rule import Rule
from vcompat.upstream import verify
from vcompat.upstream.folder import releases_in
from vcompat.upstream.requirements import PARTNERS
from vcompat.upstream.subjects import Subject, subjects_of
from vcompat.upstream.verify import View

DESCRIPTION = """\
Hold what the rules and patches claim against the source of every upstream release, pre-releases aside.

Fetches the releases that are not in the cache yet, and looks in each for the code that a rule describes and that a
patch would change. Says where that disagrees with the declared ranges, and what releases that are new since the
records were written mean for each rule and patch. Nothing of what is fetched is run.

Exit code: 0 all agrees, 1 something does not, 2 some release could not be looked at.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("rules", nargs="*", metavar="RULE", help="only these rules (default: all, and all patches)")
    parser.add_argument(
        "--package",
        action="append",
        metavar="NAME",
        help="only releases of this package, such as vllm (repeat for more)",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--sources", type=Path, metavar="DIR", help="look at the releases in this folder only")
    source.add_argument("--offline", action="store_true", help="hold the claims against the records only")
    source.add_argument("--update", action="store_true", help="write what was seen to the records")


def run(arguments: argparse.Namespace) -> int:
    """Verify, and print what was seen."""
    every, patches = load_rules(), load_patches()
    rules = [find_rule(every, name) for name in arguments.rules] or list(every)
    patches = [] if arguments.rules else patches
    packages = _packages(rules, patches, arguments.package)
    records = {package: load_record(package) for package in packages}
    subjects = [subject for subject in subjects_of(every, load_patches()) if subject.package in packages]
    view = _view(arguments, packages, records)
    found = verify.disagreements(rules, patches, every, view)
    for line in verification.table(rules, patches, view, found):
        say(line)
    news = list(verification.release_day(verify.changes(view, records)))
    stale = verify.outdated(subjects, records) if arguments.offline else []
    troubles = verification.troubles(view.troubles)
    say("\n".join(["", *news, *verification.contradictions(found, view), *stale, *troubles]).rstrip())
    if arguments.update:
        _update(view, subjects, records)
    say(_total(view, len(rules), len(patches), len(found) + len(stale)))
    return 1 if found or stale else 2 if view.troubles else 0


def _packages(rules: Sequence[Rule], patches: Sequence[Patch], only: Sequence[str] | None) -> list[str]:
    packages = verify.packages_of(rules, patches)
    if len(rules) > 1 and patches:
        # Everything: also what is recorded for the sake of its metadata alone.
        packages += [package for package in PARTNERS if package not in packages]
    for name in only or ():
        if name not in packages:
            near = did_you_mean(name, packages) or ", ".join(packages)
            raise InputError(f"--package {name}", "nothing is measured in it", near)
    return list(only or packages)


def _view(arguments: argparse.Namespace, packages: Sequence[str], records: dict[str, Record]) -> View:
    if arguments.offline:
        return verify.recorded(packages)
    troubles: list[str] = []
    if arguments.sources is not None:
        releases = [release for release in releases_in(arguments.sources) if release.package in packages]
        if not releases:
            raise InputError(str(arguments.sources), "holds no release that is asked for", ", ".join(packages))
    else:
        releases, troubles = verify.on_the_index(packages, records)
    with progress(len(releases)) as each:
        view = verify.surveyed(releases, records, lambda looked: each(f"{looked.package} {looked.version}"))
    return view._replace(troubles=troubles + view.troubles)


def _update(view: View, subjects: Sequence[Subject], records: dict[str, Record]) -> None:
    for path in verify.update(view, subjects, records):
        say(f"written: {path}")


def _total(view: View, rules: int, patches: int, wrong: int) -> str:
    releases = sum(map(len, view.releases.values()))
    taken_back = sum(map(len, view.yanked.values()))
    by_package = ", ".join(f"{package} {len(versions)}" for package, versions in sorted(view.releases.items()))
    details = "; ".join(filter(None, [by_package, f"{taken_back} of them taken back" if taken_back else ""]))
    what = _count(rules, "rule") + (f" and {_count(patches, 'patch', 'patches')}" if patches else "")
    verdict = _count(wrong, "disagreement") if wrong else "no disagreement"
    trouble = f", {len(view.troubles)} in trouble" if view.troubles else ""
    return f"{what} against {_count(releases, 'release')}{details and f' ({details})'}: {verdict}{trouble}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
