"""Everything that `run_shell` claims about a script, as lines of text.

One line per program: the line of its command, its words, `in` its folder, `{}` its environment with the line that sets
each variable, `files` with their texts, `&` if it runs in the background, and after `#` why it may not run. `¿` stands for
UNKNOWN, `…` for UNKNOWN_WORDS, `-` for a variable that is not set. The last lines state what the script leaves behind.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.sources.reading.marked_words import marked
from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.shell import Ran, run_shell
from vcompat.sources.reading.word import Word

#: A caller that exports no variable.
NOTHING = Environment(others=Others.UNSET)


def claims(text: str, path: str = "run.sh", **options: object) -> str:
    """Follow a script and return what is claimed, as lines."""
    return described(run_shell(text, path, **options), path)  # type: ignore[arg-type]


def described(ran: Ran, path: str = "run.sh") -> str:
    """Return what is claimed of a script at `path`, as lines."""
    lines = [_program(invocation, path) for invocation in ran.invocations]
    last = ran.invocations[-1] if ran.invocations else None
    if ran.environment != (last.environment if last else NOTHING):
        lines.append(f"after:{_environment(ran.environment, path) or ' nothing set'}")
    lines += [f"missing: {shown(each.path)} {each.kind} {_place(each.place, path)}" for each in ran.missing]
    if ran.files != ({name: text for name, text in last.files.items() if name != "-"} if last else {}):
        lines.append(f"files: {_files(ran.files)}")
    return "\n".join([*lines, *([f"incomplete: {ran.why_incomplete}"] if ran.why_incomplete else [])])


def shown(given: Word) -> str:
    """Return text with readable placeholders, in quotes if it has blanks or is empty."""
    text = marked(given, "¿", "…")
    return text if text.isprintable() and text and " " not in text else repr(text)


def _program(invocation: Invocation, path: str) -> str:
    line = f"{_place(invocation.place, path)}: {' '.join(map(shown, invocation.words))}"
    if invocation.folder:
        line += f" in {shown(invocation.folder)}"
    line += _environment(invocation.environment, path)
    if invocation.files:
        line += f" files {_files(invocation.files)}"
    line += " &" if invocation.background else ""
    return line + (f" # {shown(invocation.why_uncertain).strip(chr(39))}" if invocation.why_uncertain else "")


def _environment(environment: Environment, path: str) -> str:
    parts = []
    for name, value in sorted(environment.values.items()):
        # What is not listed is not set then.
        if value is not None or environment.others is not Others.UNSET:
            place = environment.places.get(name)
            setting = "-" if value is None else f"={shown(value)}"
            parts.append(f"{name}{setting}{f'@{_place(place, path)}' if place else ''}")
    if environment.others is not Others.UNSET:
        parts.append(f"others {environment.others.value}")
    if environment.why_open:
        parts.append(f"since {shown(environment.why_open).strip(chr(39))}")
    return f" {{{', '.join(parts)}}}" if parts else ""


def _files(files: Mapping[Word, str | None]) -> str:
    return " ".join(f"{shown(name)}:{'¿' if text is None else repr(text)}" for name, text in files.items())


def _place(place: Place, path: str) -> str:
    assert place.column == 1
    return str(place.line) if place.path == path else f"{place.path}:{place.line}"
