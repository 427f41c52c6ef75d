"""The outcome of a check as text, for a person at a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from click import style

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.parts.formats import at
from vcompat.report.parts.layout import MARGIN, field, printable, shortened
from vcompat.report.parts.memory_budget import memory_lines
from vcompat.report.parts.patching import patching_lines
from vcompat.report.parts.started_runs import started
from vcompat.report.parts.wording import (
    EFFECTS,
    checked,
    depends,
    groups,
    intention,
    next_command,
    presumed,
    total,
    word_for,
)
from vcompat.rules.instruction import instruction, note
from vcompat.rules.rule import SEVERITIES, Fix

COLORS = {"error": "red", "warning": "yellow", "note": "cyan", "possible": "magenta", "fixed": "green"}
#: The most possible findings that are named.
_BEST = 5
COLORS |= {f"likely {severity}": COLORS[severity] for severity in SEVERITIES}


def render(outcome: Outcome) -> str:
    """The report: certain and likely findings in full, everything else in a line or two."""
    width = outcome.width
    head = textwrap.wrap(printable(checked(outcome)), width, break_on_hyphens=False, break_long_words=False)
    head += field("The run:", intention(outcome), width, margin=9)
    for text in outcome.given_up:
        head += field("Not followed:", text, width, margin=14)
    for line in outcome.newer:
        head += field("Note:", f"{line}: no rule knows what changed since", width, margin=9)
    for line in patching_lines(outcome.facts):
        head += field("Patches:", line, width, margin=9)
    for label, text in started(outcome.runs):
        head += field(label, text, width, margin=9)
    for path, place in outcome.missing:
        head += field("Missing:", f"{path}, named in {place}", width, margin=9)
    if outcome.compiled:
        # Imported here: few checks compile.
        from vcompat.report.parts.compiled_kernels import summary

        head += field("", summary(outcome.compiled), width, margin=0)
    blocks = ["\n".join(head)]
    blocks += ["\n".join(full(finding, width)) for finding in (*outcome.certain, *outcome.likely)]
    blocks.append("\n".join(_possible(outcome)))
    blocks.append("\n".join(_not_counted(outcome)))
    blocks.append("\n".join(memory_lines(outcome.budget, width)))
    blocks.append("\n".join(_not_judged(outcome)) if outcome.everything else "")
    blocks.append(_last_line(outcome))
    return "\n\n".join(block for block in blocks if block)


def _last_line(outcome: Outcome) -> str:
    """The count and the next command; on two lines if they are too long for one."""
    count, command = total(outcome), printable(next_command(outcome))
    if not command:
        return f"{count}."
    between = ". " if len(f"{count}. Next: {command}") <= outcome.width else "\n"
    return f"{count}{between}Next: {style(command, fg='green')}"


def _possible(outcome: Outcome) -> Iterator[str]:
    """What depends on something unknown: the best findings and a line for each deciding input, or all in full."""
    if outcome.everything:
        yield "\n\n".join("\n".join(full(finding, outcome.width)) for finding in outcome.possible)
        return
    count = len(outcome.possible)
    if count:
        rules = "1 rule might apply, depending" if count == 1 else f"{count} rules might apply, depending"
        yield style("possible: ", fg=COLORS["possible"]) + f"{rules} on what is not known"
    # A report on run files that has a failure to show stays short.
    best = () if outcome.files and (outcome.certain or outcome.likely) else outcome.possible[:_BEST]
    for finding in best:
        yield from _brief(finding, outcome.width)
    if best and count > _BEST:
        yield f"  and {count - _BEST} more with --all. What would decide them:"
    for group in groups(outcome):
        yield from field("", depends(group, outcome.width - 2), outcome.width, margin=2)


def _brief(finding: Finding, width: int) -> Iterator[str]:
    """A possible finding: what fails, and in one line the rule and what would decide."""
    yield from field("  -", finding.failure, width, margin=4)
    needs = [need.fact or need.reason for need in finding.needs]
    line = shortened(printable(f"    {finding.rule.id}: depends on {', '.join(needs)}"), width)
    yield line.removesuffix(": depends on ...")


def _not_counted(outcome: Outcome) -> Iterator[str]:
    """What a patch fixes, what is suppressed, and suppressions that need attention."""
    width = outcome.width
    for finding in outcome.fixed:
        if outcome.everything:
            yield from full(finding, width)
        else:
            yield from field("fixed", f"{finding.title} (patch {finding.fixed_by})", width, color="green")
    for suppressed in outcome.judgement.suppressed:
        text = f"{suppressed.finding.failure} ({suppressed.finding.rule.id}): {suppressed.reason}"
        yield from field("suppressed", text, width)
    for text in outcome.judgement.expired:
        yield from field("expired", text, width, color="red")
    for text in outcome.judgement.unused:
        yield from field("unused", text, width)


def _not_judged(outcome: Outcome) -> list[str]:
    lines: list[str] = []
    for rule, names in sorted(outcome.not_judged.items()):
        lines += field("not judged" if not lines else "", f"{rule}: not known: {', '.join(names)}", outcome.width)
    return lines


def full(finding: Finding, width: int) -> Iterator[str]:
    """One finding with its reasons and fixes."""
    rule, word = finding.rule, word_for(finding)
    first, *more = textwrap.wrap(
        f"{word}: {finding.failure}", width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    title = style(first.removeprefix(f"{word}: "), bold=True)
    yield style(f"{word}: ", fg=COLORS[word], bold=finding.is_certain) + title
    yield from (style(line, bold=True) for line in more)
    if finding.place is not None and finding.place.line:
        yield f"  at {printable(at(finding.place))}"
    if finding.runs:
        yield from field("  in", ", ".join(finding.runs), width)
    yield from field("", finding.summary, width, margin=2)
    yield from field("  effect", EFFECTS[rule.effect], width)
    because = ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in finding.because)
    yield from field("  because", because, width)
    yield from field("  presumes", presumed(finding), width)
    needs = ", ".join(need.text for need in finding.needs)
    yield from field("  depends on" if needs else "", needs, width, margin=MARGIN + 2)
    if finding.fixed_by:
        yield from field("  fixed by", f"patch {finding.fixed_by}, which the run applies", width)
    else:
        yield from fix_lines(finding.fixes, width)
    yield from field("  more", f"vcompat explain {rule.id}", width)


def fix_lines(fixes: Iterable[Fix], width: int, indent: str = "  ") -> Iterator[str]:
    """What to do, the best advice first."""
    label = f"{indent}fix"
    for fix in fixes:
        if fix.kind in ("hardware", "advice"):
            yield from field(label, instruction(fix), width)
        else:
            # Not wrapped: it is to be copied.
            yield f"{label:<{MARGIN}}" + style(instruction(fix), fg="green")
        yield from field("", note(fix), width, margin=MARGIN + 2)
        label = f"{indent}or"
