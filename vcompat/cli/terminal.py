"""How wide the reader's terminal is."""

from __future__ import annotations

import shutil


def width() -> int:
    """Columns to fill: the terminal's, but no more than a line that is pleasant to read, and no fewer than 60."""
    return max(60, min(shutil.get_terminal_size().columns, 110))
