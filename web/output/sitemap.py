"""``sitemap.xml``: the address of every page, with the day of a rule that is dated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from vcompat.foundation.addresses import SITE
from web.dates import dates
from web.page import Page


def write(folder: Path, pages: Sequence[Page]) -> None:
    """Write the sitemap of all pages that are in the folder of the site, whatever made them."""
    days = dates()
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for path in sorted(folder.rglob("index.html")):
        name = path.parent.relative_to(folder).as_posix()
        address = escape(SITE if name == "." else f"{SITE}{name}/")
        day = days.get(path.parent.name) if name.startswith("rules/") else None
        lines.append(f"<url><loc>{address}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</url>")
    (folder / "sitemap.xml").write_text("\n".join([*lines, "</urlset>", ""]), encoding="utf-8")
