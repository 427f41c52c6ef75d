"""``vcompat explain``: one rule with the releases that it affects."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_explained_in_the_width_of_a_narrow_terminal(rule: str) -> None:
    done = vcompat("explain", rule, COLUMNS="60")
    assert (done.code, done.stderr) == (0, "")
    assert RULES[rule].title in done.stdout
    for line in done.stdout.splitlines():
        if "░" in line or "█" in line:
            assert len(line) <= 60
