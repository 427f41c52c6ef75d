"""The colors of the site, which are those of reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcompat.report.parts.page_style import palette
from web.page import Page


def write(folder: Path, pages: Sequence[Page]) -> None:
    """Write the style sheet with the colors."""
    (folder / "_static" / "palette.css").write_text(palette(":root"), encoding="utf-8")
