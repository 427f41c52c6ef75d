"""What rules claim about names at weight synchronization, compared with the record of what real models did."""

from __future__ import annotations

import functools
import re

import pytest
from packaging.version import Version

from tests.upstream.weight_names.record import SKIPPED, UNKNOWN, WHOLE, Pair, load
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.rules.database import load_rules

RULES = [rule for rule in load_rules() if "weight_names" in rule.evidence.in_records]
RECORD = load()
#: Models that no fact distinguishes from affected ones, and one that vLLM 0.24.0 loads from no checkpoint either.
LEFT_OUT = {"GraniteMoeHybridForCausalLM:dense"}
NOT_LOADED = {("0.24.0", "GptOssForCausalLM")}


def is_left_out(pair: Pair, model: str, outcome: str) -> bool:
    """Whether no rule is expected to know what happened."""
    return outcome.startswith(UNKNOWN) or model in LEFT_OUT or (pair.vllm, model) in NOT_LOADED


@functools.cache
def found(pair: Pair, model: str, framework: str = "trl", implementation: str = "vllm") -> tuple[str, ...]:
    """The rules that are certain for a colocated run with this pair and model."""
    facts = Facts()
    for name, value in {
        "packages.vllm": Version(pair.vllm),
        "packages.transformers": Version(pair.transformers),
        "packages.trl": Version("1.16.0"),
        "plan.use_vllm": True,
        "plan.trainer": "GRPOTrainer",
        "plan.model": "model",
        "plan.model_ties_embeddings": False,
        "plan.vllm_model_impl": implementation,
        "plan.framework": framework,
        "plan.model_architecture": model.partition(":")[0],
    }.items():
        facts.set(name, value, "test")  # type: ignore[arg-type]
    return tuple(finding.rule.id for finding in evaluate(RULES, derive(facts)) if finding.is_certain)


@pytest.mark.parametrize("pair", RECORD, ids=":".join)
def test_rules_apply_to_exactly_the_models_that_are_not_whole(pair: Pair) -> None:
    happened = {model: outcome for model, outcome in RECORD[pair].items() if not is_left_out(pair, model, outcome)}
    failing = {model for model, outcome in happened.items() if outcome != WHOLE}
    assert {model: found(pair, model) for model in happened if found(pair, model)}.keys() == failing
    assert all(len(found(pair, model)) == 1 for model in failing)


@pytest.mark.parametrize("pair", RECORD, ids=":".join)
def test_no_rule_applies_to_transformers_own_model_in_vllm_or_where_unsloth_shares_the_weights(pair: Pair) -> None:
    for model in RECORD[pair]:
        assert found(pair, model, implementation="transformers") == ()
        assert found(pair, model, framework="unsloth") == ()


@pytest.mark.parametrize("pair", RECORD, ids=":".join)
def test_a_rule_recognizes_the_recorded_error(pair: Pair) -> None:
    by_name = {rule.id: rule for rule in RULES}
    for model, outcome in RECORD[pair].items():
        if outcome == WHOLE or is_left_out(pair, model, outcome):
            continue
        (name,) = found(pair, model)
        rule = by_name[name]
        if outcome.startswith(SKIPPED):
            assert rule.effect == "silent-corruption"
        else:
            assert any(re.search(symptom.pattern, outcome) for symptom in rule.symptoms if symptom.pattern), (
                name,
                outcome,
            )
