"""Fixes that the run has already got are left out; those of what a run file sets name the line."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.fitting import fitting
from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import parse_value
from vcompat.facts.vocabulary import spec_of
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import parse_rule

ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"


def instructions(fix: dict[str, Any], **stated: tuple[str, int]) -> list[str]:
    """The instructions of a finding with one fix; each fact has a value and the line of the script that states it."""
    texts = {"title": "a", "component": "trl", "effect": "crash", "severity": "error", "summary": "a"}
    when = {"packages.trl": ">=0.1"}
    lists = {"references": [], "fixes": [fix], "evidence": {"unmeasured": "made up"}}
    rule = parse_rule({"id": "a", **texts, **lists, "when": when}, "a", "a")
    facts = Facts()
    for key, (text, line) in {"packages__trl": ("1.0", 0), **stated}.items():
        name = key.replace("__", ".")
        place = Place("train.py", line, 1) if line else None
        facts.set(name, parse_value(spec_of(name, "test"), text, "test"), "test", place)
    (finding,) = evaluate([rule], facts)
    return [instruction(one) for one in finding.fixes]


@pytest.mark.parametrize(
    ("fix", "fact", "done", "otherwise"),
    [
        ({"kind": "config", "setting": "vllm_mode", "value": "server"}, "plan__vllm_mode", "server", "colocate"),
        ({"kind": "config", "setting": "fp16", "value": True}, "plan__fp16", "true", "false"),
        ({"kind": "env", "variable": "VLLM_USE_V1", "value": "0"}, "env__VLLM_USE_V1", "0", "1"),
        ({"kind": "env", "variable": "VLLM_USE_V1", "unset": True}, "env__VLLM_USE_V1", "none", "1"),
        ({"kind": "version", "package": "vllm", "range": ">=0.9"}, "packages__vllm", "0.10.0", "0.8.0"),
        ({"kind": "patch", "patch": "a_patch", "warns": True}, "plan__patched", "a_patch", "another"),
    ],
)
def test_advice_does_not_repeat_what_the_run_does(fix: dict[str, Any], fact: str, done: str, otherwise: str) -> None:
    assert instructions(fix, **{fact: (done, 0)}) == []
    assert len(instructions(fix, **{fact: (otherwise, 0)})) == 1
    assert len(instructions(fix)) == 1


@pytest.mark.parametrize(
    ("keys", "unknown", "in_script"),
    [
        ({"unset": True}, f"unset {ALLOCATOR}", f"remove {ALLOCATOR} in train.py:3:1"),
        ({"unset": True, "item": "e"}, f"unset {ALLOCATOR}, or remove e from it", f"remove e from {ALLOCATOR} in train.py:3:1"),
        ({"value": "b"}, f"export {ALLOCATOR}=b", f"set {ALLOCATOR}=b in train.py:3:1"),
    ],
)  # fmt: skip
def test_the_advice_for_a_variable_names_the_line_that_sets_it(
    keys: dict[str, Any], unknown: str, in_script: str
) -> None:
    fix = {"kind": "env", "variable": ALLOCATOR, **keys}
    assert instructions(fix) == [unknown]
    assert instructions(fix, **{f"env__{ALLOCATOR}": ("a", 3)}) == [in_script]


def test_a_call_of_patch_that_leaves_the_patch_out_is_named() -> None:
    fix = {"kind": "patch", "patch": "a_patch"}
    assert instructions(fix, plan__patched=("another", 1)) == ["let vcompat.patch() in train.py:1:1 apply a_patch"]
    assert instructions(fix)[0].startswith("import vcompat; vcompat.patch()")


def advised(fix: dict[str, Any], framework: str) -> list[str]:
    """The instructions of a rule about vLLM with one fix, in a run that the launch script starts with `framework`."""
    texts = {"title": "a", "component": "vllm", "effect": "crash", "severity": "error", "summary": "a"}
    lists = {"references": [], "fixes": [fix], "evidence": {"unmeasured": "made up"}}
    rule = parse_rule({"id": "a", **texts, **lists, "when": {"packages.vllm": ">=0.1"}}, "a", "a")
    facts = Facts()
    facts.set("plan.framework", framework, "test", Place("run.sh", 2, 1))
    facts.set("plan.patched", (), "test", Place("run.sh", 2, 1))
    return [instruction(one) for one in fitting(rule, facts)]


@pytest.mark.parametrize(
    ("framework", "expected"),
    [
        ("trl", "let vcompat.patch() in run.sh:2:1 apply a_patch"),
        ("unsloth", "let vcompat.patch() in run.sh:2:1 apply a_patch"),
        ("ms-swift", "vcompat run -- <command>  # applies a_patch in every process"),
        ("verl", "vcompat run -- <command>  # applies a_patch in every process"),
    ],
)
def test_a_program_of_a_framework_gets_patches_by_its_command(framework: str, expected: str) -> None:
    assert advised({"kind": "patch", "patch": "a_patch"}, framework) == [expected]


@pytest.mark.parametrize(("framework", "is_named"), [("trl", True), ("ms-swift", True), ("verl", False)])
def test_a_setting_is_advised_only_where_the_framework_has_it(framework: str, is_named: bool) -> None:
    fix = {"kind": "config", "setting": "vllm_mode", "value": "server"}
    assert bool(advised(fix, framework)) is is_named
    assert advised({**fix, "where": "LLM"}, framework)


@pytest.mark.parametrize(
    ("releases", "python", "noted"),
    [
        (">=0.32.0", "3.10", True),
        (">=0.32.0", "3.12", False),
        (">=0.31.0", "3.10.4", False),
        ("<0.0.1", "3.10", False),
    ],
)
def test_a_release_that_does_not_support_the_python_in_use_says_so(releases: str, python: str, noted: bool) -> None:
    facts = Facts()
    facts.set("host.python", Version(python), "test")
    texts = {"title": "a", "component": "vllm", "effect": "crash", "severity": "error", "summary": "a"}
    lists = {"references": [], "evidence": {"unmeasured": "made up"}}
    fixes = [{"kind": "version", "package": "vllm", "range": releases, "note": "As a wheel."}]
    rule = parse_rule({"id": "a", **texts, **lists, "fixes": fixes, "when": {"packages.vllm": ">=0.1"}}, "a", "a")
    (fix,) = fitting(rule, facts)
    assert fix.note == ("As a wheel. Requires Python >=3.11,<3.15; this run has 3.10." if noted else "As a wheel.")
