"""What an upgrade changes, as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcompat.evaluation.finding import Finding
from vcompat.fixes.default_changes import DefaultChange
from vcompat.fixes.upgrade_effects import Upgrade
from vcompat.report.checks.markdown import MARKS
from vcompat.report.parts.markdown_parts import cell, code, escaped
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
from vcompat.rules.instruction import instruction


def render(upgrade: Upgrade, subject: Subject, width: int, everything: bool) -> str:
    """The same sections as the text, as tables."""
    lines = [f"## vcompat upgrade: {total(upgrade)}", "", escaped(heading(upgrade, subject)), ""]
    lines += [f"The run: {escaped(subject.run)}", ""] if subject.run else []
    lines += _conflicts(upgrade)
    for title, findings in sections(upgrade):
        lines += [f"### {title}", "", "| | failure | where | fix |", "| --- | --- | --- | --- |"]
        lines += [*map(_row, findings), ""]
    lines += _releases(upgrade)
    lines += _defaults(upgrade.defaults, everything)
    lines += _brief(ENDS, upgrade.ends)
    lines += _brief(LASTS, upgrade.lasts) if everything else []
    command = next_command(upgrade, subject)
    lines += [f"Next: `{code(command)}`"] if command else []
    return "\n".join(lines).rstrip() + "\n"


def _row(finding: Finding) -> str:
    word = word_for(finding)
    where = ", ".join(f"`{code(place)}`" for place in places(finding))
    presumes = f"; presumes {cell(presumed(finding))}" if finding.presumes else ""
    title = f"{cell(finding.title)} (`{finding.rule.id}`){presumes}"
    fix = "".join(
        cell(instruction(fix)) if fix.kind in ("advice", "hardware") else f"`{code(instruction(fix))}`"
        for fix in best(finding)
    )
    fix = fix or (f"`{code(more(finding))}`" if more(finding) else "")
    return f"| {MARKS[word]} {word} | {title} | {where} | {fix} |"


def _conflicts(upgrade: Upgrade) -> Iterator[str]:
    if upgrade.companions.pins:
        return
    yield from (f"### {NO_SET}", "")
    yield from (f"- {escaped(reason)}" for reason in conflicts(upgrade))
    for asked, pins in upgrade.companions.unasked:
        yield f"- without `{code(asked)}`: {', '.join(map(str, pins))}"
    yield ""


def _releases(upgrade: Upgrade) -> Iterator[str]:
    changes = others(upgrade)
    if changes:
        yield from (f"### {RELEASES}", "", "| package | now | then | why |", "| --- | --- | --- | --- |")
        for one in changes:
            yield f"| {one.package} | {cell(one.before)} | {one.after} | {cell(one.why)} |"
        yield ""
    if upgrade.companions.unchecked:
        yield from (f"Note: {upgrade.companions.unchecked}.", "")
    for package, release in upgrade.rebuilt:
        yield from (f"Rebuild {package} {escaped(release)}, which is compiled for the present torch.", "")
    if command := install(upgrade):
        yield from (f"Install: `{code(command)}`", "")


def _defaults(changes: Sequence[DefaultChange], everything: bool) -> Iterator[str]:
    shown, hidden = listed(changes, everything)
    if not changes:
        return
    yield from (f"### {DEFAULTS}", "")
    if shown:
        yield from ("| setting | now | then |", "| --- | --- | --- |")
        for one in shown:
            yield f"| `{one.setting}` | `{code(default(one.before))}` | `{code(new_default(one))}` |"
        yield ""
    if hidden:
        yield from (f"{hidden} that no rule is about: `--all`", "")


def _brief(title: str, findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        yield from (f"### {title}", "")
        yield from (f"- {one.rule.severity}: {escaped(one.title)} (`{one.rule.id}`)" for one in findings)
        yield ""
