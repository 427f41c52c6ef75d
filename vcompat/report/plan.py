"""What run files state, as text: a line per setting, and what is not known folded into a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from click import style

from vcompat.facts import value
from vcompat.facts.facts import Facts
from vcompat.report.layout import field, printable


def show(fact: value.FactValue) -> str:
    """The value of a fact as a terminal may print it."""
    return printable(value.show(fact))


def heading(name: str, command: str) -> str:
    """The line above the settings of one of several runs."""
    return style(f"{name}: {command}" if command else f"{name}:", bold=True)


def render(facts: Facts, takes_defaults: bool, width: int, everything: bool = False) -> str:
    """The facts, in the order of their names. With `everything`, each unknown fact has a line of its own."""
    known = sorted(facts.known.items())
    margin = max((len(name) for name, _ in known), default=0) + 2
    values = max((min(len(show(fact.value)), 28) for _, fact in known), default=0) + 2
    lines = []
    for name, fact in known:
        first, *more = field(" ", fact.source, max(width, margin + values + 30), margin=margin + values)
        # A longer value pushes its source to the right.
        value = f"{show(fact.value)}  ".ljust(values)
        lines += [f"{name:<{margin}}{style(value, bold=True)}{first.strip()}", *more]
    lines += ["", *_unknown(facts, width, everything)] if facts.reasons else []
    lines += ["", "Settings not listed have their defaults."] if takes_defaults else []
    return "\n".join(lines).strip()


def _unknown(facts: Facts, width: int, everything: bool) -> Iterator[str]:
    """Unknown facts by the reason for which they are unknown."""
    groups: dict[str, list[str]] = {}
    for name, reason in sorted(facts.reasons.items()):
        groups.setdefault(reason, []).append(name)
    for reason, names in groups.items():
        shown = names if everything or len(names) <= 3 else [*names[:3], f"and {len(names) - 3} more"]
        yield from field("unknown", f"{', '.join(shown)}: {reason}", width, color="yellow")
