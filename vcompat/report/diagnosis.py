"""A diagnosis as text, for a person at a terminal: the likeliest cause first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from click import style

from vcompat.diagnosis.diagnose import Diagnosis
from vcompat.diagnosis.failures import follows
from vcompat.diagnosis.prefixes import Line
from vcompat.diagnosis.ranking import CERTAIN, CONTRADICTED, Match
from vcompat.facts.value import show
from vcompat.report.formats import at, relative
from vcompat.report.layout import MARGIN, field, printable
from vcompat.report.text import COLORS, fix_lines
from vcompat.report.wording import EFFECTS, packages

#: How many matches after the first one, and how many files that could not be read, are shown in short.
_SHORT = 4
#: The most characters of a line of the log that are shown.
_LONGEST = 300


def render(diagnosis: Diagnosis, width: int, everything: bool = False) -> str:
    """The diagnosis in lines of `width` columns; with `everything`, each match in full."""
    blocks = ["\n".join(_head(diagnosis, width))]
    causes = diagnosis.causes
    for index, match in enumerate(causes):
        if index == 0 or everything:
            blocks.append("\n".join(_full(match, width)))
    if not everything and len(causes) > 1:
        blocks.append("\n".join(_others(causes[1:], width)))
    against = [match for match in diagnosis.matches if match.certainty == CONTRADICTED]
    if against:
        blocks.append("\n".join(_ruled_out(against if everything else against[:_SHORT], len(against), width)))
    if not causes:
        blocks.append("\n".join(_nothing(diagnosis, width)))
    return "\n\n".join(blocks)


def _head(diagnosis: Diagnosis, width: int) -> Iterator[str]:
    """What was read, with which facts, and which failure was first."""
    names = [relative(path) for path in diagnosis.paths]
    what = ", ".join(names[:3]) + (f" and {len(names) - 3} more logs" if len(names) > 3 else "")
    gpu = show(diagnosis.facts.value("gpu.name", ()))
    stated = ", ".join(filter(None, [packages(diagnosis.facts), gpu if gpu != "none" else ""]))
    count = f"{diagnosis.lines:,} line{'s' if diagnosis.lines != 1 else ''}"
    text = f"Read {what}: {count}, {f'with {stated}' if stated else 'without versions'}."
    yield from textwrap.wrap(printable(text), width, break_on_hyphens=False)
    for note in diagnosis.notes[:_SHORT]:
        yield from field("not read", note, width, color="yellow")
    if len(diagnosis.notes) > _SHORT:
        yield f"{'':{MARGIN}}and {len(diagnosis.notes) - _SHORT} more (--format json lists them)"
    for conflict in diagnosis.conflicts[:_SHORT]:
        yield from field("log counts", conflict, width, color="yellow")
    if len(diagnosis.conflicts) > _SHORT:
        yield f"{'':{MARGIN}}and {len(diagnosis.conflicts) - _SHORT} more (--format json lists them)"
    shown = {line for match in diagnosis.causes[:1] for line in match.seen.shown.lines}
    if diagnosis.failure is not None and diagnosis.failure.cause.line not in shown:
        line = diagnosis.failure.cause.line
        where = f"{relative(diagnosis.failure_path)}:{line.number}"
        yield from field("first", f"{_cut(diagnosis.failure.cause.error)} ({_where(line, where)})", width)


def _full(match: Match, width: int) -> Iterator[str]:
    rule = match.rule
    word, color = ("cause", "red") if match.certainty == CERTAIN else ("possible cause", COLORS["possible"])
    first, *more = textwrap.wrap(f"{word}: {rule.title}", width, subsequent_indent="  ", break_on_hyphens=False)
    yield style(f"{word}: ", fg=color, bold=match.certainty == CERTAIN) + style(first[len(word) + 2 :], bold=True)
    yield from (style(line, bold=True) for line in more)
    for line in match.seen.shown.lines:
        where = _where(line, at(match.seen.place._replace(line=line.number)))
        yield from field("  in the log", f"{_cut(line.text)} ({where})", width, margin=MARGIN + 2)
    yield from field("", rule.summary, width, margin=2)
    yield from field("  effect", EFFECTS[rule.effect], width)
    yield from field("  because", ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in match.because), width)
    needs = [need.text for need in match.needs] + ([f"whether {rule.only_if}"] if rule.only_if else [])
    yield from field("  depends on", ", ".join(needs), width, margin=MARGIN + 2)
    yield from fix_lines(match.fixes, width)
    yield from field("  not" if rule.wrong_advice else "", rule.wrong_advice, width, color="red")
    yield from field("  more", f"vcompat explain {rule.id}", width)


def _others(matches: tuple[Match, ...], width: int) -> Iterator[str]:
    """The further matches, a line or two each."""
    same = [m for m in matches if m.certainty == CERTAIN]
    yield f"or one of {len(matches)} others:" if len(matches) > 1 else "or:"
    for match in (*same, *(m for m in matches if m not in same))[:_SHORT]:
        word = "" if match.certainty == CERTAIN else "possible: "
        yield from field("", f"{word}{match.rule.title} ({match.rule.id}; {at(match.seen.place)})", width, margin=2)
    if len(matches) > _SHORT:
        yield f"  and {len(matches) - _SHORT} more (--all)"


def _ruled_out(matches: list[Match], count: int, width: int) -> Iterator[str]:
    """Rules whose text the log shows, and the facts that contradict them."""
    for match in matches:
        because = ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in match.because)
        yield from field("ruled out", f"{match.rule.title} ({match.rule.id}): {because}", width)
    if count > len(matches):
        yield f"{'':{MARGIN}}and {count - len(matches)} more (--all)"


def _nothing(diagnosis: Diagnosis, width: int) -> Iterator[str]:
    if diagnosis.matches:
        yield style("No known cause fits what the log states.", bold=True)
    else:
        yield style("Nothing known matches", bold=True) + f" ({diagnosis.rules} rules with symptoms)."
    if diagnosis.failure is None:
        yield from field("", "The log states no failure either.", width, margin=2)
        return
    advice = "Report it upstream with the lines above and the traceback that ends there, and the versions in use."
    if follows(diagnosis.failure):
        advice = (
            "That only follows from a failure in another process. Look for it above, or in the logs of other processes."
        )
    yield from field("", advice, width, margin=2)


def _where(line: Line, place: str) -> str:
    return f"{place}, {line.process}" if line.process else place


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
