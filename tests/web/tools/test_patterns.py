"""The page's stand-ins for google-re2 match what google-re2 matches."""

import re

import pytest
import re2

from tests.web.tools.engine import LOGS
from vcompat.rules.database import load_rules
from web.tools.inside.vcompat_patterns import NotTranslated, for_javascript, for_re

_TEXTS = [log.read_text(errors="replace") for log in LOGS]


def _spans(pattern, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in pattern.finditer(text)]


def test_each_symptom_matches_the_same_parts_of_all_kept_logs():
    symptoms = [symptom for rule in load_rules(thorough=False) for symptom in rule.symptoms]
    patterns = {text for symptom in symptoms for text in (symptom.pattern, symptom.unless) if text}
    text = "\n".join(_TEXTS)
    found = 0
    for pattern in sorted(patterns):
        expected = _spans(re2.compile(pattern), text)
        assert _spans(re.compile(for_re(pattern), re.ASCII), text) == expected, pattern
        found += bool(expected)
    assert found > 60


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("b$", "a b\n"),
        ("(?m)b$", "b\nb\n"),
        ("(?m:b$)|c$", "b\nc\n"),
        (r"[\x{276f}%] \w", "\u276f a % ä"),
        (r"(a$)|[$]", "$ a\n"),
    ],
)
def test_what_re_takes_otherwise_is_translated(pattern, text):
    assert _spans(re.compile(for_re(pattern), re.ASCII), text) == _spans(re2.compile(pattern), text)


@pytest.mark.parametrize(
    ("pattern", "translated"),
    [
        (r"(?m:^a$)|b$", r"(?:(?<![^\n])a(?![^\n]))|b(?![\s\S])"),
        (r"(?i:a\d )c.", r"(?:[aA]\d )c[^\n]"),
        (r"[\s.]\S(x)", r"[\t\n\f\r .][^\t\n\f\r ](x)"),
    ],
)
def test_a_pattern_for_the_browser_has_no_flags_inside(pattern, translated):
    assert for_javascript(pattern) == translated


@pytest.mark.parametrize("pattern", [r"(?i:[ab])", r"\pL", r"(?P<name>a)", "[[:alpha:]]", r"(?U:a)"])
def test_what_is_not_translated_is_refused(pattern):
    with pytest.raises(NotTranslated):
        for_javascript(pattern)
