"""With sleep mode, TRL's own generation code uses old weights; with the patch, it uses the trainer's weights.

`VLLMGeneration.generate` and `sync_weights`, and `_generate_single_turn` of the trainers before 0.28.0, are real. The
engine is a stand-in, because vLLM sleeps only on GPUs: it has one weight, which a level-2 sleep destroys, and its
completions contain that weight instead of tokens.
"""

from __future__ import annotations

import inspect
import json
import logging
import math
from collections.abc import Callable
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from packaging.version import Version

from vcompat.patches.of_trl.trl_fresh_weights_after_sleep import PATCH

CHECKPOINT, LOST, UNMAPPED = 0.0, -1.0, None
GENERATION = "trl.generation.vllm_generation"


class SleepingEngine:
    """The interface of vLLM's `LLM` that TRL uses, with a model of one weight."""

    def __init__(self) -> None:
        self.weight: float | None = CHECKPOINT
        model = SimpleNamespace(load_weights=self._load)
        runner = SimpleNamespace(model_runner=SimpleNamespace(model=model))
        self.llm_engine = SimpleNamespace(model_executor=SimpleNamespace(driver_worker=runner))

    def _load(self, named: list[tuple[str, torch.Tensor]]) -> None:
        if self.weight is not UNMAPPED:
            self.weight = named[0][1].item()

    def sleep(self, level: int) -> None:
        assert level == 2
        self.weight = UNMAPPED

    def wake_up(self, tags: list[str]) -> None:
        if "weights" in tags and self.weight is UNMAPPED:
            self.weight = LOST

    def collective_rpc(self, method: str) -> list[None]:
        assert method == "reload_weights"
        self.weight = CHECKPOINT
        return [None]

    def apply_model(self, function: Callable[[Any], Any]) -> list[Any]:
        return [function(self.llm_engine.model_executor.driver_worker.model_runner.model)]

    def reset_prefix_cache(self) -> None: ...

    def generate(self, prompts: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        completion = SimpleNamespace(token_ids=[self.weight], logprobs=[{0: SimpleNamespace(logprob=0.0)}])
        # OnlineDPO requests two completions of a prompt, the other trainers use the first.
        return [SimpleNamespace(prompt_token_ids=[1], outputs=[completion] * 2) for _ in prompts]


#: Names that TRL's files import, with values that are enough for a colocated generation.
NAMES: dict[str, Any] = {
    "GuidedDecodingParams": None,
    "SamplingParams": lambda **kwargs: kwargs,
    "StructuredOutputsParams": None,
    "Version": Version,
    "apply_chat_template": None,
    "empty_cache": lambda: None,
    "extract_logprobs": lambda outputs: (None, None),
    "is_conversational": lambda example: False,
    "is_peft_model": lambda model: False,
    "json": json,
    "logger": logging.getLogger("trl"),
    "math": math,
    "nullcontext": nullcontext,
    "prepare_multimodal_messages_vllm": lambda prompt: prompt,
    "profiling_context": lambda trainer, name: nullcontext(),
    "profiling_decorator": lambda function: function,
    "sanitize_logprob": lambda logprob: 0.0,
    "torch": torch,
    "vllm": SimpleNamespace(__version__="0.12.0"),
}
TRAINING = {
    "accelerator": SimpleNamespace(
        state=SimpleNamespace(deepspeed_plugin=None), is_main_process=True, process_index=0, device="cpu"
    ),
    "chat_template": None,
    "chat_template_kwargs": {},
    "generation_kwargs": {},
    "guided_decoding_regex": None,
    "is_fsdp_enabled": False,
    "logprobs": 0,
    "max_completion_length": 1,
    "max_prompt_length": None,
    "min_p": None,
    "processing_class": None,
    "repetition_penalty": 1.0,
    "rollout_func": None,
    "structured_outputs_regex": None,
    "temperature": 1.0,
    "tools": None,
    "top_k": None,
    "top_p": 1.0,
}


class OneWeight(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(CHECKPOINT))

    def step(self) -> float:
        """Take an optimizer step; return the new weight."""
        self.weight.data += 1.0
        return self.weight.item()


def made(module: ModuleType, class_name: str, **more: Any) -> Any:
    generation = getattr(module, class_name)()
    vars(generation).update(TRAINING, model=OneWeight(), llm=SleepingEngine(), **more)
    generation._dist = SimpleNamespace(is_fsdp=False, gather_params=lambda parameters: nullcontext())
    generation._fix_param_name_to_vllm = lambda name, **kwargs: name
    generation.llm.sleep(level=2)  # as TRL does after building the engine
    return generation


def generation_of(upstream_module: Callable[..., ModuleType], version: str, sleeps: bool = True) -> Any:
    methods = ("VLLMGeneration.generate", "VLLMGeneration.sync_weights", "VLLMGeneration._push_param_to_vllm")
    module = upstream_module("trl", version, GENERATION, methods, NAMES)
    settings = {"mode": "colocate", "enable_sleep_mode": sleeps, "tensor_parallel_size": 1}
    return made(module, "VLLMGeneration", **settings)


def rollout(generation: Any) -> float | None:
    """Generate; return the weight that the engine used."""
    prompts: list[Any] = [[1]]
    arguments = (prompts, None, 1) if "images" in inspect.signature(generation.generate).parameters else (prompts, 1)
    weight: float | None = generation.generate(*arguments)[1][0][0]
    return weight


AFFECTED = ["0.28.0", "0.29.0", "0.29.1", "1.0.0", "1.5.1", "1.6.0", "1.7.0", "1.9.2"]


@pytest.mark.parametrize("version", AFFECTED)
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_each_step_generates_with_the_trainers_weights_only_with_the_patch(
    version: str, patched: bool, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    generation = generation_of(upstream_module, version)
    if patched:
        assert outcome(PATCH) == "applied"
    for _ in range(3):
        current = generation.model.step()
        generation.sync_weights()
        assert rollout(generation) == (current if patched else CHECKPOINT)
    # Again within the step, as in evaluation and tool calls, without a synchronization.
    assert rollout(generation) == (current if patched else CHECKPOINT)


def test_other_rpc_calls_still_reach_the_engine(upstream_module: Callable[..., ModuleType], outcome: Any) -> None:
    generation = generation_of(upstream_module, "1.9.2")
    assert outcome(PATCH) == "applied"
    generation.sync_weights()
    rollout(generation)
    assert generation.llm.collective_rpc("reload_weights") == [None]


def test_without_sleep_mode_nothing_changes(upstream_module: Callable[..., ModuleType], outcome: Any) -> None:
    generation = generation_of(upstream_module, "1.9.2", sleeps=False)
    assert outcome(PATCH) == "applied"
    generation.llm.wake_up(["weights"])
    assert rollout(generation) == LOST, "only the trainer synchronizes"


def test_unpatch_restores_the_original_behavior(upstream_module: Callable[..., ModuleType], engine_of: Any) -> None:
    generation = generation_of(upstream_module, "1.9.2")
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    engine.unpatch()
    generation.model.step()
    generation.sync_weights()
    assert rollout(generation) == CHECKPOINT


@pytest.mark.parametrize("version", ["1.10.0", "1.16.0"])
def test_fixed_releases_are_not_patched(version: str, upstream_module: Callable[..., ModuleType], outcome: Any) -> None:
    generation_of(upstream_module, version)
    assert outcome(PATCH) == "not needed"


TRAINERS = {"GRPOTrainer": "trl.trainer.grpo_trainer", "RLOOTrainer": "trl.trainer.rloo_trainer"}


def trainer_of(upstream_module: Callable[..., ModuleType], version: str, name: str) -> Any:
    methods = (f"{name}._generate_single_turn", f"{name}._move_model_to_vllm")
    module = upstream_module("trl", version, TRAINERS[name], methods, NAMES)
    trainer = made(module, name, use_vllm=True, vllm_mode="colocate", vllm_tensor_parallel_size=1, _last_loaded_step=-1)
    trainer.args = SimpleNamespace(vllm_enable_sleep_mode=True, generation_kwargs=None)
    trainer.state = SimpleNamespace(global_step=0)
    return trainer


@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize(("version", "instead"), [("0.25.0", LOST), ("0.26.2", CHECKPOINT), ("0.27.2", CHECKPOINT)])
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_a_second_generation_within_a_step_has_the_trainers_weights_only_with_the_patch(
    name: str, version: str, instead: float, patched: bool, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    trainer = trainer_of(upstream_module, version, name)
    if patched:
        assert outcome(PATCH) == "applied"
    for step in range(1, 3):
        trainer.state.global_step = step
        current = trainer.model.step()
        assert trainer._generate_single_turn(["a"])[1][0][0] == current
        assert trainer._generate_single_turn(["a"])[1][0][0] == (current if patched else instead)


@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize("version", ["0.24.0", "0.28.0"])
def test_trainers_of_other_releases_are_not_patched(
    name: str, version: str, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    upstream_module("trl", version, TRAINERS[name], (f"{name}._generate_single_turn",), NAMES)
    assert outcome(PATCH) == "not needed"


ONLINE_DPO = "trl.experimental.online_dpo.online_dpo_trainer"


def online_dpo_of(upstream_module: Callable[..., ModuleType], version: str) -> Any:
    names = ("_generate_vllm_colocate", "_move_model_to_vllm", "_move_model_to_vllm_inner")
    methods = tuple(f"OnlineDPOTrainer.{name}" for name in names)
    module = upstream_module("trl", version, ONLINE_DPO, methods, NAMES)
    trainer = made(module, "OnlineDPOTrainer", vllm_mode="colocate", generation_config=None, _last_loaded_step=-1)
    trainer.args = SimpleNamespace(vllm_enable_sleep_mode=True)
    trainer.state = SimpleNamespace(global_step=0)
    return trainer


@pytest.mark.parametrize("version", ["0.28.0", "1.6.0", "1.16.0"])
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_online_dpo_uses_the_trainers_weights_in_each_micro_batch_only_with_the_patch(
    version: str, patched: bool, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    trainer = online_dpo_of(upstream_module, version)
    if patched:
        assert outcome(PATCH) == "applied"
    for step in range(1, 3):
        trainer.state.global_step = step
        current = trainer.model.step()
        assert trainer._generate_vllm_colocate(["a"])[0][0][0] == current
        assert trainer._generate_vllm_colocate(["a"])[0][0][0] == (current if patched else LOST)
