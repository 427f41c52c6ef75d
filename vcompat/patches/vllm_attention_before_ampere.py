"""Disable prefix caching, chunked prefill and bfloat16 below compute capability 8.0, in vLLM up to 0.10.2.

Why: on such a GPU these releases run the V0 engine, whose prefix caching and chunked prefill use a Triton kernel
(`context_attention_fwd`). Compiling the kernel for compute capability 7.0 aborts the process: "mma -> mma layout
conversion is only supported on Ampere". There is no Python traceback and no exception to catch. Trainers use the
kernel implicitly: TRL 0.15 passes `enable_prefix_caching=True`, and vLLM enables chunked prefill by itself for models
of more than 32768 tokens. The same GPUs have no bfloat16; before 0.9.0 vLLM takes it from the model and then rejects
it.
How: wrap `EngineArgs.create_engine_config`. If the engine will be V0 and a GPU of this process is below 8.0, both
features are disabled and a bfloat16 model is configured as float16. V1, the default in 0.10.2, uses other kernels and
is not changed. (At 7.5 the kernel compiles for 16-bit models. This was not measured here, so 7.5 is treated like 7.0.)
Process: every vLLM process.
Upstream: https://github.com/huggingface/trl/issues/2798, https://github.com/vllm-project/vllm/issues/8024,
https://github.com/vllm-project/vllm/issues/13738.
Remove when: vLLM below 0.11.0 is no longer supported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

#: Below this compute capability, the features are disabled.
_AMPERE = (8, 0)


def _is_before_ampere() -> bool:
    """Whether a GPU that this process will use is below 8.0. vLLM asks NVML, which does not initialize CUDA."""
    from vllm.platforms import current_platform

    if not current_platform.is_cuda():
        return False
    local_rank = os.environ.get("LOCAL_RANK", "0")
    devices = {0, int(local_rank) if local_rank.isdecimal() else 0}
    capabilities = [current_platform.get_device_capability(device) for device in devices]
    return any(capability is not None and tuple(capability) < _AMPERE for capability in capabilities)


def _without(create: Callable[..., Any], runs_v0: Callable[[], bool]) -> Callable[..., Any]:
    def create_for_the_gpu(self: Any, *args: Any, **kwargs: Any) -> Any:
        before_ampere = runs_v0() and _is_before_ampere()
        if before_ampere:
            self.enable_prefix_caching = False
            self.enable_chunked_prefill = False
        config = create(self, *args, **kwargs)
        if before_ampere:
            _avoid_bfloat16(config.model_config)
        return config

    return create_for_the_gpu


def _avoid_bfloat16(model_config: Any) -> None:
    import torch

    if model_config.dtype is torch.bfloat16:
        model_config.dtype = torch.float16


def _v0_by_default(create: Callable[..., Any]) -> Callable[..., Any]:
    """Up to 0.7.3, V1 runs only if VLLM_USE_V1 requests it."""
    return _without(create, lambda: os.environ.get("VLLM_USE_V1", "0") == "0")


def _v0_by_fallback(create: Callable[..., Any]) -> Callable[..., Any]:
    """0.8.0 - 0.10.1.1 run V0 below 8.0; an explicit request for V1 is an error there."""
    return _without(create, lambda: os.environ.get("VLLM_USE_V1") != "1")


def _v0_on_request(create: Callable[..., Any]) -> Callable[..., Any]:
    """0.10.2 runs V1 below 8.0 too, unless VLLM_USE_V1 requests V0."""
    return _without(create, lambda: os.environ.get("VLLM_USE_V1") == "0")


_FALLBACK = "Compute Capability < 8.0"


def _change(make: Callable[..., Any], has: tuple[str, ...] = (), lacks: tuple[str, ...] = ()) -> Change:
    return Change(
        "vllm.engine.arg_utils",
        "EngineArgs",
        Wrap("EngineArgs.create_engine_config", make),
        shape=("def create_engine_config(self", "enable_prefix_caching=self.enable_prefix_caching"),
        has=("use_long_context = max_model_len > 32768", *has),
        lacks=lacks,
    )


PATCH = Patch(
    id="vllm_attention_before_ampere",
    title="Disable prefix caching, chunked prefill and bfloat16 below compute capability 8.0",
    package="vllm",
    process="every vLLM process",
    changes=(
        _change(_v0_by_default, lacks=("_is_v1_supported_oracle",)),
        _change(_v0_by_fallback, has=("_is_v1_supported_oracle", _FALLBACK)),
        _change(_v0_on_request, has=("_is_v1_supported_oracle",), lacks=(_FALLBACK,)),
    ),
)
