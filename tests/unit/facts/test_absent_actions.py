from __future__ import annotations

from tests.unit.facts_for_tests import facts
from vcompat.facts.absent_actions import set_absent


def test_what_a_script_that_was_read_does_not_do_is_false() -> None:
    known = facts(plan__patched="none", plan__chat_template_ids=None)
    set_absent(known)
    assert known.value("plan.notebook") is False
    assert known.get("plan.chat_template_ids") is None


def test_without_a_script_it_is_not_known() -> None:
    known = facts(plan__use_vllm="true")
    set_absent(known)
    assert known.get("plan.notebook") is None


def test_what_a_script_does_is_kept() -> None:
    known = facts(plan__patched="none", plan__notebook="true")
    set_absent(known)
    assert known.value("plan.notebook") is True
