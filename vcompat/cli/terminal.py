"""The reader's terminal: how wide it is, and whether it shows colours."""

from __future__ import annotations

import os
import sys

from vcompat.report.style import plain


def say(text: str) -> None:
    """Print a line or more, without colours where nobody sees them or nobody wants them (``NO_COLOR``)."""
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print(text if coloured else plain(text))


def width() -> int:
    """Columns to fill: the terminal's, but no more than a line that is pleasant to read, and no fewer than 60."""
    return max(60, min(_columns(), 110))


def _columns() -> int:
    """What COLUMNS says, else the terminal, else 80. (``shutil`` knows it too, but is not free to import.)"""
    if os.environ.get("COLUMNS", "").isdigit():
        return int(os.environ["COLUMNS"])
    try:
        return os.get_terminal_size(1).columns
    except (OSError, ValueError):
        return 80
