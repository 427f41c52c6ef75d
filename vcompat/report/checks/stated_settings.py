"""What run files state, as text: a line per setting, and what is not known folded into a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from click import style

from vcompat.facts import value
from vcompat.facts.facts import Facts
from vcompat.facts.presumption import Presumption
from vcompat.report.parts.layout import field, printable


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
    lines += ["", *_likely(facts, width)] if facts.has_likely else []
    lines += ["", *_unknown(facts, width, everything)] if any(facts.all_unknown()) else []
    lines += ["", "Settings not listed have their defaults."] if takes_defaults else []
    return "\n".join(lines).strip()


def _likely(facts: Facts, width: int) -> Iterator[str]:
    """Likely facts in blocks by what they presume, each with the value and the place."""
    blocks: dict[tuple[Presumption, ...], list[str]] = {}
    for name, likely in sorted(facts.all_likely()):
        blocks.setdefault(likely.presumes, []).append(f"{name} = {show(likely.value)}  {likely.source}")
    for presumes, shown in blocks.items():
        yield from field("likely", f"if {printable('; '.join(map(str, presumes)))}:", width, color="cyan")
        for text in shown:
            yield from field("", text, width, margin=2)
    if facts.whole is not None:
        yield from field("likely", "settings not listed have their defaults", width, color="cyan")


def _unknown(facts: Facts, width: int, everything: bool) -> Iterator[str]:
    """Unknown facts by the reason for which they are unknown."""
    groups: dict[str, list[str]] = {}
    for name, reason in sorted(facts.all_unknown()):
        if everything or not facts.is_presumed_unstated(name):
            groups.setdefault(reason, []).append(name)
    for reason, names in groups.items():
        shown = names if everything or len(names) <= 3 else [*names[:3], f"and {len(names) - 3} more"]
        yield from field("unknown", f"{', '.join(shown)}: {reason}", width, color="yellow")
