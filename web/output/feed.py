"""``feed.xml``: an Atom feed of the newest rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from vcompat.foundation.addresses import SITE, rule_page
from web import knowledge
from web.dates import dates
from web.page import Page

_MOST = 50


def write(folder: Path, pages: Sequence[Page]) -> None:
    """Write the feed into the folder of the site."""
    days = dates()
    dated = sorted(((days[rule.id], rule) for rule in knowledge.rules() if rule.id in days), key=lambda one: one[1].id)
    newest = sorted(dated, key=lambda one: one[0], reverse=True)[:_MOST]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
        f"<id>{SITE}</id>",
        "<title>vcompat: new known failures</title>",
        f"<updated>{_time(newest[0][0]) if newest else '1970-01-01T00:00:00Z'}</updated>",
        f'<link rel="self" href={quoteattr(SITE + "feed.xml")}/>',
        f"<link href={quoteattr(SITE)}/>",
        "<author><name>The vcompat authors</name></author>",
    ]
    for day, rule in newest:
        address = rule_page(rule.component, rule.id)
        lines += [
            "<entry>",
            f"<id>{escape(address)}</id>",
            f"<title>{escape(rule.title)}</title>",
            f"<link href={quoteattr(address)}/>",
            f"<published>{_time(day)}</published>",
            f"<updated>{_time(day)}</updated>",
            f"<category term={quoteattr(rule.component)}/>",
            f"<summary>{escape(rule.summary)}</summary>",
            "</entry>",
        ]
    (folder / "feed.xml").write_text("\n".join([*lines, "</feed>", ""]), encoding="utf-8")


def _time(day: str) -> str:
    return f"{day}T00:00:00Z"
