"""What the site consists of: the functions that yield its pages, those that write its other files, its navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from web import documents
from web.output import feed, llms, palette, search_index, sitemap
from web.page import Page
from web.pages import facts, gpus, home, matrix, packages, patches, rules, search, settings
from web.tools import pages as tools

#: Each yields pages.
PAGES: tuple[Callable[[], Iterable[Page]], ...] = (
    home.pages,
    search.pages,
    rules.pages,
    matrix.pages,
    gpus.pages,
    packages.pages,
    patches.pages,
    facts.pages,
    settings.pages,
    documents.listing,
    tools.pages,
)
#: Each writes files below the folder of the site, given all pages that the data wrote.
FILES: tuple[Callable[[Path, Sequence[Page]], None], ...] = (
    search_index.write,
    palette.write,
    feed.write,
    llms.write,
    sitemap.write,
    tools.write,
)
#: The navigation: names of pages and what to call them. An entry without its page is left out.
NAVIGATION = (
    ("rules", "Failures"),
    ("diagnose", "Diagnose"),
    ("check", "Check"),
    ("matrix", "Releases"),
    ("packages", "Packages"),
    ("settings", "Settings"),
    ("patches", "Patches"),
    ("docs", "Documentation"),
    ("about", "About"),
)
