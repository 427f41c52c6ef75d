"""``vcompat rules verify``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from vcompat.cli.shared.options import color_option, complete_rules
from vcompat.cli.shared.package_option import among, package_option
from vcompat.cli.shared.progress import progress
from vcompat.cli.shared.terminal import say, say_all
from vcompat.foundation.errors import InputError
from vcompat.kernels import claims, survey
from vcompat.kernels.backends import choice_record
from vcompat.patches import load_patches
from vcompat.patching.patch import Patch
from vcompat.report.rules import verification
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.record import Record, load_record
from vcompat.rules.rule import Rule
from vcompat.upstream import verify_claims
from vcompat.upstream.folder import releases_in
from vcompat.upstream.names import name_record
from vcompat.upstream.names import verify_names as index_verify
from vcompat.upstream.subjects import Subject, subjects_of
from vcompat.upstream.verify_claims import View


@click.command()
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rules)
@package_option
@click.option("--sources", metavar="DIR", type=click.Path(), help="Look only at the releases in this folder.")
@click.option("--offline", is_flag=True, help="Check the claims against the records only.")
@click.option("--update", is_flag=True, help="Write what was seen to the records.")
@click.option("--kernels", is_flag=True, help="Compile vLLM's kernels for GPUs that are not here, and nothing else.")
@click.option("--minutes", default=180.0, show_default=True, help="How long --kernels may compile.")
@color_option
def command(
    rules: Sequence[str],
    only: Sequence[str],
    sources: str | None,
    offline: bool,
    update: bool,
    kernels: bool,
    minutes: float,
) -> int:
    """Check the claims of rules and patches against the source of every upstream release, pre-releases aside.

    Fetches releases that are not in the cache yet, and looks in each for the code that a rule describes and that a
    patch would change. Reports where that disagrees with the declared ranges, and what releases that are newer than the
    records mean for each rule and patch. Nothing that is fetched is run. Without RULE, all rules and patches are
    checked, and the records of which settings configuration classes have.

    --kernels runs upstream's code in processes of their own: each vLLM release's choice of an attention backend, and
    the wrappers of vLLM's Triton kernels.

    Exit code: 0 if everything agrees, 1 if not, 2 if a release could not be read.
    """
    if sum((sources is not None, offline, update)) > 1:
        raise InputError("vcompat rules verify", "--sources, --offline and --update exclude each other", "one of them")
    if kernels and (rules or only or sources is not None or offline):
        raise InputError("vcompat rules verify --kernels", "it can only be combined with --update", "--update")
    if kernels:
        # Imported here: what compiles kernels is large, and no other way through this command needs it.
        from vcompat.cli.knowledge.rules_kernels import compile_all

        return compile_all(update, minutes)
    return _verify(rules, only, sources, offline, update)


def _verify(rules: Sequence[str], only: Sequence[str], sources: str | None, offline: bool, update: bool) -> int:
    every = load_rules()
    chosen, patches, packages = _chosen(every, rules, only)
    records = {package: load_record(package) for package in packages}
    subjects = [subject for subject in subjects_of(every, load_patches()) if subject.package in packages]
    named = frozenset([*(rule.id for rule in chosen), *(patch.id for patch in patches)]) if rules else None
    view = _view(sources, offline, packages, records, named)
    wrong_claims = verify_claims.disagreements(chosen, patches, every, view)
    say_all(verification.table(chosen, patches, view, wrong_claims))
    wrong_settings, new = verify_claims.settings_differences(view)
    remarks = [change.remark for change in verify_claims.changes(view, records)]
    news = list(verification.release_day(remarks, new))
    settings = verification.settings_lines(wrong_settings, view)
    stale = verify_claims.outdated(subjects, records) if offline else list(settings)
    stale += [] if rules else _index_lines(view, records, offline, update)
    if offline and not rules and not only:
        stale += [*survey.stale(), *choice_record.stale(), *claims.contradictions(every)]
    troubles = verification.troubles(view.troubles)
    say("\n".join(["", *news, *verification.contradictions(wrong_claims, view), *stale, *troubles]).rstrip())
    if update:
        view.troubles.extend(_update(view, subjects, records))
    wrong = len(wrong_claims) + len(stale)
    say(_total(view, len(chosen), len(patches), wrong))
    return 1 if wrong else 2 if view.troubles else 0


def _chosen(
    every: tuple[Rule, ...], names: Sequence[str], only: Sequence[str]
) -> tuple[list[Rule], list[Patch], list[str]]:
    """The rules and the patches to check, and the packages that they are about."""
    chosen = [find_rule(every, name) for name in names] or list(every)
    fixes = {fix.details.get("patch") for rule in chosen for fix in rule.fixes}
    patches = [patch for patch in load_patches() if not names or patch.id in fixes]
    packages_of = verify_claims.packages_of if names else verify_claims.every_package
    return chosen, patches, among(packages_of(chosen, patches), only)


def _view(
    sources: str | None,
    offline: bool,
    packages: Sequence[str],
    records: dict[str, Record],
    named: frozenset[str] | None,
) -> View:
    """What is known of the releases: of their settings and of all claims, or of the rules and patches `named`."""
    if offline:
        return verify_claims.recorded(packages)
    troubles: list[str] = []
    if sources is not None:
        releases = [release for release in releases_in(Path(sources)) if release.package in packages]
        if not releases:
            raise InputError(sources, "contains no release that is to be verified", ", ".join(packages))
    else:
        releases, troubles = verify_claims.on_the_index(packages, records)
    listed = () if sources is not None else tuple(releases)
    with progress(len(releases)) as each:
        view = verify_claims.surveyed(
            releases, records, lambda looked: each(f"{looked.package} {looked.version}"), named is None, named
        )
    return view._replace(troubles=troubles + view.troubles, listed=listed)


def _index_lines(view: View, records: dict[str, Record], offline: bool, update: bool) -> list[str]:
    """Lines that state which indexes of names are not as the records and the source have it. An update writes them."""
    if not offline and (update or not view.listed):
        return []
    return [*name_record.stale(records), *index_verify.disagreements(view.listed)]


def _update(view: View, subjects: Sequence[Subject], records: dict[str, Record]) -> tuple[str, ...]:
    """Write the records, and the indexes of names; return what could not be read for them."""
    for path in verify_claims.update(view, subjects, records):
        say(f"Wrote {path}.")
    with progress(len(records), "packages") as each:
        done = name_record.update(records, view.listed, each)
    for path in done.written:
        say(f"Wrote {path}.")
    say_all(done.troubles)
    return done.troubles


def _total(view: View, rules: int, patches: int, wrong: int) -> str:
    releases = sum(map(len, view.releases.values()))
    yanked = sum(map(len, view.yanked.values()))
    by_package = ", ".join(f"{package} {len(versions)}" for package, versions in sorted(view.releases.items()))
    details = "; ".join(filter(None, [by_package, f"{yanked} of them yanked" if yanked else ""]))
    what = _count(rules, "rule") + (f" and {_count(patches, 'patch', 'patches')}" if patches else "")
    verdict = _count(wrong, "disagreement") if wrong else "no disagreement"
    trouble = f", {len(view.troubles)} could not be read" if view.troubles else ""
    return f"{what} against {_count(releases, 'release')}{details and f' ({details})'}: {verdict}{trouble}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
