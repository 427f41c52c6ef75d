"""Facts as lines, so that a test compares all of them with their sources, reasons and positions."""

from __future__ import annotations

from vcompat.facts.facts import Facts, Place


def told(facts: Facts) -> list[str]:
    """Return each fact as ``name = value (source)`` or ``name ? reason``, without ``plan.``.

    The position follows where source or reason does not begin with it.
    """
    lines = []
    for name in sorted({*facts.known, *facts.reasons}):
        short = name.removeprefix("plan.")
        if name in facts.known:
            value, source, place = facts.known[name]
            lines.append(f"{short} = {value!r} ({source}){_where(source, place)}")
        if name in facts.reasons:
            reason = facts.reasons[name]
            lines.append(f"{short} ? {reason}{_where(reason, facts.open_at.get(name))}")
    return [*lines, *(f"closed: {family}" for family in sorted(facts.closed))]


def _where(text: str, place: Place | None) -> str:
    if place is None:
        return " at no position"
    assert isinstance(place, Place)
    return "" if text.startswith(str(place)) and (text + ":")[len(str(place))] in ":," else f" at {place}"


def examples(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the examples in `text`: a line after ``$``, the lines of a file after ``>``, and the expected lines.

    Examples are separated by empty lines.
    """
    found = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.splitlines()
        command = "\n".join(line[2:] for line in lines if line.startswith("$ "))
        file = "".join(line[2:] + "\n" for line in lines if line.startswith("> "))
        found.append((command, file, [line for line in lines if not line.startswith(("$ ", "> "))]))
    return found
