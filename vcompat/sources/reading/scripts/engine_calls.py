"""Reads calls of vLLM's `LLM`, `EngineArgs` and `AsyncEngineArgs` in scripts that create their own engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import Const, Held, Table

#: Arguments whose facts have other names.
_OTHER_NAMES = {"seed": "llm_seed", "dtype": "engine_dtype"}
_SETTINGS = frozenset(
    "model tensor_parallel_size distributed_executor_backend seed enable_prefix_caching enable_chunked_prefill "
    "enable_sleep_mode max_model_len dtype quantization kv_cache_dtype speculative_config".split()
)
#: vLLM's defaults, except those that depend on the model.
_DEFAULTS: Mapping[str, Any] = {
    "tensor_parallel_size": 1,
    "distributed_executor_backend": None,
    "seed": None,
    "enable_prefix_caching": None,
    "enable_chunked_prefill": None,
    "enable_sleep_mode": False,
    "dtype": "auto",
    "kv_cache_dtype": None,
    "speculative_config": False,
}


def engine_settings(event: Event) -> dict[str, Held]:
    """Return the settings of one call, by the names of their facts."""
    settings: dict[str, Held] = {}
    for name, held in event.settings.items():
        if name not in _SETTINGS:
            continue
        if name == "speculative_config" and isinstance(held.value, Const | Table):
            # Rules depend on whether there is a draft model, not on which one it is.
            settings[name] = held._replace(
                value=Const(not isinstance(held.value, Const) or held.value.value is not None)
            )
            continue
        settings[_OTHER_NAMES.get(name, name)] = held
    if not event.why_open:
        for left_out, default in _DEFAULTS.items():
            settings.setdefault(_OTHER_NAMES.get(left_out, left_out), Held(Const(default), event.place))
    return settings
