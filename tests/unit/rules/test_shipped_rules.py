"""What holds of every rule that ships."""

from __future__ import annotations

from click import unstyle

from tests.each import each
from vcompat.patches import load_patches, patch_ids, patch_module
from vcompat.report.rules.explanation import explain
from vcompat.rules.database import load_rules
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Rule

RULES = load_rules()
each_rule = each(RULES, name=lambda rule: rule.id)


@each_rule
def test_it_says_what_to_do_and_how_that_is_known(rule: Rule) -> None:
    assert rule.fixes
    assert all(instruction(fix) for fix in rule.fixes)
    assert any(rule.evidence)


#: The effects of failures that print nothing.
_SILENT = ("silent-corruption", "degraded")


@each_rule
def test_it_says_what_a_log_shows_or_why_no_log_shows_it(rule: Rule) -> None:
    assert rule.symptoms or rule.no_symptoms or rule.effect in _SILENT


@each_rule
def test_it_names_patches_that_exist(rule: Rule) -> None:
    assert {fix.details["patch"] for fix in rule.fixes if fix.kind == "patch"} <= set(patch_ids())


@each_rule
def test_it_can_be_read_in_a_terminal(rule: Rule) -> None:
    text = unstyle(explain(rule, width=80))
    copied = {instruction(fix) for fix in rule.fixes}
    long_ones = [line for line in text.splitlines() if len(line) > 100]
    unbreakable = [line for line in long_ones if any(part in line for part in copied) or " " not in line[12:].strip()]
    assert rule.title in text
    assert [line for line in long_ones if line not in unbreakable and not line.startswith("  ")] == []


def test_each_patch_settles_a_failure() -> None:
    settled = {fix.details["patch"] for rule in RULES for fix in rule.fixes if fix.removes_failure}
    assert settled == set(patch_ids())


@each(load_patches(), name=lambda patch: patch.id)
def test_each_patch_says_why_how_where_and_for_how_long(patch: object) -> None:
    import importlib

    docstring = importlib.import_module(patch_module(patch.id)).__doc__ or ""  # type: ignore[attr-defined]
    for word in ("Why: ", "How: ", "Process: ", "Upstream: ", "Remove when: "):
        assert f"\n{word}" in docstring, word
