"""What an upgrade changes, as text for a person: what must be acted on first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from click import style

from vcompat.evaluation.finding import Finding
from vcompat.fixes.default_changes import DefaultChange
from vcompat.fixes.releases import ORDER
from vcompat.fixes.upgrade import Change, Upgrade
from vcompat.report.formats import at
from vcompat.report.layout import field, printable
from vcompat.report.text import COLORS, fix_lines
from vcompat.report.wording import hardware, presumed, shell, word_for
from vcompat.rules.rule import Fix

#: What the sections are called, in all formats.
CODE, SETTINGS, FAILURES = "Stops working", "Settings that do not fit", "Failures begin"
RELEASES, DEFAULTS = "Must change, too", "Defaults that change, of settings that are not set"
ENDS, LASTS = "Failures end", "Failures stay"
#: What is printed where no releases work together.
NO_SET = "No set of releases works with this"
#: Kinds of fixes that `vcompat fix` writes.
_WRITTEN = ("config", "rename", "remove")


class Subject(NamedTuple):
    """What is upgraded."""

    files: tuple[str, ...]
    """The run files, or what was named instead of them."""
    stated_by: tuple[str, ...]
    """The files of the project that state the present releases."""
    run: str
    """The run, in a line; empty if nothing is known of it."""
    arguments: tuple[str, ...]
    """The words of a command line that names the same run, without its releases."""
    command: tuple[str, ...]
    """The words of its command; empty if files were named."""


def render(upgrade: Upgrade, subject: Subject, width: int, everything: bool) -> str:
    """The changes of releases, then a section for what they lead to, and what to do next.

    Without `everything`, only those defaults are listed that rules are about, and failures that stay are counted.
    """
    head = field("", heading(upgrade, subject), width, margin=0)
    head += field("The run:", subject.run, width, margin=9)
    blocks = [head, list(_conflicts(upgrade, width))]
    for title, findings in sections(upgrade):
        blocks += [_titled(title, findings), *(list(_finding(finding, width)) for finding in findings)]
    blocks.append(list(_releases(upgrade, width)))
    blocks.append(list(_defaults(upgrade.defaults, width, everything)))
    blocks.append(list(_brief(ENDS, upgrade.ends, width)))
    blocks.append(list(_brief(LASTS, upgrade.lasts, width)) if everything else [])
    blocks.append(_last_lines(upgrade, subject))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def sections(upgrade: Upgrade) -> list[tuple[str, Sequence[Finding]]]:
    """What begins, by kind, with the title of each kind; kinds without findings are left out."""
    found = [(CODE, upgrade.code), (SETTINGS, upgrade.settings), (FAILURES, upgrade.failures)]
    return [(title, findings) for title, findings in found if findings]


def heading(upgrade: Upgrade, subject: Subject) -> str:
    """What is upgraded, from which releases to which, as one sentence."""
    asked = [f"{one.package} {one.before} -> {one.after}" for one in upgrade.changes if one.is_asked]
    rest = len(subject.files) - 2
    more = f" and {rest} more {'file' if rest == 1 else 'files'}" if rest > 0 else ""
    what = f"{', '.join(subject.files[:2])}{more}" or "this environment"
    stated = f" (the present releases are stated in {', '.join(subject.stated_by[:3])})" if subject.stated_by else ""
    if not asked:
        return f"Nothing to upgrade for {what}: it has the newest such releases{stated}."
    return f"Upgrade of {what}: {', '.join(asked)}{stated}, on {hardware(upgrade.facts)}."


def total(upgrade: Upgrade) -> str:
    """How much of each kind there is, as one sentence without its end."""
    defaults = sum(1 for change in upgrade.defaults if change.matters)
    counts = [
        (len(upgrade.code), "use of names that are gone", "uses of names that are gone"),
        (len(upgrade.settings), "setting to change", "settings to change"),
        (len(upgrade.failures), "failure begins", "failures begin"),
        (len(upgrade.ends), "failure ends", "failures end"),
        (len(upgrade.lasts), "failure stays", "failures stay"),
        (defaults, "default that matters changes", "defaults that matter change"),
    ]
    parts = [f"{number} {one if number == 1 else several}" for number, one, several in counts if number]
    return ", ".join(parts) or "No known failure begins"


def install(upgrade: Upgrade) -> str:
    """The command that installs what changes; empty if no set of releases works."""
    if not upgrade.companions.pins or not upgrade.changes:
        return ""
    return shell("pip install", [f"{change.package}=={change.after}" for change in upgrade.changes])


def next_command(upgrade: Upgrade, subject: Subject) -> str:
    """The command that writes the changes of settings; empty if there are none that it could write."""
    fixes = [fix for finding in upgrade.begins if finding.place is not None for fix in finding.fixes]
    if not any(fix.kind in _WRITTEN for fix in fixes):
        return ""
    releases = [(name, upgrade.facts.value(f"packages.{name}")) for name in ORDER]
    stated = [f"--set packages.{name}={release}" for name, release in releases if release]
    words = " ".join([shell("vcompat fix", subject.arguments), *stated])
    return words + (shell(" --", subject.command) if subject.command else "")


def shown_default(value: object) -> str:
    """A default as Python writes it, shortened."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def listed_defaults(changes: Sequence[DefaultChange], everything: bool) -> tuple[list[DefaultChange], int]:
    """The changes to show, and how many others there are."""
    shown = [change for change in changes if change.matters or everything]
    return shown, len(changes) - len(shown)


def best(finding: Finding) -> list[Fix]:
    """The fix to show: the first that removes the failure, else the first; none if there is none."""
    return [next((fix for fix in finding.fixes if fix.removes_failure), finding.fixes[0])] if finding.fixes else []


def _titled(title: str, items: Sequence[object]) -> list[str]:
    return [style(f"{title} ({len(items)})", bold=True)]


def _finding(finding: Finding, width: int) -> Iterator[str]:
    word = word_for(finding)
    yield from field(f"{word}: ", finding.title, width, margin=len(word) + 2, color=COLORS[word])
    if finding.place is not None and finding.place.line:
        yield f"  at {printable(at(finding.place))}"
    yield from field("  presumes", presumed(finding), width)
    yield from fix_lines(best(finding), width)
    if not finding.rule.is_about_settings:
        yield from field("  more", f"vcompat explain {finding.rule.id}", width)


def _releases(upgrade: Upgrade, width: int) -> Iterator[str]:
    others = [change for change in upgrade.changes if not change.is_asked]
    if others:
        yield from _titled(RELEASES, others)
    yield from (line for change in others for line in _change(change, width))
    if upgrade.companions.pins:
        yield from field("  can stay", ", ".join(upgrade.stays), width)
    if command := install(upgrade):
        yield f"{'  install':<11}" + style(command, fg="green")


def _change(change: Change, width: int) -> Iterator[str]:
    before = f"{change.before} -> " if change.before else ""
    yield f"  {change.package} {before}{style(str(change.after), fg='green')}"
    yield from field("", change.why, width, margin=4)


def _conflicts(upgrade: Upgrade, width: int) -> Iterator[str]:
    if upgrade.companions.pins:
        return
    yield style(NO_SET, fg="red", bold=True)
    for reason in conflicts(upgrade):
        yield from field("", reason, width, margin=2)
    for asked, pins in upgrade.companions.unasked:
        yield from field("  without", f"{asked}: {', '.join(map(str, pins))}", width)


def conflicts(upgrade: Upgrade) -> list[str]:
    """Why no set of releases works: for each package, why the newest one does not that the upgrade itself allows."""
    first: dict[str, str] = {}
    asked = {change.package: change.after for change in upgrade.changes if change.is_asked}
    own = tuple(f"{package} {version} requires" for package, version in asked.items())
    for pin, reason in upgrade.companions.ruled_out:
        if asked.get(pin.package) == pin.version or (pin.package not in asked and not reason.text.startswith(own)):
            first.setdefault(pin.package, reason.text if reason.text.startswith(str(pin)) else f"{pin}: {reason.text}")
    return [reason for reason in first.values() if not reason.endswith(": yanked")]


def _defaults(changes: Sequence[DefaultChange], width: int, everything: bool) -> Iterator[str]:
    shown, hidden = listed_defaults(changes, everything)
    if changes:
        yield from _titled(DEFAULTS, changes)
    column = max((len(change.setting) for change in shown), default=0)
    for change in shown:
        after = "gone" if change.is_gone else shown_default(change.after)
        yield from field(
            f"  {change.setting}", f"{shown_default(change.before)} -> {after}", width, margin=column + 4
        )
    if hidden:
        yield f"  {hidden} that no rule is about: --all"


def _brief(title: str, findings: Sequence[Finding], width: int) -> Iterator[str]:
    if findings:
        yield from _titled(title, findings)
    for finding in findings:
        yield from field("", f"{finding.rule.severity}: {finding.title} ({finding.rule.id})", width, margin=2)


def _last_lines(upgrade: Upgrade, subject: Subject) -> list[str]:
    command = printable(next_command(upgrade, subject))
    return [f"{total(upgrade)}.", *([f"Next: {style(command, fg='green')}"] if command else [])]
