"""Facts as lines, so that a test compares all of them with their sources, reasons and positions."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from vcompat.facts.defaults import SETTINGS
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.files import Home, read_plan
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.recognize import recognize
from vcompat.sources.reading.whole import Plan


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
        # Of a likely fact that the certain reading does not mention, no reason is recorded.
        if facts.reasons.get(name):
            reason = facts.reasons[name]
            lines.append(f"{short} ? {reason}{_where(reason, facts.open_at(name))}")
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
        lines += [
            f"- {setting.name} = {setting.value!r} by {setting.way} at {setting.place}" for setting in stated.settings
        ]
    return lines


def told_part(part: Part) -> list[str]:
    """Return all that a reader says about one run file."""
    lines = [*told(part.facts), *told_stated(part.facts)]
    if part.why_open:
        others = [f"{setting} ? {part.why_open} at no position" for setting in sorted(SETTINGS)]
        found = [line for line in others if line in lines]
        named = {line.split()[0] for line in lines}
        assert named >= set(SETTINGS) or not named & set(SETTINGS)
        lines = [line for line in lines if line not in found]
        lines.append(f"{'other' if lines else 'all'} settings ? {part.why_open}")
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


def told_plan(plan: Plan) -> list[str]:
    """Return what a plan says: about each run, and about its files."""
    lines = []
    for run in plan.runs:
        marks = ["takes defaults"] if run.takes_defaults else []
        marks += [f"overridable {name}" for name in run.overridable]
        lines.append(": ".join(["run", *filter(None, [run.name, run.command, *marks])]))
        lines += _shortened(told(run.facts))
        lines += told_stated(run.facts)
    if len(plan.runs) > 1:
        lines += ["in common", *_shortened(told(plan.facts))]
    else:
        assert told(plan.facts) == told(plan.runs[0].facts)
    lines.append(": ".join(["files", *plan.files]))
    lines += [f"misses {mention.path} ({mention.kind}) at {mention.place}" for mention in plan.missing]
    lines += [f"configuration {kind} {name} at {place}" for kind, place, name in plan.configurations]
    assert plan.takes_defaults is all(run.takes_defaults for run in plan.runs)
    return lines


def _shortened(lines: list[str]) -> list[str]:
    """Return the lines, without what other tests are about, and with one for all that is unknown for the same reason."""
    kept, unknown = [], defaultdict(list)
    for line in lines:
        name, mark, why = line.partition(" ? ")
        if mark:
            unknown[why].append(name)
        elif not line.startswith(("patched = ()", "num_machines = 1", "processes_per_machine = 1")):
            kept.append(line)
    for why, names in unknown.items():
        settings = [name for name in names if name in SETTINGS]
        is_long = len(settings) > 20
        told = [name for name in names if not is_long or name not in SETTINGS]
        others = sorted(set(SETTINGS) - set(settings))
        long = f"all settings but {' '.join(others)}" if others else "all settings"
        kept.append(f"{' '.join([*told, *[long] * is_long])} ? {why}")
    return kept


def read_files(given: str, files: str) -> list[str]:
    """Write `files` into the current folder, each after a line ``## name``, and return the plan of those in `given`.

    A second line of `given` names accelerate's default configuration.
    """
    Path(".git").mkdir()
    for part in files.split("## ")[1:]:
        name, _, text = part.partition("\n")
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    paths, _, home = given.partition("\nhome ")
    return told_plan(read_plan([recognize(path) for path in paths.split()], Home("", home or None)))
