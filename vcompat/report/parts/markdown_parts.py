"""What Markdown reports have in common: escaping, and lines for reasons and fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vcompat.evaluation.finding import Need, Reason
from vcompat.report.parts.layout import printable
from vcompat.rules.instruction import instruction, note
from vcompat.rules.rule import Fix


def reason(reason: Reason) -> str:
    """A fact that decided, as a line of a list."""
    return f"- because `{code(reason.fact)} = {code(reason.value)}` ({escaped(reason.source)})"


def need(need: Need) -> str:
    """A fact or a circumstance that would decide, as a line of a list."""
    if not need.fact:
        return f"- depends on {escaped(need.reason)}"
    return f"- depends on `{code(need.fact)}`" + (f" ({escaped(need.reason)})" if need.reason else "")


def fix(fix: Fix) -> str:
    """What to do, as a line of a list."""
    text = instruction(fix)
    shown = escaped(text) if fix.kind in ("advice", "hardware") else f"`{code(text)}`"
    return f"- fix: {shown}" + (f" ({escaped(note(fix))})" if note(fix) else "")


def fenced(lines: Iterable[str]) -> list[str]:
    """Lines of a log as a block of code, which they cannot end."""
    shown = [printable(line) for line in lines]
    longest = max((len(found) for line in shown for found in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *shown, fence]


#: What links to people and threads where it is pasted: the first character of each.
_PINGS = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)")


def escaped(text: str) -> str:
    """Text without markup, control characters, links, and what notifies people."""
    text = "\n".join(map(printable, text.split("\n")))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("*", "\\*").replace("`", "\\`")
    # A site looks for names behind `@` after it has read the entities: a space without a width stays between.
    text = _PINGS.sub(lambda found: f"{found[0]}&#8203;", text)
    return re.sub(r"\](?=[\[(])", r"\\]", text)


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return escaped(" ".join(text.split())).replace("|", "\\|")


def code(text: str) -> str:
    """Text between backticks, also in a cell."""
    return " ".join(printable(text).replace("`", "'").replace("|", "\\|").split())
