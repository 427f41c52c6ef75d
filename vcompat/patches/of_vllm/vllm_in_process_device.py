"""Keep vLLM on the GPU that TRL 0.14.0 - 0.15.2 assigns to it, and the trainer on its own.

Why: these TRL releases build the engine inside the first rank, with `device="cuda:N"` for a GPU that does not train.
vLLM up to 0.7.2 puts the model there but makes cuda:0 the current device, so tensors created on plain "cuda" are not
on the model's GPU: "Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cuda:0".
From 0.7.3 on vLLM selects the right device but leaves the *trainer* on it. The trainer's own tensors are then created
on the wrong GPU, or gathering its parameters hangs.
How: the executor's worker takes its device index from the configuration, as from 0.7.3 on. The engine is built, and
generates, with its own device as the current device. The trainer's device is current again afterwards.
Process: the first rank, where the engine runs.
Upstream: https://github.com/huggingface/trl/issues/2745, https://github.com/huggingface/trl/issues/2851,
https://github.com/huggingface/trl/issues/3008, https://github.com/vllm-project/vllm/pull/13027 (in 0.7.3).
Remove when: TRL below 0.16.0 is no longer supported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_ENGINE = "vllm.entrypoints.llm"


def _index(executor: Any) -> int | None:
    index = getattr(executor.device_config.device, "index", None)
    return index if isinstance(index, int) else None


def _with_device_index(init: Callable[..., None]) -> Callable[..., None]:
    """0.7.0 - 0.7.2: one executor class for all platforms, which passes the local rank to its worker in an RPC."""

    def init_executor(self: Any) -> None:
        index = _index(self)
        call = self.collective_rpc

        def call_with_rank(method: Any, *args: Any, **kwargs: Any) -> Any:
            if method == "init_worker" and index is not None:
                kwargs["args"][0][0]["local_rank"] = index
            return call(method, *args, **kwargs)

        self.collective_rpc = call_with_rank
        try:
            init(self)
        finally:
            del self.collective_rpc

    return init_executor


def _with_device_index_single_gpu(get: Callable[..., Any]) -> Callable[..., Any]:
    """Up to 0.6.6.post1: the executor for a single GPU, whose worker always gets local rank 0."""

    def get_worker_kwargs(self: Any, *args: Any, **kwargs: Any) -> Any:
        arguments = get(self, *args, **kwargs)
        index = _index(self)
        if index is not None:
            arguments["local_rank"] = index
        return arguments

    return get_worker_kwargs


def _restoring_the_trainers_device(init: Callable[..., None]) -> Callable[..., None]:
    def init_on_device(self: Any, *args: Any, **kwargs: Any) -> None:
        device = str(kwargs.get("device", ""))
        if not device.startswith("cuda:"):
            init(self, *args, **kwargs)
            return
        import torch

        before = torch.cuda.current_device()
        self._vcompat_device = torch.device(device)
        try:
            init(self, *args, **kwargs)
        finally:
            torch.cuda.set_device(before)

    return init_on_device


def _on_its_own_device(generate: Callable[..., Any]) -> Callable[..., Any]:
    def generate_on_device(self: Any, *args: Any, **kwargs: Any) -> Any:
        device = getattr(self, "_vcompat_device", None)
        if device is None:
            return generate(self, *args, **kwargs)
        import torch

        with torch.cuda.device(device):
            return generate(self, *args, **kwargs)

    return generate_on_device


def _vllm_is_missing() -> str:
    return "" if "vllm" in sys.modules else "TRL did not import vLLM"


def _engine(method: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Change:
    """A change of vLLM's `LLM` that applies if TRL's trainer builds it on a separate device."""
    return Change(
        "trl.trainer.grpo_trainer",
        "GRPOTrainer.__init__",
        Wrap(f"LLM.{method}", make, home=_ENGINE),
        shape=("LLM(",),
        has=("device=vllm_device",),
        unneeded=_vllm_is_missing,
    )


PATCH = Patch(
    id="vllm_in_process_device",
    title="Keep in-process vLLM and the trainer on separate GPUs",
    package="vllm",
    process="every rank",
    changes=(
        Change(
            "vllm.executor.uniproc_executor",
            "UniProcExecutor._init_executor",
            Wrap("UniProcExecutor._init_executor", _with_device_index),
            shape=("kwargs = dict(", "local_rank=local_rank", "self.collective_rpc('init_worker', args=([kwargs],))"),
            has=("local_rank = 0\n    rank = 0",),
        ),
        Change(
            "vllm.executor.gpu_executor",
            "GPUExecutor._get_worker_kwargs",
            Wrap("GPUExecutor._get_worker_kwargs", _with_device_index_single_gpu),
            shape=("local_rank=local_rank", "dict("),
            has=("local_rank: int=0",),
        ),
        _engine("__init__", _restoring_the_trainers_device),
        _engine("generate", _on_its_own_device),
    ),
)
