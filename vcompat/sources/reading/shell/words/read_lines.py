"""What the builtin `read` sets variables to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.reading.shell.words.shell_values import Value
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import Word

_NAME = re.compile(r"[A-Za-z_]\w*")


def whole_input(words: Sequence[Word], state: State) -> tuple[str, Word] | None:
    """Return the name of ``read -r -d '' NAME`` and what it reads: the whole input without spaces around it.

    None if it is not known.
    """
    options, name = list(words[1:-1]), words[-1]
    is_whole = options in (["-r", "-d", ""], ["-rd", ""], ["-d", "", "-r"])
    if not is_whole or state.stdin is None or state.get("IFS") != " \t\n":
        return None
    return (name, state.stdin.strip(" \t\n")) if isinstance(name, str) and _NAME.fullmatch(name) else None


def line(words: Sequence[Word], state: State) -> dict[str, Value] | None:
    """Return what ``IFS=, read -ra NAME`` or ``read -r NAME NAME`` sets from the first line of its input.

    None if it is not known.
    """
    options = [word for word in words[1:] if word.startswith("-")]
    names = [word for word in words[1 + len(options) :] if isinstance(word, str) and _NAME.fullmatch(word)]
    if not isinstance(state.stdin, str) or len(options) + len(names) + 1 < len(words) or not names:
        return None
    text = state.stdin.partition("\n")[0]
    letters = "".join(word[1:] for word in options if isinstance(word, str) and word in ("-r", "-a", "-ra", "-ar"))
    if len(letters) < len(options) or ("r" not in letters and "\\" in text):
        return None
    return _distributed(text, names, state.get("IFS"), is_array="a" in letters)


def _distributed(text: str, names: Sequence[str], separators: Value, is_array: bool) -> dict[str, Value] | None:
    """Return the fields of a line as the values of variables; None if they are not known."""
    fields = _fields(text, separators)
    if fields is None:
        return None
    if is_array:
        return {names[0]: tuple(fields)} if len(names) == 1 else None
    if len(names) == 1 and _has_blanks_only(separators):
        return {names[0]: text.strip(str(separators))}
    # The last name gets the rest of the line, with what separates its fields.
    padded = [*fields, *[""] * (len(names) - len(fields))]
    return dict(zip(names, padded, strict=True)) if len(padded) == len(names) else None


def _fields(line: str, separators: Value) -> list[str] | None:
    """Return the fields of a line; None if not all separators are blanks, and not all are other characters."""
    if not isinstance(separators, str):
        return None
    if _has_blanks_only(separators):
        return re.sub(f"[{separators}]+", "\n", line).strip("\n").split("\n") if line.strip(separators) else []
    if any(char.isspace() for char in separators):
        return None
    fields = re.split(f"[{re.escape(separators)}]", line) if separators else [line]
    # A separator at the end of the line ends the last field.
    return fields[:-1] if not fields[-1] else fields


def _has_blanks_only(separators: Value) -> bool:
    return isinstance(separators, str) and separators != "" and not separators.strip(" \t\n")
