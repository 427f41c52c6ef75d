"""How wide the reader's terminal is."""

from __future__ import annotations

import os


def width() -> int:
    """Columns to fill: the terminal's, but no more than a line that is pleasant to read, and no fewer than 60."""
    return max(60, min(_columns(), 110))


def _columns() -> int:
    """What COLUMNS says, else the terminal, else 80. (``shutil`` knows it too, but imports a fifth of a check's time.)"""
    if os.environ.get("COLUMNS", "").isdigit():
        return int(os.environ["COLUMNS"])
    try:
        return os.get_terminal_size(1).columns
    except (OSError, ValueError):
        return 80
