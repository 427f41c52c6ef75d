"""Synchronize weights into vLLM after each level-2 sleep, in TRL 0.25.0 - 1.9.2, and in OnlineDPO from 0.28.0 on.

Why: with `vllm_enable_sleep_mode` TRL puts vLLM to sleep at level 2 after each generation, which discards the weights.
From 0.26.0 on it wakes vLLM with `collective_rpc("reload_weights")`, which reads the *initial checkpoint* from disk.
From 0.28.0 on the reload comes after the weight synchronization, so every rollout uses the initial weights: nothing
fails, but nothing is learned. In 0.25.0 - 0.27.2 each generation after the first within one step is affected
(evaluation, several generations per step, tool calls); 0.25 then generates from uninitialized memory. 0.28.0 also
writes the weights while vLLM is still asleep. OnlineDPOTrainer, which generates for each micro-batch, is affected in
every release from 0.28.0 on: all micro-batches of an accumulation but the first generate from uninitialized memory.
How: from 0.28.0 on, `generate` first synchronizes if vLLM has slept since the last synchronization, and the reload is
skipped. Before 0.28.0, every generation with sleep mode synchronizes. In 0.28.0, the weights are woken before they are
written.
Process: every rank.
Upstream: https://github.com/huggingface/trl/issues/5312, fixed by https://github.com/huggingface/trl/pull/5313. The
reload works around https://github.com/vllm-project/vllm/issues/29341.
Remove when: TRL below 1.10.0 is no longer supported, and OnlineDPOTrainer synchronizes after each sleep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_GENERATION = "trl.generation.vllm_generation"
_RELOAD = "collective_rpc('reload_weights')"
_SLEEP = "self.llm.sleep(level=2)"
_WAKE = "self.llm.wake_up(tags=['weights'])"


def _sleeps(generation: Any) -> bool:
    return generation.mode == "colocate" and bool(generation.enable_sleep_mode)


def _with_fresh_weights(generate: Callable[..., Any]) -> Callable[..., Any]:
    def generate_with_fresh_weights(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _sleeps(self):
            return generate(self, *args, **kwargs)
        if not getattr(self, "_vcompat_weights_are_fresh", False):
            self.sync_weights()
        self._vcompat_weights_are_fresh = False
        call = self.llm.collective_rpc

        def call_except_reload(method: Any, *args: Any, **kwargs: Any) -> Any:
            return [] if method == "reload_weights" else call(method, *args, **kwargs)

        self.llm.collective_rpc = call_except_reload
        try:
            return generate(self, *args, **kwargs)
        finally:
            del self.llm.collective_rpc

    return generate_with_fresh_weights


def _noting(sync: Callable[..., Any]) -> Callable[..., Any]:
    def sync_and_note(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = sync(self, *args, **kwargs)
        self._vcompat_weights_are_fresh = True
        return result

    return sync_and_note


def _waking_and_noting(sync: Callable[..., Any]) -> Callable[..., Any]:
    def sync_awake_and_note(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _sleeps(self):
            import torch

            torch.cuda.empty_cache()
            self.llm.wake_up(tags=["weights"])
        return _noting(sync)(self, *args, **kwargs)

    return sync_awake_and_note


def _synchronizing_always(generate: Callable[..., Any]) -> Callable[..., Any]:
    def generate_after_synchronizing(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.use_vllm and self.vllm_mode == "colocate" and self.args.vllm_enable_sleep_mode:
            self._last_loaded_step = -1
        return generate(self, *args, **kwargs)

    return generate_after_synchronizing


def _synchronizing_in_colocate(generate: Callable[..., Any]) -> Callable[..., Any]:
    def generate_after_synchronizing(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.args.vllm_enable_sleep_mode:
            self._last_loaded_step = -1
        return generate(self, *args, **kwargs)

    return generate_after_synchronizing


def _trainer(module: str, name: str) -> Change:
    method = f"{name}._generate_single_turn"
    return Change(
        module,
        method,
        Wrap(method, _synchronizing_always),
        shape=("self.use_vllm", "self.vllm_mode == 'colocate' and self.args.vllm_enable_sleep_mode"),
        has=(_WAKE, "if self.state.global_step != self._last_loaded_step:"),
    )


PATCH = Patch(
    id="trl_fresh_weights_after_sleep",
    title="Synchronize weights into vLLM after level-2 sleep",
    package="trl",
    process="every rank",
    changes=(
        Change(
            _GENERATION,
            "VLLMGeneration.generate",
            Wrap("VLLMGeneration.generate", _with_fresh_weights),
            shape=("self.mode == 'colocate' and self.enable_sleep_mode", _WAKE, _SLEEP),
            has=(_RELOAD,),
        ),
        Change(
            _GENERATION,
            "VLLMGeneration",
            Wrap("VLLMGeneration.sync_weights", _noting),
            shape=("def sync_weights(self)",),
            has=(_RELOAD, _WAKE + "\n        model = self.model"),
        ),
        Change(
            _GENERATION,
            "VLLMGeneration",
            Wrap("VLLMGeneration.sync_weights", _waking_and_noting),
            shape=("def sync_weights(self)",),
            has=(_RELOAD,),
            lacks=(_WAKE + "\n        model = self.model",),
        ),
        _trainer("trl.trainer.grpo_trainer", "GRPOTrainer"),
        _trainer("trl.trainer.rloo_trainer", "RLOOTrainer"),
        Change(
            "trl.experimental.online_dpo.online_dpo_trainer",
            "OnlineDPOTrainer._generate_vllm_colocate",
            Wrap("OnlineDPOTrainer._generate_vllm_colocate", _synchronizing_in_colocate),
            shape=("if self.args.vllm_enable_sleep_mode:", _SLEEP),
            has=(_WAKE, "if self.state.global_step != self._last_loaded_step:"),
        ),
    ),
)
