"""The pages that are written as Markdown: README and ``docs/``. Their links to other files lead to the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from vcompat.foundation.addresses import REPOSITORY
from web.page import Page, shortened

_CHECKOUT = Path(__file__).resolve().parent.parent
#: Documents whose page has another name.
_PAGES = {"README": "about"}


def page_of(docname: str) -> str:
    """Return the name of a document's page."""
    return _PAGES.get(docname, docname)


def described(docname: str, context: dict[str, Any], doctree: Any) -> Page:
    """Return a document as a page: its title, and its first paragraph as description."""
    paragraph = next(doctree.findall(nodes.paragraph), None) if doctree is not None else None
    title = "About" if docname == "README" else re.sub(r"<[^>]+>", "", context.get("title", docname))
    description = shortened(paragraph.astext()) if paragraph is not None else title
    return Page(page_of(docname), "page.html", title, description)


def titles() -> list[tuple[str, str]]:
    """Return the name and the title of each document below ``docs/``, by name."""
    listed = []
    for path in sorted((_CHECKOUT / "docs").rglob("*.md")):
        heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        listed.append((path.relative_to(_CHECKOUT).with_suffix("").as_posix(), heading[1] if heading else path.stem))
    return listed


def listing() -> Iterator[Page]:
    """Yield the page that lists the documents below ``docs/``."""
    description = "How to use vcompat, task by task, and how it works inside."
    yield Page("docs", "docs.html", "Documentation", description, {"documents": titles()})


def framed(body: str) -> str:
    """Return the HTML of a document with a frame around each table, which scrolls where the screen is narrow."""
    numbers = count(1)
    body = re.sub(
        r"<table\b",
        lambda _: f'<div class="wide" tabindex="0" role="region" aria-label="Table {next(numbers)}"><table',
        body,
    )
    # A heading without a text is none for those who listen to the page.
    body = re.sub(r"<th[^>]*>(?:<p></p>)?</th>", "<td></td>", body)
    return body.replace("</table>", "</table></div>")


def link_files(app: Sphinx, doctree: nodes.document) -> None:
    """Link to files and folders of the repository that are no pages of the site."""
    docname = app.env.docname
    for node in [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]:
        address = _address(docname, node, app.env.found_docs)
        if address:
            text = [child.deepcopy() for child in node.children]
            node.replace_self(nodes.reference("", "", *text, refuri=address, internal=False))


def _address(docname: str, node: nodes.Element, pages: Container[str]) -> str:
    """Return the address of a link's target in the repository; empty if the target is a page or does not exist."""
    target, anchor = node["reftarget"], node.get("reftargetid")
    if node.get("refdomain") == "doc":
        # MyST has made it relative to the checkout, and has removed the suffix.
        path = "" if target in pages else f"{target}.md"
    else:
        target, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(docname), target)) if target else ""
    if not path or path.startswith("..") or not (_CHECKOUT / path).exists():
        return ""
    kind = "tree" if (_CHECKOUT / path).is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{path}" + (f"#{anchor}" if anchor else "")
