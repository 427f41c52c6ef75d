"""The pages in a browser: what every page must be, on a sample with one page of each kind."""

import pytest

#: One page of each kind.
KINDS = [
    *("", "about/", "docs/", "rules/", "rules/driver/", "search/", "facts/", "patches/", "settings/"),
    *("matrix/", "gpus/", "packages/"),
    "rules/vllm/prefix-caching-before-ampere/",
    "settings/trl/GRPOConfig/",
    "matrix/7.0/",
    "packages/trl/",
]
#: Those that have all colors between them.
COLORED = ["", "about/", "rules/vllm/prefix-caching-before-ampere/", "matrix/7.0/"]


def violations(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra 'site'")
    found = axe.Axe().run(page)
    return found.generate_report() if found.violations_count else ""


@pytest.mark.parametrize("path", KINDS)
def test_a_page_fits_a_phone_and_axe_finds_no_violation(open_page, path):
    page = open_page(path, viewport={"width": 360, "height": 740}, bypass_csp=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page) == ""


@pytest.mark.parametrize("path", COLORED)
def test_axe_finds_no_violation_in_dark_mode(open_page, path):
    page = open_page(path, color_scheme="dark", bypass_csp=True)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 20, 24)"
    assert violations(page) == ""


def test_a_page_is_light_where_the_reader_prefers_that(open_page):
    page = open_page("", color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_first_key_skips_to_the_content(open_page):
    page = open_page("")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('header') === null")


def test_a_fix_is_copied_with_the_keyboard(open_page):
    page = open_page("rules/trl/sleep-mode-generates-with-first-checkpoint/", permissions=["clipboard-write"])
    button = page.locator(".copied .copy-button").first
    button.focus()
    page.keyboard.press("Enter")
    page.locator(".copy-button", has_text="Copied").wait_for()


def test_a_page_is_complete_without_javascript(open_page):
    page = open_page("rules/trl/sleep-mode-generates-with-first-checkpoint/", java_script_enabled=False)
    assert 'pip install "trl>=1.10.0"' in page.inner_text("main")
    assert "0.28.0 - 1.9.2 affected" in page.inner_text("main")
    assert page.locator("svg.bar rect.hit").count() == 1
