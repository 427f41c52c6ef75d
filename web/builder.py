"""The extension of Sphinx that makes the site: pages from data besides those from ``docs/``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.builders.dirhtml import DirectoryHTMLBuilder

from vcompat.foundation.addresses import REPOSITORY, SITE
from web import contents, documents
from web.page import NO_PAGE, Page
from web.prose import prose

#: The file that web hosts send for an address that has no page.
_NO_PAGE_FILE = "404.html"


class SiteBuilder(DirectoryHTMLBuilder):
    """A page is a folder with an ``index.html``, so that addresses stay the same whatever makes the pages."""

    name = "site"
    # The site has its own.
    search = False

    def init_templates(self) -> None:
        super().init_templates()
        # Texts of rules contain <, > and &.
        self.templates.environment.autoescape = True
        self.templates.environment.filters["prose"] = prose

    def get_target_uri(self, docname: str, typ: str | None = None) -> str:
        return _NO_PAGE_FILE if docname == NO_PAGE else super().get_target_uri(documents.page_of(docname), typ)

    def get_output_path(self, page_name: str, /) -> Any:
        if page_name == NO_PAGE:
            return self.outdir / _NO_PAGE_FILE
        return super().get_output_path(documents.page_of(page_name))

    def write_buildinfo(self) -> None:
        """Write nothing: the file has the paths of this machine hashed."""

    def dump_inventory(self) -> None:
        """Write nothing: the site documents no Python objects."""


def _collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the pages that the data writes, as Sphinx takes them."""
    for page in app.config.site_pages:
        yield page.name, {"page": page, **page.context}, page.template


def _context(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add what every template needs."""
    page = context.get("page") or documents.described(pagename, context, doctree)
    known = {one.name for one in app.config.site_pages} | {documents.page_of(name) for name in app.env.found_docs}
    address = "" if page.name == "index" else f"{page.name}/"
    context["page"] = page
    context["canonical"] = SITE + address
    context["site"] = SITE
    context["repository"] = REPOSITORY
    context["navigation"] = [(name, title) for name, title in contents.NAVIGATION if name in known]
    if "cards" in context:
        context["cards"] = [card for card in context["cards"] if card[0] in known]
    context["data"] = _structured(page, SITE + address)
    if "body" in context:
        context["body"] = Markup(documents.framed(context["body"]))  # Sphinx has escaped it.


def _structured(page: Page, address: str) -> Markup:
    """Return the structured data of a page as JSON that is safe within a script element."""
    data = {"@context": "https://schema.org", "@type": "WebPage", "name": page.title, "description": page.description}
    text = json.dumps({**data, "url": address, **page.data}, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def _read_data(app: Sphinx) -> None:
    app.config.site_pages = [page for pages in contents.PAGES for page in pages()]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    if exception is None:
        for write in contents.FILES:
            write(app.outdir, app.config.site_pages)
        (app.outdir / ".nojekyll").touch()


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the site with Sphinx."""
    app.add_builder(SiteBuilder)
    app.add_config_value("site_pages", [], "", types=frozenset({list}))
    app.connect("env-updated", lambda app, _: _read_data(app))
    # Before Sphinx copies the files that documents link to.
    app.connect("doctree-read", documents.link_files, priority=100)
    app.connect("html-collect-pages", _collect)
    app.connect("html-page-context", _context)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": False}
