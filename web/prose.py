"""Texts of rules and patches as HTML: words in backticks are code, addresses are links."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_MARKED = re.compile(r"`([^`\n]+)`|(https://[^\s<>)]*[^\s<>).,;:])")


def prose(text: str) -> Markup:
    """Return a text with its marks as elements. Everything else is escaped."""
    parts: list[str] = []
    end = 0
    for match in _MARKED.finditer(text):
        parts.append(str(escape(text[end : match.start()])))
        code, address = match.groups()
        inside = escape(code or address)
        parts.append(f"<code>{inside}</code>" if code else f'<a href="{inside}" rel="noreferrer">{inside}</a>')
        end = match.end()
    return Markup("".join([*parts, str(escape(text[end:]))]))
