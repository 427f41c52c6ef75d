"""The pages in a browser: what every page must be, on a sample with one page of each kind."""

import pytest

#: One page of each kind.
KINDS = [
    *(
        "",
        "about/",
        "docs/",
        "rules/",
        "rules/driver/",
        "search/",
        "facts/",
        "patches/",
        "settings/",
        "matrix/",
        "gpus/",
        "packages/",
    ),
    "rules/vllm/prefix-caching-before-ampere/",
    "settings/trl/GRPOConfig/",
    "matrix/7.0/",
    "packages/trl/",
]


@pytest.mark.parametrize("path", KINDS)
def test_a_page_does_not_scroll_sideways_on_a_phone(open_page, path):
    page = open_page(path, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", KINDS)
def test_axe_finds_no_violation(open_page, path, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra 'site'")
    page = open_page(path, color_scheme=scheme, bypass_csp=True)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_page_follows_the_readers_color_scheme(open_page):
    back = {
        scheme: open_page("", color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 20, 24)"}


def test_the_first_key_skips_to_the_content(open_page):
    page = open_page("")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('header') === null")
