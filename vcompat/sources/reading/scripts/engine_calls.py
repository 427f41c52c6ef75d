"""Reads calls of vLLM's `LLM`, `EngineArgs` and `AsyncEngineArgs` in scripts that create their own engine."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from vcompat.sources.reading.python.values.abstract_run import reachable_births
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import ClassValue, Const, Held, Obj, Table, Value, is_none
from vcompat.sources.reading.scripts.executed import Executed, why_uncalled
from vcompat.sources.reading.scripts.script_configurations import Configured, shared
from vcompat.sources.reading.scripts.script_facts import ScriptFacts

#: A call that makes an engine of vLLM.
_ENGINE = re.compile(rb"\b(?:Async)?LLM(?:Engine)?\(")

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


def open_engine(facts: ScriptFacts, ran: Executed) -> None:
    """Leave open whether vLLM generates if the script makes an engine besides a trainer that gets none.

    Presumably, an engine that the trainer does not keep is used for something else, such as an evaluation.
    """
    fact = "plan.use_vllm"
    if not ran.trainers or facts.value(fact) is True or facts.is_open(fact):
        return
    trainers = [trainer.subject for trainer in ran.trainers if trainer.subject is not None]
    kept = set[int]().union(*map(reachable_births, trainers))
    engines = [e for e in ran.engines if not ran.presuming or getattr(e.subject, "birth", None) in kept]
    if engines:
        place = engines[0].place
        why = f"{place}: the script makes an engine of its own"
    elif not ran.presuming and any(_is_of_script(trainer) for trainer in trainers) and _may_make_engine(ran):
        place = ran.trainers[0].place
        why = f"{place}: the trainer is of a class of the script, which may make an engine"
    else:
        return
    facts.forget(fact, f"{why}; it may be True", place, (False, True))


def _is_of_script(trainer: Value) -> bool:
    return isinstance(trainer, Obj) and isinstance(trainer.kind, ClassValue)


def _may_make_engine(ran: Executed) -> bool:
    """Return whether a function of the script makes an engine, other than a constructor, which is followed."""
    for columns in ran.run.sources.values():
        if not _ENGINE.search(columns.source):
            continue
        try:
            tree = ast.parse(columns.source)
        except (SyntaxError, ValueError, RecursionError):
            return True
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        if any(_makes_engine(function) for function in functions if function.name != "__init__"):
            return True
    return False


def _makes_engine(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(_ENGINE.fullmatch(f"{ast.unparse(call.func)}(".rpartition(".")[2].encode()) for call in calls)
