"""Reads calls of vLLM's `LLM`, `EngineArgs` and `AsyncEngineArgs` in scripts that create their own engine."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from vcompat.sources.plan.calls import Call, Setting
from vcompat.sources.plan.evaluator import Evaluator
from vcompat.sources.plan.reaching import Use
from vcompat.sources.plan.values import constant, unknown

ENGINES = ("LLM", "EngineArgs", "AsyncEngineArgs")

#: Arguments whose facts have other names.
_OTHER_NAMES = {"seed": "llm_seed"}
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
    "kv_cache_dtype": None,
    "speculative_config": False,
}


def engine_call(call: ast.Call, name: str, use: Use, evaluator: Evaluator) -> Call:
    """Return the settings of one call, by the names of their facts."""
    settings: dict[str, Setting] = {}
    open_ended = any(argument for argument in call.args if isinstance(argument, ast.Starred))
    if call.args and not open_ended:
        settings["model"] = Setting(evaluator.value(call.args[0], use), call.args[0])
    for entry in evaluator.entries(call, use):
        if entry.name is None:
            open_ended = True
        elif entry.name in _SETTINGS:
            values = evaluator.value(entry.node, entry.use)
            if entry.name == "speculative_config":
                # Rules depend on whether there is a draft model, not on which one it is.
                values = constant(values.candidates != (None,))
            if entry.optional:
                values = unknown("set only under a condition", values.candidates)
            settings[_OTHER_NAMES.get(entry.name, entry.name)] = Setting(values, entry.node)
    if not open_ended:
        for left_out, default in _DEFAULTS.items():
            settings.setdefault(_OTHER_NAMES.get(left_out, left_out), Setting(constant(default), call))
    return Call(name, call, settings, open_ended)
