"""Labels in a column, and texts wrapped beside them."""

from __future__ import annotations

import textwrap

from click import style

#: Columns of the labels.
MARGIN = 11
#: Control characters, which a terminal obeys: white space becomes a space, others are escaped. What reverses the
#: direction of the text is dropped: it shows a line as another one than it is.
_CONTROL: dict[int, str | None] = {
    **{number: f"\\x{number:02x}" for number in (*range(32), *range(127, 160))},
    **dict.fromkeys(range(9, 14), " "),
    **dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))),
}


def printable(text: str) -> str:
    """The text in one line and without control characters, so that what a file states cannot steer the terminal."""
    return text.translate(_CONTROL)


def field(label: str, text: str, width: int, margin: int = MARGIN, color: str = "") -> list[str]:
    """A label and a text, wrapped to `width` columns beside it; nothing if there is no text."""
    if not text.strip():
        return []
    lines = textwrap.wrap(
        printable(text),
        width,
        initial_indent=" " * margin,
        subsequent_indent=" " * margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
    shown = f"{label:<{margin}}"
    if shown[-1:].strip():
        shown += " "
    return [(style(shown, fg=color) if color else shown) + lines[0][margin:], *lines[1:]]


def shortened(line: str, width: int) -> str:
    """A line, cut at a word where it is longer than `width` columns."""
    if len(line) <= width:
        return line
    return f"{line[: width - 3].rpartition(' ')[0].rstrip(',')} ..."
