"""The links and files of the built site, without a browser."""

from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

import pytest

_BASE = "https://site.invalid/below/"


class _Links(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors, self.inline = [], set(), []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.links += [given[name] for name in ("href", "src", "action") if given.get(name)]
        self.anchors |= {given["id"]} if "id" in given else set()
        if "style" in given or any(name.startswith("on") for name in given) or tag == "style":
            self.inline.append((tag, given))
        if tag == "script" and "src" not in given and given.get("type") != "application/ld+json":
            self.inline.append((tag, given))


@pytest.fixture(scope="module")
def pages(site):
    """The links of each page by its path below the site."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        links = _Links()
        links.feed(path.read_text(encoding="utf-8"))
        found[path.relative_to(site).as_posix().removesuffix("index.html")] = links
    return found


def test_every_link_within_the_site_leads_to_a_file_and_an_anchor(site, pages):
    broken = []
    for page, found in pages.items():
        for link in found.links:
            target = urlsplit(urljoin(_BASE + page, link))
            if not target.geturl().startswith(_BASE):
                continue
            path = unquote(target.path.removeprefix("/below/"))
            there = (
                (site / path / "index.html").is_file() if path.endswith("/") or not path else (site / path).is_file()
            )
            anchors = pages[path].anchors if path in pages else set()
            if not there or (target.fragment and unquote(target.fragment) not in anchors):
                broken.append((page, link))
    assert broken == []


def test_links_to_the_site_are_relative(pages):
    absolute = [(page, link) for page, found in pages.items() for link in found.links if link.startswith("/")]
    assert absolute == []


def test_no_page_has_what_its_policy_forbids(pages):
    assert {page: found.inline for page, found in pages.items() if found.inline} == {}
