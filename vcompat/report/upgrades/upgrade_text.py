"""What an upgrade changes, as text for a person: what must be acted on first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from click import style

from vcompat.evaluation.finding import Finding
from vcompat.fixes.default_changes import DefaultChange
from vcompat.fixes.upgrade_effects import Change, Upgrade
from vcompat.report.checks.text import COLORS, fix_lines
from vcompat.report.parts.layout import field, printable
from vcompat.report.parts.wording import presumed, word_for
from vcompat.report.upgrades.upgrade_wording import (
    DEFAULTS,
    ENDS,
    LASTS,
    NO_SET,
    RELEASES,
    Subject,
    best,
    conflicts,
    default,
    heading,
    install,
    listed,
    more,
    new_default,
    next_command,
    others,
    places,
    sections,
    total,
)


def render(upgrade: Upgrade, subject: Subject, width: int, everything: bool) -> str:
    """The changes of releases, then a section for what they lead to, and what to do next.

    Without `everything`, only those defaults are listed that rules are about, and failures that stay are counted.
    """
    head = field("", heading(upgrade, subject), width, margin=0)
    head += field("The run:", subject.run, width, margin=9)
    if not upgrade.changes:
        return "\n".join(head)
    blocks = [head, list(_conflicts(upgrade, width))]
    for title, findings in sections(upgrade):
        blocks += [_titled(title, findings), *(list(_finding(finding, width)) for finding in findings)]
    blocks.append(list(_releases(upgrade, width)))
    blocks.append(list(_defaults(upgrade.defaults, width, everything)))
    blocks.append(list(_brief(ENDS, upgrade.ends, width)))
    blocks.append(list(_brief(LASTS, upgrade.lasts, width)) if everything else [])
    blocks.append(_last_lines(upgrade, subject, width))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _titled(title: str, items: Sequence[object]) -> list[str]:
    return [style(f"{title} ({len(items)})", bold=True)]


def _finding(finding: Finding, width: int) -> Iterator[str]:
    word = word_for(finding)
    yield from field(f"{word}: ", finding.title, width, margin=len(word) + 2, color=COLORS[word])
    yield from (f"  at {printable(place)}" for place in places(finding))
    yield from field("  presumes", presumed(finding), width)
    yield from fix_lines(best(finding), width)
    yield from field("  more", more(finding), width)


def _releases(upgrade: Upgrade, width: int) -> Iterator[str]:
    changes = others(upgrade)
    if changes:
        yield from _titled(RELEASES, changes)
    yield from (line for change in changes for line in _change(change, width))
    yield from field("  can stay", ", ".join(map(" ".join, upgrade.stays)), width)
    yield from field("  note", upgrade.companions.unchecked, width)
    for package, release in upgrade.rebuilt:
        yield from field("  rebuild", f"{package} {release}, which is compiled for the present torch", width)
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


def _defaults(changes: Sequence[DefaultChange], width: int, everything: bool) -> Iterator[str]:
    shown, hidden = listed(changes, everything)
    if changes:
        yield from _titled(DEFAULTS, changes)
    column = max((len(change.setting) for change in shown), default=0)
    for change in shown:
        text = f"{default(change.before)} -> {new_default(change)}"
        yield from field(f"  {change.setting}", text, width, margin=column + 4)
    if hidden:
        yield f"  {hidden} that no rule is about: --all"


def _brief(title: str, findings: Sequence[Finding], width: int) -> Iterator[str]:
    if findings:
        yield from _titled(title, findings)
    for finding in findings:
        yield from field("", f"{finding.rule.severity}: {finding.title} ({finding.rule.id})", width, margin=2)


def _last_lines(upgrade: Upgrade, subject: Subject, width: int) -> list[str]:
    command = printable(next_command(upgrade, subject))
    return [
        *field("", f"{total(upgrade)}.", width, margin=0),
        *([f"Next: {style(command, fg='green')}"] if command else []),
    ]
