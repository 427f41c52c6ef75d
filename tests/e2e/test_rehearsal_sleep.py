"""`vcompat rehearse` with vLLM's real sleep mode over a stand-in for a GPU's memory, with real releases of TRL.

Also with adapters, whose frozen weights nobody but the synchronization brings back.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import SCRIPT, Stack
from tests.e2e.test_rehearsal import checks, rehearsed, slow
from tests.upstream.installed import installed

#: The patch without which the affected releases fail.
PATCH = "trl_fresh_weights_after_sleep"
UNPATCHED = ("--skip", PATCH)
#: Several generations in a step, and evaluations.
SEVERAL = "gradient_accumulation_steps=2, steps_per_generation=1,"
EVALUATES = 'eval_strategy="steps", eval_steps=1, per_device_eval_batch_size=4,'
PEFT = "peft==0.21.2"
ADAPTER = """
import functools, trl
from peft import LoraConfig
trl.GRPOTrainer = functools.partial(trl.GRPOTrainer, peft_config=LoraConfig(target_modules=["q_proj", "v_proj"]))
"""
#: Ways to break what sleeps, or an adapter.
WITHOUT_BUFFERS = """
from vllm.v1.worker.gpu_worker import Worker
wake_up = Worker.wake_up
def wake_up_without_buffers(self, tags=None):
    self._sleep_saved_buffers = {}
    wake_up(self, tags)
Worker.wake_up = wake_up_without_buffers
"""
ONLY_TRAINED = """
from trl.generation.vllm_generation import VLLMGeneration
names = VLLMGeneration._iter_named_params
VLLMGeneration._iter_named_params = lambda self: (
    one for one in names(self) if "q_proj" in one[0] or "v_proj" in one[0]
)
"""
MERGED_TWICE = """
from peft.tuners.lora.layer import Linear
def twice(how):
    def done(self, *args, **kwargs):
        before = list(self.merged_adapters)
        how(self, *args, **kwargs)
        self.merged_adapters[:] = before
        how(self, *args, **kwargs)
    return done
Linear.merge, Linear.unmerge = twice(Linear.merge), twice(Linear.unmerge)
"""
NOT_IN_EVALUATION = """
from trl.generation.vllm_generation import VLLMGeneration
sync = VLLMGeneration.sync_weights
VLLMGeneration.sync_weights = lambda self: sync(self) if self.model.training else None
"""


def script(settings: str = "", before: str = "", sleeps: bool = True) -> str:
    """The example with more settings, in sleep mode, with `before` as its first lines."""
    text = SCRIPT.read_text().replace('dtype="float32"', 'dtype="float32", num_gpu_blocks_override=64')
    if EVALUATES in settings:
        data = 'eval_dataset=Dataset.from_dict({"prompt": ["The quick brown"] * 4}),'
        text = text.replace("callbacks=[PrintSteps()],", f"callbacks=[PrintSteps()], {data}")
    if not sleeps:
        return before + text.replace("use_cpu=True,", f"use_cpu=True, {settings}")
    text = text.replace("use_cpu=True,", f"use_cpu=True, vllm_enable_sleep_mode=True, {settings}")
    return f"import tests.e2e.sleeping_cpu\n{before}{text}"


def before_028(text: str) -> str:
    """The same for TRL before 0.28.0."""
    module = "from trl.trainer import grpo_trainer as vllm_generation"
    return text.replace("from trl.generation import vllm_generation", module).replace("vllm_max_model_length=128,", "")


def causes(table: dict[str, Any]) -> list[tuple[str, str]]:
    return [(cause["rule"], cause["certainty"]) for cause in table["causes"]]


def assert_initial_weights_are_caught(stack: Stack, trl: str) -> None:
    code, table, printed = rehearsed(stack, script(), options=UNPATCHED, first=installed(f"trl=={trl}"))
    assert code == 1, printed
    found = checks(table)
    assert "in 3 of 3 generations" in found["weights"]["text"]
    assert found["parameters"]["text"].startswith(
        "none of 21 compared parameters arrives in vLLM, which has the weights of"
    )
    assert (found["weights"]["status"], found["sleep mode"]["status"]) == ("failed", "not exercised")
    assert ("sleep-mode-generates-with-first-checkpoint", "certain") in causes(table)


@pytest.mark.slow
def test_initial_weights_after_sleep_are_caught_in_an_affected_release_and_the_rule_is_named(stack: Stack) -> None:
    assert_initial_weights_are_caught(stack, "1.9.2")


@slow
@pytest.mark.parametrize("trl", ["0.28.0", "0.29.1"])
def test_initial_weights_after_sleep_are_caught_in_older_releases(stack: Stack, trl: str) -> None:
    assert_initial_weights_are_caught(stack, trl)


@slow
@pytest.mark.parametrize("trl", ["0.28.0", "0.29.1", "1.9.2"])
def test_an_affected_release_passes_with_the_patch(stack: Stack, trl: str) -> None:
    code, table, printed = rehearsed(stack, script(SEVERAL + EVALUATES), first=installed(f"trl=={trl}"))
    assert code == 0, printed
    assert PATCH in table["patches"]
    assert_all_pass(table)


@slow
def test_a_fixed_release_passes_with_sleep_several_generations_and_evaluations(stack: Stack) -> None:
    code, table, printed = rehearsed(stack, script(SEVERAL + EVALUATES))
    assert code == 0, printed
    assert_all_pass(table)


def assert_all_pass(table: dict[str, Any]) -> None:
    found = checks(table)
    names = ("weights", "parameters", "sleep mode", "second generation", "evaluation", "last step", "clean exit")
    assert {found[name]["status"] for name in names} == {"passed"}
    assert found["sleep mode"]["text"].startswith("level 2, ")


@slow
@pytest.mark.parametrize("settings", [SEVERAL, EVALUATES])
def test_a_second_generation_with_initial_weights_is_caught_in_an_affected_release(stack: Stack, settings: str) -> None:
    text = before_028(script(settings))
    code, table, printed = rehearsed(stack, text, options=UNPATCHED, first=installed("trl==0.27.2"))
    assert code == 1, printed
    found = checks(table)
    assert found["weights"]["details"][0] == "each that is not the first of its step, and no other"
    assert found["second generation"]["status"] == "failed"
    assert found["evaluation"]["status"] == ("failed" if settings == EVALUATES else "not exercised")
    assert ("second-generation-with-old-weights", "certain") in causes(table)


@slow
def test_a_second_generation_with_initial_weights_is_caught_in_a_release_that_keeps_no_probabilities(
    stack: Stack,
) -> None:
    text = before_028(script(SEVERAL))
    code, table, printed = rehearsed(stack, text, options=UNPATCHED, first=installed("trl==0.27.0"))
    assert code == 1, printed
    found = checks(table)
    assert (found["second generation"]["status"], found["weights"]["status"]) == ("failed", "not exercised")
    assert ("second-generation-with-old-weights", "certain") in causes(table)


@slow
def test_a_second_generation_passes_in_an_affected_release_with_the_patch(stack: Stack) -> None:
    text = before_028(script(SEVERAL + EVALUATES))
    code, table, printed = rehearsed(stack, text, first=installed("trl==0.27.2"))
    assert code == 0, printed
    assert_all_pass(table)


@slow
def test_an_evaluation_whose_weights_do_not_arrive_is_caught_and_named(stack: Stack) -> None:
    code, table, printed = rehearsed(stack, script(EVALUATES, NOT_IN_EVALUATION, sleeps=False))
    assert code == 1, printed
    found = checks(table)
    assert found["evaluation"]["status"] == "failed"
    assert "1 of 3 in training" in found["weights"]["details"][-1]


@slow
def test_buffers_that_sleep_loses_are_named(stack: Stack) -> None:
    code, table, printed = rehearsed(stack, script(before=WITHOUT_BUFFERS))
    assert code == 1, printed
    found = checks(table)
    assert (found["sleep mode"]["status"], found["weights"]["status"]) == ("failed", "failed")
    assert "buffers" in found["sleep mode"]["text"]
    assert found["parameters"]["status"] == "passed"


@slow
def test_frozen_weights_that_sleep_loses_are_named(stack: Stack) -> None:
    code, table, printed = rehearsed(stack, script(before=ADAPTER + ONLY_TRAINED), first=installed(PEFT))
    assert code == 1, printed
    found = checks(table)
    assert found["sleep mode"]["status"] == "failed"
    assert "model.embed_tokens.weight" in found["sleep mode"]["details"]


@slow
def test_an_adapter_passes_with_sleep_and_its_frozen_weights_are_kept(stack: Stack) -> None:
    code, table, printed = rehearsed(stack, script(before=ADAPTER), first=installed(PEFT))
    assert code == 0, printed
    assert "17 of 17 frozen parameters are as at the start" in checks(table)["sleep mode"]["text"]


@slow
def test_an_adapter_that_is_merged_twice_is_caught(stack: Stack) -> None:
    text = script(before=ADAPTER + MERGED_TWICE, sleeps=False)
    code, table, printed = rehearsed(stack, text, first=installed(PEFT))
    assert code == 1, printed
    found = checks(table)
    assert (found["weights"]["status"], found["parameters"]["status"]) == ("failed", "passed")
