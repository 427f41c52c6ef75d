"""The page of the search, and the page for addresses that have none, which offers the search."""

from __future__ import annotations

from collections.abc import Iterator

from web.page import NO_PAGE, Page


def pages() -> Iterator[Page]:
    """Yield the two pages."""
    yield Page(
        "search",
        "search.html",
        "Search",
        "Paste an error line, or describe a failure in words: the search finds its page as vcompat diagnose would.",
    )
    yield Page(
        NO_PAGE,
        "404.html",
        "No page has this address",
        "It may have moved, or the address has a typing error. A search for a failure's text finds its page.",
    )
