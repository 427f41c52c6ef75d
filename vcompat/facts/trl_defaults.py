"""Defaults of TRL's `GRPOConfig`, for each release.

The values are taken from the class in TRL's releases; a test compares this table with their source code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from packaging.version import Version

from vcompat.facts.value import FactValue

#: For each setting: the first release with a default and the default, oldest release first.
GRPO_DEFAULTS: Mapping[str, tuple[tuple[str, FactValue], ...]] = {
    "use_vllm": (("0.14.0", False),),
    "vllm_mode": (("0.18.0", "server"), ("1.0.0", "colocate")),
    "vllm_tensor_parallel_size": (("0.18.0", 1),),
    "vllm_gpu_memory_utilization": (("0.14.0", 0.9), ("0.16.0", None), ("0.18.0", 0.3)),
    "vllm_enable_sleep_mode": (("0.23.0", False),),
    "vllm_importance_sampling_correction": (("0.23.0", True),),
    "vllm_model_impl": (("0.21.0", "vllm"),),
    "vllm_max_model_length": (("0.26.0", None),),
    "max_prompt_length": (("0.14.0", 512), ("0.26.0", None)),
    "max_completion_length": (("0.14.0", 256), ("1.10.0", 512)),
    "vllm_guided_decoding_regex": (("0.16.0", None),),
    "vllm_structured_outputs_regex": (("0.27.0", None),),
    "use_transformers_paged": (("0.20.0", False),),
    "ds3_gather_for_generation": (("0.15.0", True),),
    "num_generations": (("0.14.0", 8),),
    "num_iterations": (("0.16.0", 1),),
    "gradient_checkpointing": (("0.14.0", False), ("0.22.0", True)),
    "use_cpu": (("0.14.0", False),),
    "eval_strategy": (("0.14.0", "no"),),
    "fp16": (("0.14.0", False),),
    "bf16": (("0.14.0", False), ("0.19.0", None)),
    "per_device_train_batch_size": (("0.14.0", 1), ("0.15.0", 8)),
    "gradient_accumulation_steps": (("0.14.0", 8), ("0.15.0", 1)),
    "steps_per_generation": (("0.18.0", None),),
    "generation_batch_size": (("0.18.0", None),),
}

#: Settings that have the same default in all of TRL's configuration classes with vLLM settings, in every release.
SHARED = frozenset("use_vllm vllm_mode vllm_tensor_parallel_size use_cpu".split())

#: Settings that were removed from `GRPOConfig`, with the first release without them.
REMOVED: Mapping[str, str] = {"vllm_guided_decoding_regex": "0.28.0", "max_prompt_length": "0.28.0"}


@lru_cache(maxsize=512)
def defaults_of(trl: Version, configuration: str = "GRPOConfig") -> tuple[tuple[str, FactValue], ...]:
    """Return the settings of `configuration` in release `trl` with their defaults.

    The value is None for a setting that this release does not have. For a class other than `GRPOConfig`, only the
    settings in SHARED are returned.
    """
    return tuple(_defaults_of(trl, configuration))


def _defaults_of(trl: Version, configuration: str) -> Iterator[tuple[str, FactValue]]:
    for setting, history in GRPO_DEFAULTS.items():
        if configuration != "GRPOConfig" and setting not in SHARED:
            continue
        gone = setting in REMOVED and trl >= Version(REMOVED[setting])
        values = [value for since, value in history if trl >= Version(since)]
        yield setting, values[-1] if values and not gone else None
