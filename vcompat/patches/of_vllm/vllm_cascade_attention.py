"""Disable cascade attention where it runs on FlashAttention 2, in vLLM 0.7.0 - 0.17.1.

Why: when at least 8 running sequences share a prefix of 256 tokens or more, V1 computes the attention to the prefix and
to the rest separately and merges both by their log-sum-exp. With grouped-query attention, FlashAttention 2 returns a
wrong log-sum-exp for the rest if each sequence decodes one token. Up to 0.11.0 it transposes the result once too often
where it splits the keys. In all these releases, the result of a GPU with one key-value head is not contiguous, but the
merging kernel reads it as if it were (until 0.27.0). The completions are garbled without an error.
How: the model's configuration gets `disable_cascade_attn`, the default from 0.18.0 on. Up to 0.8.4, where not all
releases have the setting, `use_cascade_attention` of the FlashAttention backend returns False instead. Attention to
shared prefixes is then computed as for any other sequence. GPUs of compute capability 9.0 use FlashAttention 3, which
is not affected, and are not changed.
Process: every vLLM process.
Upstream: https://github.com/vllm-project/flash-attention/pull/87 (in 0.11.1),
https://github.com/vllm-project/vllm/pull/22003 (not merged), https://github.com/vllm-project/vllm/issues/22103.
Remove when: vLLM below 0.18.0 is no longer supported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _uses_flash_attention_2() -> bool:
    """Whether this process uses FlashAttention 2. vLLM asks NVML for the GPU, which does not initialize CUDA."""
    from vllm.platforms import current_platform

    if not current_platform.is_cuda():
        return False
    local_rank = os.environ.get("LOCAL_RANK", "0")
    capability = current_platform.get_device_capability(int(local_rank) if local_rank.isdecimal() else 0)
    if capability is None:
        return False
    major, _ = capability
    return major != 9 or os.environ.get("VLLM_FLASH_ATTN_VERSION") == "2"


def _disabling(initialize: Callable[..., Any]) -> Callable[..., Any]:
    def initialize_without_cascade(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = initialize(self, *args, **kwargs)
        if _uses_flash_attention_2():
            self.disable_cascade_attn = True
        return result

    return initialize_without_cascade


def _refusing(use_cascade_attention: Callable[..., bool]) -> Callable[..., bool]:
    affected: list[bool] = []

    def use_cascade_attention_unless_affected(*args: Any, **kwargs: Any) -> bool:
        if not affected:
            # Called in each step; the answer does not change.
            affected.append(_uses_flash_attention_2())
        return not affected[0] and use_cascade_attention(*args, **kwargs)

    return use_cascade_attention_unless_affected


def _of_configuration(module: str, method: str, default: str) -> Change:
    return Change(
        module,
        "ModelConfig",
        Wrap(f"ModelConfig.{method}", _disabling),
        shape=(f"def {method}(self",),
        has=(default,),
    )


PATCH = Patch(
    id="vllm_cascade_attention",
    title="Disable cascade attention with FlashAttention 2",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            "vllm.v1.attention.backends.flash_attn",
            "FlashAttentionBackend.use_cascade_attention",
            Wrap("FlashAttentionBackend.use_cascade_attention", _refusing),
            shape=("return use_cascade_attention(*args, **kwargs)",),
            has=("use_cascade_attention",),
        ),
        # The default of a parameter of `__init__`, then that of a field.
        _of_configuration("vllm.config", "__init__", "disable_cascade_attn: bool=False"),
        _of_configuration("vllm.config", "__post_init__", "disable_cascade_attn: bool = False"),
        _of_configuration("vllm.config.model", "__post_init__", "disable_cascade_attn: bool = False"),
    ),
)
