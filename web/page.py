"""What a page is: where it goes, which template shows it, and what the template needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

#: Characters of a description, at most. Search engines cut off longer ones.
_LONGEST = 160
#: The name of the page that is served for addresses that have no page.
NO_PAGE = "404"
#: Pages that no listing names.
UNLISTED = ("index", "search", NO_PAGE)


class Page(NamedTuple):
    """One page that the data writes."""

    name: str
    """The path below the site's base without a slash at its end, such as ``rules/trl``; ``index`` for the first one."""
    template: str
    """The file in ``web/templates``."""
    title: str
    """What a browser's tab and a search engine show, without the project's name."""
    description: str
    """One or two sentences; `shortened` if they are longer than a search engine shows."""
    context: Mapping[str, Any] = {}
    """What the template needs besides."""
    data: Mapping[str, Any] = {}
    """Structured data for search engines: an object of schema.org without its context and address; may be empty."""


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return `text` on one line, cut off after a word if it has more than `longest` characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
