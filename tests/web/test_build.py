"""The built site: the same each time, with a page for all that is known, and with valid files for machines."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vcompat.foundation.addresses import SITE, rule_path
from vcompat.rules.database import load_rules

_ROOT = Path(__file__).resolve().parents[2]
_ATOM = "{http://www.w3.org/2005/Atom}"


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_site_is_the_same_when_it_is_built_again(site, tmp_path):
    # In another process, where sets have another order.
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(_ROOT)}
    subprocess.run([sys.executable, "-m", "web", str(tmp_path / "again")], check=True, cwd=_ROOT, env=environment)
    first, again = contents(site), contents(tmp_path / "again")
    assert len(first) > 400
    assert {name for name in {*first, *again} if first.get(name) != again.get(name)} == set()


def test_each_rule_has_a_page_at_its_address_with_its_title_and_fixes(site):
    for rule in load_rules():
        text = (site / rule_path(rule.component, rule.id) / "index.html").read_text(encoding="utf-8")
        assert f'<link rel="canonical" href="{SITE}{rule_path(rule.component, rule.id)}">' in text
        assert text.count("<h1>") == 1
        assert text.count("<h3>or</h3>") == len(rule.fixes) - 1


def test_a_page_describes_itself_to_search_engines(site):
    for path in site.rglob("index.html"):
        text = path.read_text(encoding="utf-8")
        data = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', text, re.DOTALL)[1])
        name = path.parent.relative_to(site).as_posix()
        assert data["url"] == (SITE if name == "." else f"{SITE}{name}/")
        description = re.search(r'<meta name="description" content="([^"]+)">', text)[1]
        assert 10 < len(description) < 400
        assert re.search(r"<title>[^<]+</title>", text)


def test_titles_and_descriptions_are_not_used_twice(site):
    for pattern in (r"<title>([^<]+)</title>", r'<meta name="description" content="([^"]+)">'):
        found = [re.search(pattern, path.read_text(encoding="utf-8"))[1] for path in site.rglob("index.html")]
        assert sorted(one for one in set(found) if found.count(one) > 1) == []


def test_the_sitemap_has_every_page(site):
    places = [
        one.text or "" for one in ElementTree.parse(site / "sitemap.xml").getroot().iter() if one.tag.endswith("loc")
    ]
    pages = [path.parent.relative_to(site).as_posix() for path in site.rglob("index.html")]
    assert sorted(places) == sorted(SITE if name == "." else f"{SITE}{name}/" for name in pages)


def test_the_feed_has_the_newest_rules_with_a_date_each(site):
    feed = ElementTree.parse(site / "feed.xml").getroot()
    entries = feed.findall(f"{_ATOM}entry")
    days = [entry.findtext(f"{_ATOM}updated", "") for entry in entries]
    assert len(entries) == 50
    assert days == sorted(days, reverse=True)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", day) for day in days)
    assert feed.findtext(f"{_ATOM}updated") == days[0]


def test_llms_txt_lists_every_rule(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# vcompat\n\n> ")
    assert all(f"]({SITE}{rule_path(rule.component, rule.id)}): " in text for rule in load_rules())


def test_the_page_for_other_addresses_starts_links_at_the_site_and_is_not_listed(site):
    text = (site / "404.html").read_text(encoding="utf-8")
    assert f'<base href="{SITE}">' in text and '"../' not in text and 'name="q"' in text
    for listing in ("sitemap.xml", "llms.txt", "search.json"):
        assert "404/" not in (site / listing).read_text(encoding="utf-8"), listing
