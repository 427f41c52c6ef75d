"""Reads calls of vLLM's `LLM`, `EngineArgs` and `AsyncEngineArgs` in scripts that create their own engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import Const, Held, Table, is_none
from vcompat.sources.reading.scripts.executed import Executed, why_uncalled
from vcompat.sources.reading.scripts.script_configurations import Configured, shared
from vcompat.sources.reading.scripts.script_facts import ScriptFacts

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


def state_engines(facts: ScriptFacts, ran: Executed) -> None:
    """State the settings that all engines of the script share."""
    engines = [Configured(event.name, event.place, _engine_settings(event), event.why_open) for event in ran.engines]
    for name, held in shared(engines, "engine").items():
        facts.record(f"plan.{name}", held, why_uncalled(ran.engines))


def _engine_settings(event: Event) -> dict[str, Held]:
    """Return the settings of one call, by the names of their facts."""
    settings: dict[str, Held] = {}
    for name, held in event.settings.items():
        if name not in _SETTINGS:
            continue
        value = held.value
        if name == "speculative_config" and isinstance(value, Const | Table):
            # Rules depend on whether there is a draft model, not on which one it is.
            value = Const(not is_none(value))
        settings[_OTHER_NAMES.get(name, name)] = held._replace(value=value)
    if not event.why_open:
        for left_out, default in _DEFAULTS.items():
            settings.setdefault(_OTHER_NAMES.get(left_out, left_out), Held(Const(default), event.place))
    return settings
