"""Facts as lines, so that a test compares all of them with their sources, reasons and positions."""

from __future__ import annotations

from vcompat.facts.facts import Facts, Place
from vcompat.sources.plan.part import Part


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


def told_stated(facts: Facts) -> list[str]:
    """Return what each configuration class gets: a line for the class, and one for each setting."""
    lines = []
    for stated in facts.stated:
        marks = [f"own {' '.join(sorted(stated.own))}"] if stated.own else []
        marks += [name for name in ("is_complete", "has_others", "is_command", "abbreviates") if getattr(stated, name)]
        lines.append(f"{' '.join(stated.classes)} at {stated.place}: {', '.join(marks)}")
        lines += [f"- {setting.name} = {setting.value!r} by {setting.way} at {setting.place}" for setting in stated.settings]
    return lines


def told_part(part: Part) -> list[str]:
    """Return all that a reader says about one run file."""
    lines = [*told(part.facts), *told_stated(part.facts)]
    lines += [f"{name}: {getattr(part, name)}" for name in ("why_open",) if getattr(part, name)]
    lines += [name for name in ("takes_defaults", "clears_variables") if getattr(part, name)]
    lines += [] if part.trains else ["does not train"]
    lines += [f"names {mention.path} ({mention.kind}) at {mention.place}" for mention in part.mentions]
    lines += [f"misses {mention.path} ({mention.kind}) at {mention.place}" for mention in part.missing]
    lines += [f"reads {path}" for path in part.files]
    lines += [f"overridable {name} at {place}" for name, place in part.overridable.items()]
    if part.configuration is not None:
        kind, place, name = part.configuration
        lines.append(" ".join(["configuration", kind, *([name] if name else []), f"at {place}"]))
    return lines
