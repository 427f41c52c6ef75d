"""A fix takes the value nearest to the present one that all rules accept."""

from __future__ import annotations

from typing import Any

import pytest

from vcompat.evaluation import nearest
from vcompat.evaluation.evaluate import evaluate_runs
from vcompat.evaluation.nearest import with_values
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.value import parse_value
from vcompat.facts.vocabulary import spec_of
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule, parse_rule
from vcompat.sources.gather import RunFacts

DIVIDES = {"plan.world_size": {"not_multiple_of": "plan.vllm_tensor_parallel_size"}}


def rule(name: str, when: dict[str, Any], nearest: dict[str, Any] | None = None, setting: str = "") -> Rule:
    texts = {"title": name, "component": "trl", "effect": "crash", "severity": "error", "summary": name}
    fixes = [{"kind": "config", "setting": setting, "nearest": nearest}] if nearest else []
    lists = {"references": [], "fixes": fixes, "evidence": {"unmeasured": "made up"}}
    return parse_rule({"id": name, **texts, **lists, "when": when}, name, name)


def tensor_parallel(name: str = "a", when: dict[str, Any] = DIVIDES, most: object = "plan.world_size") -> Rule:
    return rule(name, when, {"least": 1, "most": most}, "vllm_tensor_parallel_size")


def values(rules: tuple[Rule, ...], *runs: dict[str, str]) -> dict[str, list[Any]]:
    """The values of each certain finding's fixes; each run has facts by name."""
    found = []
    for index, stated in enumerate(runs):
        facts = Facts()
        for name, text in stated.items():
            facts.set(name, parse_value(spec_of(name, "test"), text, "test"), "test")
        found.append(RunFacts(f"run {index}", "", facts, False))
    findings = evaluate_runs(rules, [(run.name, derive(run.facts)) for run in found])
    done = with_values(findings, rules, found)
    return {f.rule.id: [fix.details.get("value") for fix in f.fixes] for f in done}


def run(size: int, processes: int, **more: str) -> dict[str, str]:
    stated = {"plan.vllm_tensor_parallel_size": str(size), "plan.world_size": str(processes)}
    return {**stated, **{name.replace("__", "."): value for name, value in more.items()}}


@pytest.mark.parametrize(
    ("size", "processes", "nearest"), [(3, 8, 4), (5, 8, 4), (7, 8, 8), (16, 8, 8), (4, 6, 3), (2, 7, 1)]
)
def test_the_nearest_divisor_is_taken_and_of_two_the_larger(size: int, processes: int, nearest: int) -> None:
    assert values((tensor_parallel(),), run(size, processes)) == {"a": [nearest]}


def test_a_value_that_another_rule_rejects_is_not_taken() -> None:
    rules = (tensor_parallel(), rule("b", {"plan.vllm_tensor_parallel_size": 4}))
    assert values(rules, run(3, 8)) == {"a": [2]}


def test_a_value_that_fixes_two_findings_is_preferred() -> None:
    heads = tensor_parallel("b", {"plan.attention_heads": {"not_multiple_of": "plan.vllm_tensor_parallel_size"}})
    assert values((tensor_parallel(), heads), run(3, 8, plan__attention_heads="14")) == {"a": [2], "b": [2]}


def test_a_fix_without_an_accepted_value_is_left_out() -> None:
    rules = (tensor_parallel(), rule("b", {"plan.vllm_tensor_parallel_size": "!=3"}))
    assert values(rules, run(3, 8)) == {"a": []}


def test_a_possible_finding_gets_no_value() -> None:
    stated = run(3, 8)
    del stated["plan.world_size"]
    assert values((tensor_parallel(),), stated) == {"a": [None]}


def test_a_value_must_suit_all_runs_of_the_finding() -> None:
    assert values((tensor_parallel(),), run(3, 8), run(3, 2)) == {"a": [2]}
    assert values((tensor_parallel(),), run(3, 8), run(3, 3)) == {"a": [4]}
    assert values((tensor_parallel(),), run(3, 8), run(5, 8)) == {"a": []}


def test_a_bound_that_is_not_known_ends_the_search_at_the_present_value() -> None:
    assert values((tensor_parallel(most="plan.key_value_heads"),), run(3, 8)) == {"a": [2]}


@pytest.mark.parametrize(
    ("setting", "given"), [("num_generations", {"a": []}), ("vllm_tensor_parallel_size", {"a": [4]})]
)
def test_no_value_is_tried_of_a_setting_on_which_the_finding_does_not_depend(
    setting: str, given: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    counted = nearest._with
    monkeypatch.setattr(
        nearest, "_with", lambda runs, fact, value: [tried.append(value), *counted(runs, fact, value)][1:]
    )
    asked = rule("a", DIVIDES, {"least": 1, "most": 1024}, setting)
    assert values((asked,), run(3, 8, plan__num_generations="6")) == given
    assert bool(tried) == bool(given["a"])


def test_steps_may_be_fractions() -> None:
    share = rule(
        "a",
        {"plan.vllm_gpu_memory_utilization": ">0.61"},
        {"least": 0.05, "most": 0.95, "step": 0.05},
        "vllm_gpu_memory_utilization",
    )
    assert values((share,), {"plan.vllm_gpu_memory_utilization": "0.9"}) == {"a": [0.6]}


@pytest.mark.parametrize(
    ("nearest", "why"),
    [
        ({"least": 1}, "nearest: most: missing"),
        ({"least": 1, "most": "plan.vllm_mode"}, r"nearest\.most: 'plan\.vllm_mode'"),
        ({"least": 1, "most": "plan.nothing"}, "unknown fact"),
        ({"least": 1, "most": 2, "by": 1}, "unknown key"),
        ({"least": True, "most": 2}, "least"),
    ],
)
def test_a_malformed_range_is_reported(nearest: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        rule("a", DIVIDES, nearest, "vllm_tensor_parallel_size")
