"""Labels in a column, and texts wrapped beside them."""

from __future__ import annotations

import textwrap

from click import style

#: Columns of the labels.
MARGIN = 11


def field(label: str, text: str, width: int, margin: int = MARGIN, color: str = "") -> list[str]:
    """A label and a text, wrapped to `width` columns beside it; nothing if there is no text."""
    if not text:
        return []
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=" " * margin,
        subsequent_indent=" " * margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
    shown = f"{label:<{margin}}"
    return [(style(shown, fg=color) if color else shown) + lines[0][margin:], *lines[1:]]
