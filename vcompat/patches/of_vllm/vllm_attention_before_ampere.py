"""Disable prefix caching, chunked prefill and bfloat16 below compute capability 8.0, in vLLM up to 0.10.2.

Why: on such a GPU these releases run the V0 engine, whose prefix caching and chunked prefill use a Triton kernel
(`context_attention_fwd`). Up to vLLM 0.8.5, Triton aborts the process when it compiles the kernel for 7.0: "mma -> mma
layout conversion is only supported on Ampere". In 0.9.0 - 0.10.1.1 it cannot compile it for 7.0 and 7.5. Nor can
Triton 3.3 for another release. For 7.5 and large heads (256; 128 in 0.10.2), the kernel wants more shared memory than
there is. Trainers use the kernel implicitly: TRL 0.15 passes `enable_prefix_caching=True`, and vLLM enables chunked
prefill by itself for models of more than 32768 tokens. The same GPUs have no bfloat16; before 0.9.0 vLLM takes it from
the model and then rejects it.
How: wrap `EngineArgs.create_engine_config`. If the engine will be V0 and the kernel fails on a GPU of this process,
both features are disabled. `evidence/kernels/prefix-prefill.toml` records where it fails in 16 bits; float32 is treated
alike. Below 8.0, a bfloat16 model is configured as float16. V1, the default in 0.10.2, uses other kernels and is not
changed.
Process: every vLLM process.
Upstream: https://github.com/huggingface/trl/issues/2798, https://github.com/vllm-project/vllm/issues/8024,
https://github.com/vllm-project/vllm/issues/13738.
Remove when: vLLM below 0.11.0 is no longer supported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

Capability = tuple[int, int]
#: Whether the kernel fails on a GPU, from its compute capability and the model's head size, 0 for all sizes.
Fails = Callable[[Capability, int], bool]
_TURING, _AMPERE = (7, 5), (8, 0)


def _capabilities() -> list[Capability]:
    """The capabilities below 8.0 of the GPUs that this process can use. vLLM asks NVML, which needs no CUDA."""
    from vllm.platforms import current_platform

    if not current_platform.is_cuda():
        return []
    local_rank = os.environ.get("LOCAL_RANK", "0")
    devices = {0, int(local_rank) if local_rank.isdecimal() else 0}
    found = [current_platform.get_device_capability(device) for device in devices]
    all_of_them = [(capability[0], capability[1]) for capability in found if capability is not None]
    return [capability for capability in all_of_them if capability < _AMPERE]


def _without(create: Callable[..., Any], runs_v0: Callable[[], bool], fails: Fails) -> Callable[..., Any]:
    def create_for_the_gpu(self: Any, *args: Any, **kwargs: Any) -> Any:
        older = _capabilities() if runs_v0() else []
        for_all_models = any(fails(capability, 0) for capability in older)
        if for_all_models:
            _disable(self)
        config = create(self, *args, **kwargs)
        # Only the configuration states the model's head size.
        if not for_all_models and any(fails(one, config.model_config.get_head_size()) for one in older):
            _disable(self)
            config = create(self, *args, **kwargs)
        if older:
            _avoid_bfloat16(config.model_config)
        return config

    return create_for_the_gpu


def _disable(arguments: Any) -> None:
    arguments.enable_prefix_caching = False
    arguments.enable_chunked_prefill = False


def _triton() -> tuple[int, ...]:
    """The installed Triton, such as (3, 3); empty without one. It can be another one than the release's torch pins."""
    try:
        return tuple(int(part) for part in version("triton").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return ()


def _up_to_0_8_5(capability: Capability, head_size: int) -> bool:
    # Its torch pins Triton 3.2 or an older one. Of newer ones, some fail for large heads only, which is not examined.
    return capability < _TURING or head_size > 128 or _triton() >= (3, 3)


def _in_0_9(capability: Capability, head_size: int) -> bool:
    return True


def _in_0_10_2(capability: Capability, head_size: int) -> bool:
    return (capability == _TURING and head_size > 64) or _triton() == (3, 3)


def _avoid_bfloat16(model_config: Any) -> None:
    import torch

    if model_config.dtype is torch.bfloat16:
        model_config.dtype = torch.float16


def _v0_by_default(create: Callable[..., Any]) -> Callable[..., Any]:
    """Up to 0.7.3, V1 runs only if VLLM_USE_V1 requests it."""
    return _without(create, lambda: os.environ.get("VLLM_USE_V1", "0") == "0", _up_to_0_8_5)


def _falls_back() -> bool:
    """0.8.0 - 0.10.1.1 run V0 below 8.0; an explicit request for V1 is an error there."""
    return os.environ.get("VLLM_USE_V1") != "1"


def _v0_by_fallback(create: Callable[..., Any]) -> Callable[..., Any]:
    """0.8.0 - 0.8.5."""
    return _without(create, _falls_back, _up_to_0_8_5)


def _v0_by_fallback_since_0_9(create: Callable[..., Any]) -> Callable[..., Any]:
    """0.9.0 - 0.10.1.1."""
    return _without(create, _falls_back, _in_0_9)


def _v0_on_request(create: Callable[..., Any]) -> Callable[..., Any]:
    """0.10.2 runs V1 below 8.0 too, unless VLLM_USE_V1 requests V0."""
    return _without(create, lambda: os.environ.get("VLLM_USE_V1") == "0", _in_0_10_2)


_FALLBACK = "Compute Capability < 8.0"
#: In 0.9.0 and later, whose Triton is 3.3 or newer.
_SINCE_0_9 = "enable_prompt_embeds: bool"


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
        _change(_v0_by_fallback, has=("_is_v1_supported_oracle", _FALLBACK), lacks=(_SINCE_0_9,)),
        _change(_v0_by_fallback_since_0_9, has=("_is_v1_supported_oracle", _FALLBACK, _SINCE_0_9)),
        _change(_v0_on_request, has=("_is_v1_supported_oracle",), lacks=(_FALLBACK,)),
    ),
)
