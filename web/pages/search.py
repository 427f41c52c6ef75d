"""The page of the search."""

from __future__ import annotations

from collections.abc import Iterator

from web.page import Page


def pages() -> Iterator[Page]:
    """Yield the page of the search."""
    yield Page(
        "search",
        "search.html",
        "Search",
        "Paste an error line, or describe a failure in words: the search finds its page as vcompat diagnose would.",
    )
