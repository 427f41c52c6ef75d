"""``vcompat explain``: one rule with the releases that it affects."""

from __future__ import annotations

import re

import pytest

from tests.each import each
from tests.unit.cli.command_line import vcompat
from vcompat.rules.database import load_rules
from vcompat.rules.instruction import instruction

RULES = {rule.id: rule for rule in load_rules(thorough=False)}


def test_a_rule_is_explained_with_releases_fixes_and_references() -> None:
    rule = RULES["sleep-level-2-loses-buffers"]
    done = vcompat("explain", rule.id)
    assert (done.code, done.stderr) == (0, "")
    first, second, *rest = done.stdout.splitlines()
    assert first == f"{rule.severity}: {rule.title}"
    assert second.startswith(f"{rule.id} (vllm): silently trains on wrong data")
    assert "versions   vllm 0.7.0 - 0.8.4 affected, of " in done.stdout
    assert any("░" in line and "█" in line for line in rest)
    assert all(instruction(fix) in done.stdout for fix in rule.fixes)
    assert all(address in done.stdout for address in rule.references)
    assert "measured" in done.stdout


@each(RULES)
def test_every_rule_is_explained_in_the_width_of_a_narrow_terminal(rule: str) -> None:
    done = vcompat("explain", rule, COLUMNS="60")
    assert (done.code, done.stderr) == (0, "")
    assert RULES[rule].title in done.stdout
    for line in done.stdout.splitlines():
        if "░" in line or "█" in line:
            assert len(line) <= 60


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("sleep-mode", "sleep-mode-generates-with-first-checkpoint"),
        ("Trying to free a pointer", "sleep-crashes-at-exit"),
        ("level 2 sleep buffers", "sleep-level-2-loses-buffers"),
    ],
)
def test_words_that_are_no_id_lead_to_the_nearest_rules(words: str, rule: str) -> None:
    done = vcompat("explain", words, COLUMNS="200")
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == f"vcompat: there is no rule '{words}'. The nearest ones:"
    listed = re.findall(r"^  ([a-z0-9-]+): ", done.stderr, re.MULTILINE)
    assert rule in listed and len(listed) <= 5
    text = " ".join(done.stderr.split())
    assert all(f"{name}: {RULES[name].title}" in text for name in listed)


@pytest.mark.parametrize("words", ["zebra-crossing-xyzzy", "", "\x1b[31m"])
def test_words_that_no_rule_has_are_refused_in_one_line(words: str) -> None:
    done = vcompat("explain", words)
    assert (done.code, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) <= 2 and "Traceback" not in done.stderr and "\x1b" not in done.stderr
