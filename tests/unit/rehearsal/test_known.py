"""The rules judge a run again with the settings that its trainer really has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.unit.rehearsal.told import WELL, Process
from vcompat.evaluation.checking import judged
from vcompat.evaluation.config import Config
from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.explained import explained
from vcompat.rehearsal.known import KNOWN, facts_of, known_failures
from vcompat.rehearsal.protocol import Told
from vcompat.rehearsal.rehearsal_outcome import outcome_of
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Gathered, Sources, collect

RULES = load_rules()
#: A trainer's configuration has many more.
SLEEPS = {"num_generations": 4, "use_vllm": True, "vllm_mode": "colocate", "vllm_enable_sleep_mode": True}


def gathered(trl: str = "1.5.1", **more: str) -> Gathered:
    return collect(Sources(probe=False, settings={"packages.trl": trl, "packages.vllm": "0.20.2", **more}))


def told(share: float = 1e-6, **trainer: Any) -> Told:
    process = Process().generate(0, share=share).generate(1, share=share).end()
    stated = next(event for event in process.events if event.kind == "trainer")
    stated.values.update(trainer)
    return process.told()


def test_settings_that_only_the_trainer_knows_decide_rules() -> None:
    before = judged(RULES, facts_of([], gathered()), Config()).findings
    facts = facts_of([told(arguments=SLEEPS)], gathered())
    after = judged(RULES, facts, Config()).findings
    name = "sleep-mode-generates-with-first-checkpoint"
    assert name not in [one.rule.id for one in before if one.is_certain]
    assert name in [one.rule.id for one in after if one.is_certain]
    check = known_failures(after, "error", strict=False)
    assert (check.name, check.status) == (KNOWN, "failed")
    assert any(name in detail for detail in check.details)


def test_nothing_known_passes() -> None:
    facts = facts_of([told(arguments={**SLEEPS, "vllm_enable_sleep_mode": False})], gathered())
    findings = [one for one in judged(RULES, facts, Config()).findings if "plan." in str(one.because)]
    assert known_failures(findings, "error", strict=False).status == "passed"


def test_a_patch_that_was_applied_fixes_what_is_known() -> None:
    patched = collect(
        Sources(
            probe=False, settings={"packages.trl": "1.5.1", "packages.vllm": "0.20.2"},
            command=["python", "x.py"], patched=["trl_fresh_weights_after_sleep"],
        )
    )  # fmt: skip
    findings = judged(RULES, facts_of([told(arguments=SLEEPS)], patched), Config()).findings
    assert [one.fixed_by for one in findings if one.rule.id == "sleep-mode-generates-with-first-checkpoint"] == [
        "trl_fresh_weights_after_sleep"
    ]


def test_the_adapter_of_the_trainer_is_a_fact() -> None:
    stated = {"plan.peft": True, "plan.lora_rank": 8, "plan.lora_dropout": 0.1, "plan.loaded_in_bits": None}
    facts = facts_of([told(arguments=SLEEPS, facts=stated)], gathered())
    assert {name: facts.value(name) for name in stated} == stated


def test_the_data_type_of_the_engine_is_a_fact() -> None:
    assert facts_of([told()], gathered()).value("vllm.dtype") == "float32"


def test_wrong_weights_are_explained_by_the_facts_of_the_run(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text("")
    ranks = [told(share=0.9, arguments=SLEEPS)]
    facts = facts_of(ranks, gathered())
    findings = judged(RULES, facts, Config()).findings
    causes, _ = explained(outcome_of("python", ranks, WELL), str(log), facts, findings, RULES)
    assert ("sleep-mode-generates-with-first-checkpoint", "certain") in [(one.rule, one.certainty) for one in causes]


def test_the_log_of_a_crash_is_diagnosed_with_the_facts_of_the_run(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text("ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)\n")
    ranks = [told(arguments=SLEEPS)]
    outcome = outcome_of("python", ranks, Ended(1, 30.0, False, ()))
    causes, failure = explained(outcome, str(log), facts_of(ranks, gathered()), [], RULES)
    assert causes[0].rule == "tensor-parallel-size-does-not-divide-heads"
    assert failure.startswith("ValueError: Total number")


def test_an_adapter_that_the_script_only_may_use_is_no_fact() -> None:
    before = gathered(**{"plan.lora_rank": "4", "plan.lora_targets": "q_proj"})
    assert facts_of([told(arguments=SLEEPS)], before).value("plan.lora_rank") == 4
    facts = facts_of([told(arguments=SLEEPS, facts={"plan.peft": False})], before)
    assert [name for name in facts.known if name.startswith("plan.lora_")] == []
