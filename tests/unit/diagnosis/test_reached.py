"""How far a run has got, and whose trainer it has: what a diagnosis does not say of it then."""

from __future__ import annotations

import pytest

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.reached import has_trained, precedes_training
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule

RULES = {rule.id: rule for rule in load_rules()}
RELEASES = "trl==0.24.0\ntransformers==5.3.0\n"
HEAD = "Traceback (most recent call last):\n"
STEP = '  File "/opt/site-packages/trl/trainer/grpo_trainer.py", line 9, in compute_loss\n    loss = f()\n'
START = '  File "/opt/train.py", line 9, in main\n    trainer = make()\n'
UNSLOTH = '  File "/work/unsloth_compiled_cache/UnslothGRPOTrainer.py", line 9, in run\n    loss = f()\n'
VERL = '  File "/opt/verl/workers/fsdp_workers.py", line 9, in update\n    load()\n'


def applying(text: str) -> set[str]:
    return {finding.rule.id for finding in diagnose_text(text, RULES.values()).applying}


def test_a_failure_before_training_is_said_to_apply_only_to_a_run_that_has_not_trained() -> None:
    before = {"model-without-warnings-issued", "absent-packages-count-as-installed"}
    assert before <= applying(f"{RELEASES}{HEAD}{START}RuntimeError: odd\n")
    assert not before & applying(f"{RELEASES}{HEAD}{STEP}RuntimeError: odd\n")
    assert not before & applying(f"{RELEASES}RuntimeError: odd\nwhich is raised in compute_loss\n")


def test_a_failure_of_training_is_still_said_to_apply() -> None:
    rules = [make_rule(id="applies", when={"packages.trl": "<1"}, symptoms=[{"pattern": "shapes differ"}])]
    found = diagnose_text(f"{RELEASES}{HEAD}{STEP}RuntimeError: odd\n", rules)
    assert [finding.rule.id for finding in found.applying] == ["applies"]


@pytest.mark.parametrize(
    "text", [f"{HEAD}{UNSLOTH}RuntimeError: odd\n", f"unsloth==2026.3.4\n{HEAD}{START}OSError: odd\n"]
)
def test_what_trl_does_is_not_said_of_a_run_that_may_have_unsloths_trainer(text: str) -> None:
    assert "model-without-warnings-issued" not in applying(f"{RELEASES}{text}")


@pytest.mark.parametrize(
    ("line", "framework"),
    [
        ('  File "/work/unsloth_compiled_cache/unsloth_compiled_module_qwen3.py", line 9, in forward', "unsloth"),
        ("  File /opt/site-packages/unsloth/models/rl.py:9, in run", "unsloth"),
        ("at: x = y   unsloth_compiled_cache/unsloth_compiled_module_qwen3.py", "unsloth"),
        ("UnslothGRPOTrainer.compute_loss", "unsloth"),
        (VERL, "verl"),
        ('  File "/opt/openrlhf/trainer/ppo_utils/a.py", line 9, in run', "openrlhf"),
        ('  File "/opt/site-packages/swift/llm/train/rlhf.py", line 9, in run', "ms-swift"),
        ('  File "/home/me/verl/train.py", line 9, in run', None),
        ("pip install unsloth", None),
        ('  File "/opt/site-packages/trl/trainer/grpo_trainer.py", line 9, in run', None),
    ],
)
def test_code_of_a_framework_tells_whose_trainer_runs(line: str, framework: str | None) -> None:
    found = diagnose_text(f"{HEAD}{line}\n    f()\nRuntimeError: odd\n", RULES.values())
    assert found.facts.value("plan.framework") == framework


def test_a_rule_about_trl_is_no_cause_of_a_failure_in_verl() -> None:
    error = "KeyError: 'layers.0.self_attn.qkv_proj.base_layer.weight'\n"
    assert [one.rule.id for one in diagnose_text(f"{HEAD}{START}{error}", RULES.values()).causes] == [
        "adapter-names-reach-vllm"
    ]
    assert not diagnose_text(f"{HEAD}{VERL}{error}", RULES.values()).matches


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (RULES["model-without-warnings-issued"], True),
        (RULES["absent-packages-count-as-installed"], True),
        (RULES["guided-decoding-params-removed"], True),
        (RULES["adapter-names-reach-vllm"], False),
        (RULES["loss-ignores-temperature"], False),
        (make_rule(id="one", symptoms=[{"pattern": "No module named 'a'"}]), True),
        (make_rule(id="one", effect="hang", symptoms=[{"pattern": "No module named 'a'"}]), False),
    ],
)
def test_what_is_raised_at_import_or_by_a_constructor_precedes_training(rule: Rule, expected: bool) -> None:
    assert precedes_training(rule) is expected


def test_only_names_of_whole_functions_show_that_a_run_has_trained() -> None:
    assert has_trained([Line(1, "", "in _get_per_token_logps_and_entropies", "", "")])
    assert not has_trained([Line(1, "", "compute_losses, my_training_steps", "", "")])


def test_a_common_text_counts_only_where_what_it_needs_is_known_and_fits() -> None:
    symptom = {"pattern": "do not match", "only_where_known": ["packages.trl"]}
    rules = [make_rule(id="one", when={"packages.trl": "<1", "plan.use_vllm": True}, symptoms=[symptom])]
    shown = [
        [match.certainty for match in diagnose_text(f"{stated}ValueError: do not match\n", rules).matches]
        for stated in ("", "trl==0.9.0\n", "trl==1.0.0\n")
    ]
    assert shown == [[], ["possible"], []]
