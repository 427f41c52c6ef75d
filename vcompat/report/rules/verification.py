"""The result of `vcompat rules verify` as text: a table of what was measured, then what disagrees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from click import style
from packaging.version import Version

from vcompat.patching.guard import APPLY, NOT_NEEDED, REFUSE
from vcompat.patching.patch import Patch
from vcompat.report.parts.release_ranges import runs
from vcompat.rules.fingerprint import PRESENT
from vcompat.rules.record import PATCH, RULE
from vcompat.rules.rule import Rule
from vcompat.upstream.against import Outcome
from vcompat.upstream.settings.verify_settings import Difference
from vcompat.upstream.verdicts import Remark, changed_packages, grouped, measured_packages
from vcompat.upstream.verify_claims import View


def table(rules: Sequence[Rule], patches: Sequence[Patch], view: View, found: Iterable[Remark]) -> Iterator[str]:
    """A line for each rule or patch and each package that was searched for it: the releases that show it."""
    wrong = {(one.kind, name, one.package) for one in found for name in one.id.split(" and ")}
    rows = [*_rows_of_rules(rules, view), *_rows_of_patches(patches, view)]
    width = max((len(name) for _, name, _, _ in rows), default=0)
    for kind, name, package, shown in rows:
        word, color = ("disagrees", "red") if (kind, name, package) in wrong else ("agrees", "green")
        verdict = style(f"{word:<10}", fg=color) if package else "unmeasured"
        yield f"{verdict}  {name:<{width}}  {package:<12}  {shown}".rstrip()


def _rows_of_rules(rules: Sequence[Rule], view: View) -> Iterator[tuple[str, str, str, str]]:
    for rule in rules:
        for package in filter(view.releases.get, measured_packages(rule)):
            yield RULE, rule.id, package, f"present in {_shown(view, RULE, rule.id, package, PRESENT)}"
        for statement in filter(lambda one: view.releases.get(one.package), rule.evidence.requirements):
            said = view.declares.get(statement.package, {}).get(statement.of, {})
            yield RULE, rule.id, statement.package, f"{len(said)} releases declare {statement.of}"
        for name in rule.evidence.in_records:
            yield RULE, rule.id, name, f"judged by the records of {name}"
        for claim in rule.evidence.kernels:
            yield RULE, rule.id, "kernels", f"judged by the record of {claim.call}"
        if (
            not rule.evidence.kernels
            and not rule.evidence.in_records
            and not rule.evidence.fingerprints
            and not rule.evidence.requirements
        ):
            yield RULE, rule.id, "", "see `vcompat explain`"


def _rows_of_patches(patches: Sequence[Patch], view: View) -> Iterator[tuple[str, str, str, str]]:
    for patch in patches:
        for package in filter(view.releases.get, changed_packages(patch)):
            yield PATCH, patch.id, package, f"applies to {_shown(view, PATCH, patch.id, package, APPLY)}"


def seen_in(rule: Rule, view: View) -> Iterator[str]:
    """For each package that the rule's fingerprints examine, the releases that show the failure."""
    for package in measured_packages(rule):
        shown = _shown(view, RULE, rule.id, package, PRESENT)
        yield f"{package} {shown}, of {len(view.releases[package])} releases"


def _shown(view: View, kind: str, name: str, package: str, verdict: str) -> str:
    rows = [row for key, row in view.sightings.get(package, {}).items() if key[:2] == (kind, name)]
    releases = view.releases.get(package, [])
    return runs([v for v in releases if any(v in row and row[v].verdict == verdict for row in rows)], releases)


def contradictions(found: Sequence[Remark], view: View) -> Iterator[str]:
    """A line for each way in which the source contradicts a rule or patch, with the releases and the place."""
    for (name, package, text), ones in grouped(found).items():
        versions = runs([one.version for one in ones], view.releases.get(package, []))
        place = f" ({ones[0].place} in {ones[0].version})" if ones[0].place else ""
        yield style(f"{name}: ", fg="red") + f"{package} {versions}: {text}{place}"


def troubles(lines: Iterable[str]) -> Iterator[str]:
    """Lines of the form ``release: reason``; releases that share a reason share a line."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        release, _, reason = line.partition(": ")
        groups.setdefault(reason, []).append(release)
    for reason, releases in groups.items():
        more = f" and {len(releases) - 3} more" if len(releases) > 3 else ""
        yield f"{', '.join(releases[:3])}{more}: {reason}"


def release_day(changes: Sequence[Remark], settings: Sequence[Difference]) -> Iterator[str]:
    """What each release that is not recorded yet means for each rule and patch, and its new `settings`."""
    groups: dict[tuple[str, Version], list[Remark]] = {}
    for change in changes:
        groups.setdefault((change.package, change.version), []).append(change)
    for one in settings:
        groups.setdefault((one.package, one.version), [])
    for (package, version), ones in groups.items():
        news = [one for one in ones if one.text]
        yield style(f"new: {package} {version}", bold=True) + f"; {len(ones) - len(news)} of {len(ones)} unchanged"
        for remark in news:
            yield f"  {remark.id}: {remark.text}" + (f" ({remark.place})" if remark.place else "")
        for new in settings:
            if (new.package, new.version) == (package, version):
                yield f"  {new.name}: {new.text}"


def settings_lines(wrong: Sequence[Difference], view: View) -> Iterator[str]:
    """A line for each way in which releases are not as the record of settings states."""
    groups: dict[tuple[str, str, str], list[Version]] = {}
    for one in wrong:
        groups.setdefault((one.package, one.name, one.text), []).append(one.version)
    for (package, name, text), versions in groups.items():
        shown = runs(versions, view.releases.get(package, []))
        yield style(f"{name}: ", fg="red") + f"{package} {shown}: {text}"


_WORDS = {APPLY: ("applies", "green"), NOT_NEEDED: ("not needed", ""), REFUSE: ("would refuse", "red")}


def against(package: str, version: Version, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What each patch would do to one release, and why."""
    yield style(f"{package} {version}", bold=True)
    width = max(len(outcome.patch.id) for outcome in outcomes)
    for outcome in outcomes:
        word, color = _WORDS[outcome.word]
        shown = style(f"{word:<12}", fg=color or None)
        yield f"{shown}  {outcome.patch.id:<{width}}  {outcome.reason or outcome.patch.title}"


def matrix(package: str, patches: Sequence[Patch], view: View) -> Iterator[str]:
    """To which of the recorded releases each patch applies, and which it would refuse."""
    concerned = [patch for patch in patches if package in changed_packages(patch)]
    width = max(len(patch.id) for patch in concerned)
    releases = view.releases[package]
    span = f"{len(releases)} releases, {releases[0]} - {releases[-1]}" if releases else "no release is recorded"
    yield style(package, bold=True) + f" ({span})"
    for patch in concerned:
        applied = _shown(view, PATCH, patch.id, package, APPLY)
        refused = _shown(view, PATCH, patch.id, package, REFUSE)
        yield f"{patch.id:<{width}}  applies to {applied}; would refuse {refused}"
