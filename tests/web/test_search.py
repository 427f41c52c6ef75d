"""The search: the right page first for the logs that symptoms are tested with, and in a browser."""

import shutil

import pytest

from bench import site_search
from vcompat.rules.database import load_rules
from web.output.patterns import for_javascript

#: The least share of right pages.
LEAST = 0.95


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_right_page_is_first_for_the_logs_of_the_symptoms_tests():
    texts = list(site_search.texts())
    answers = site_search.ask([one.text for one in texts])
    wrong = [text.name for text, answer in zip(texts, answers, strict=True) if answer.rule not in text.right]
    assert len(texts) > 250
    assert len(wrong) <= (1 - LEAST) * len(texts), wrong


@pytest.mark.parametrize(
    ("pattern", "source", "flags"),
    [
        (r"(?s)a.*b", "a.*b", "s"),
        (r"(?i:vLLM) x", "(?:[vV][lL][lL][mM]) x", ""),
        (r"(?P<name>a)\d+", r"(?<name>a)\d+", ""),
    ],
)
def test_a_pattern_of_re2_becomes_one_of_javascript(pattern, source, flags):
    assert for_javascript(pattern) == (source, flags)


def test_flags_inside_a_pattern_are_refused():
    with pytest.raises(ValueError, match="no regular expression of JavaScript"):
        for_javascript("(?i:a[bc])d")


def test_all_patterns_of_rules_have_one_of_javascript():
    patterns = [one.pattern for rule in load_rules() for one in rule.symptoms if one.pattern]
    assert len(patterns) > 300
    assert all(for_javascript(pattern)[0] for pattern in patterns)


ERROR = """
(EngineCore_DP0 pid=812) ERROR 11-26 10:11:12 [core.py:515] Traceback (most recent call last):
(EngineCore_DP0 pid=812) ERROR 11-26 10:11:12 [core.py:515]   File "/opt/a/site-packages/trl/scripts/vllm_serve.py", line 64
(EngineCore_DP0 pid=812) ERROR 11-26 10:11:12 [core.py:515] ImportError: cannot import name 'get_open_port' from 'vllm.utils' (/home/x/vllm/utils/__init__.py)
"""


def test_a_pasted_error_finds_its_page(open_page):
    page = open_page("search/")
    page.fill("#q", ERROR)
    first = page.locator("#results li a").first
    first.wait_for()
    assert first.get_attribute("href").endswith("rules/trl/get-open-port-moved/")
    assert "page has this error" in page.inner_text("#status")
    first.click()
    page.wait_for_url("**/rules/trl/get-open-port-moved/")


def test_words_find_a_page_with_the_keyboard_alone(open_page):
    page = open_page("")
    page.focus("#q")
    page.keyboard.type("sleep mode initial weights")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=*")
    first = page.locator("#results li a").first
    first.wait_for()
    assert first.inner_text() == "Sleep mode keeps generating with the initial weights"
    page.focus("#q")
    while page.evaluate("document.activeElement.closest('#results') === null"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rules/trl/sleep-mode-generates-with-first-checkpoint/")


def test_what_no_page_has_is_said_so(open_page):
    page = open_page("search/?q=zzzqqqxyz")
    page.locator("#status", has_text="Nothing found").wait_for()
    assert page.locator("#results li").count() == 0
