"""verl: ``python -m verl.trainer.main_ppo a.b=c ...``, and its recipes.

Read in its source, releases 0.3 to 0.7. The words override whatever configuration Hydra composes, so that a value among
them counts; for other keys, the configuration in the project's folder does, if the project has verl's source.
`max_model_len` is likely at most, since the asynchronous server of 0.6 may replace it. `free_cache_engine` is left out,
since not every release has the engine's sleep mode depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import CALL, Presumption
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.configurations.hydra import compose_config
from vcompat.sources.reading.configurations.hydra_words import Override, parse_words
from vcompat.sources.reading.configurations.omegaconf_values import OPEN
from vcompat.sources.reading.frameworks.facts_of import facts_of, part_of, state_defaults
from vcompat.sources.reading.frameworks.framework_options import overrides_among
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import path_in

_ROLLOUT, _ACTOR, _MODEL = (f"actor_rollout_ref.{name}" for name in ("rollout", "actor", "model"))
_COMPLETIONS = f"{_ROLLOUT}.n"
_FACTS: Mapping[str, str] = {
    f"{_MODEL}.path": "plan.model",
    f"{_MODEL}.lora_rank": "plan.lora_rank",
    f"{_MODEL}.enable_gradient_checkpointing": "plan.gradient_checkpointing",
    _COMPLETIONS: "plan.num_generations",
    f"{_ROLLOUT}.temperature": "plan.temperature",
    f"{_ROLLOUT}.top_p": "plan.top_p",
    f"{_ROLLOUT}.top_k": "plan.top_k",
    f"{_ACTOR}.ppo_micro_batch_size_per_gpu": "plan.per_device_train_batch_size",
    "data.max_prompt_length": "plan.max_prompt_length",
    "data.max_response_length": "plan.max_completion_length",
    "trainer.nnodes": "plan.num_machines",
    "trainer.n_gpus_per_node": "plan.processes_per_machine",
}
#: Settings of vLLM's engine; other engines have settings of the same names.
_ENGINE: Mapping[str, str] = {
    f"{_ROLLOUT}.tensor_model_parallel_size": "plan.tensor_parallel_size",
    f"{_ROLLOUT}.gpu_memory_utilization": "plan.gpu_memory_utilization",
    f"{_ROLLOUT}.dtype": "plan.engine_dtype",
    f"{_ROLLOUT}.enable_prefix_caching": "plan.enable_prefix_caching",
    f"{_ROLLOUT}.enable_chunked_prefill": "plan.enable_chunked_prefill",
    f"{_ROLLOUT}.quantization": "plan.quantization",
}
#: Those that not every release of verl passes on.
_PERHAPS: Mapping[str, str] = {
    f"{_ROLLOUT}.max_model_len": "plan.max_model_len",
    f"{_ROLLOUT}.enable_sleep_mode": "plan.enable_sleep_mode",
}
#: Defaults of all releases.
_DEFAULTS: Mapping[str, object] = {
    "plan.engine_dtype": "bfloat16",
    "plan.gpu_memory_utilization": 0.5,
    "plan.tensor_parallel_size": 2,
}
_NAME = f"{_ROLLOUT}.name"
#: Keys with which it imports modules of the user.
_OWN_CODE = ("custom_reward_function", "external_lib", "custom_cls", "reward_manager", "agent_loop", "tool_config_path")


#: The folder of verl's configurations, where the project has verl's source, and the configuration of `main_ppo`.
_FOLDER, _CONFIG = "verl/trainer/config", "ppo_trainer"


class _Value(NamedTuple):
    """What the words, or the configuration, state for a key."""

    value: Any
    why_unknown: str = ""
    place: Place | None = None
    """The position in the configuration; None for the words."""


def read(program: Program, files: Files, presumed: Presumed) -> Part:
    """Return what the words of a program of verl state."""
    place = program.place
    program = program._replace(words=overrides_among(program.words, place, presumed))
    overrides = parse_words(program.words).overrides
    own_code = any(each is None or any(name in each.key for name in _OWN_CODE) for each in overrides)
    facts = facts_of(program, runs_own_code=own_code or "recipe" in program.command)
    stated = _of_folder(program, files) | _stated(overrides, "words that are not known may set it")
    _record(facts, stated, _FACTS, program)
    _engine(facts, stated, program, presumed)
    _processes(facts, program)
    facts.set("plan.deepspeed", None, f"{place}, verl does not use DeepSpeed", place)
    facts.set("plan.deepspeed_stage", 0, f"{place}, verl does not use DeepSpeed", place)
    if facts.value("plan.use_vllm") is True and program.command.endswith("main_ppo"):
        state_defaults(facts, program, _DEFAULTS, presumed)
    rank = facts.value("plan.lora_rank")
    if isinstance(rank, int):
        state(facts, "plan.peft", rank > 0, place)
    if not rank:
        facts.drop("plan.lora_rank")
    return part_of(program, facts, files, presumed)


def _engine(facts: Facts, stated: Mapping[str, _Value], program: Program, presumed: Presumed) -> None:
    """Record the engine, and its settings if it is vLLM."""
    engine, place = stated.get(_NAME), program.place
    if engine is None:
        return
    if not isinstance(engine.value, str):
        facts.forget("plan.use_vllm", f"{place}: {engine.why_unknown or 'the engine is not known'}", place)
        return
    state(facts, "plan.use_vllm", engine.value == "vllm", engine.place or place)
    if engine.value == "vllm":
        _record(facts, stated, _ENGINE, program)
        if presumed is not None:
            _presume_passed_on(facts, stated, program)


def _of_folder(program: Program, files: Files) -> dict[str, _Value]:
    """Return what the configuration has that verl composes, if the project has verl's source; else nothing."""
    if not program.command.endswith("verl.trainer.main_ppo"):
        return {}
    folder = _configurations(program, files)
    if not folder:
        return {}
    try:
        composed = compose_config(folder, _CONFIG, program.words)
    except InputError:
        return {}
    files.read.append(os.path.join(folder, f"{_CONFIG}.yaml"))
    values = {}
    for key in (*_FACTS, *_ENGINE, *_PERHAPS, _NAME):
        if key == _COMPLETIONS:
            # Forks count completions by a key of their own, and keep this one at its default.
            continue
        path = tuple(key.split("."))
        value, place = _at(composed.table, path), composed.places.get(path)
        if isinstance(value, str | int | float | bool) and value != "???" and place is not None:
            values[key] = _Value(value, place=place)
    return values


def _configurations(program: Program, files: Files) -> str:
    """Return the folder of verl's configurations: of the folder that the run starts in, or one of PYTHONPATH."""
    invocation, name = program.invocation, f"{_FOLDER}/{_CONFIG}.yaml"
    searched = invocation.environment.values.get("PYTHONPATH") or ""
    for folder in ("", *searched.split(":")):
        whole = path_in(folder, _FOLDER)
        path = files.locator.find(whole, program.place.path, invocation.folder) if isinstance(whole, str) else ""
        if path and os.path.isfile(os.path.join(path, f"{_CONFIG}.yaml")):
            return path
        if folder:
            least = name.count("/") + 1
            file = path_in(folder, name)
            path = files.locator.by_end(file, program.place.path, invocation.folder, program.place, least)
            if path:
                return os.path.dirname(path)
    return ""


def _at(table: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _stated(overrides: tuple[Override | None, ...], why: str) -> dict[str, _Value]:
    """Return the value of each key: of the last word that sets it, or a table around it."""
    stated: dict[str, _Value] = {}
    for each in overrides:
        if each is None:
            stated = {key: _Value(None, why) for key in (*_FACTS, *_ENGINE, *_PERHAPS, _NAME)}
            continue
        if each.package is not None or "/" in each.key:
            continue
        for key in [key for key in (*_FACTS, *_ENGINE, *_PERHAPS, _NAME) if key.startswith(f"{each.key}.")]:
            stated[key] = _Value(None, f"{each.key} is set as a whole")
        known = each.sign != "~" and each.value is not OPEN and "${" not in str(each.value)
        stated[each.key] = _Value(each.value) if known else _Value(None, "computed at run time")
    return stated


def _record(facts: Facts, stated: Mapping[str, _Value], names: Mapping[str, str], program: Program) -> None:
    for key, fact in names.items():
        setting = stated.get(key)
        if setting is None:
            continue
        if setting.why_unknown:
            facts.forget(fact, f"{program.place}: {setting.why_unknown}", program.place)
        else:
            state(facts, fact, setting.value, setting.place or program.place)


def _presume_passed_on(facts: Facts, stated: Mapping[str, _Value], program: Program) -> None:
    """State the settings that not every release passes on to vLLM, where the value is one."""
    for key, fact in _PERHAPS.items():
        setting = stated.get(key)
        if setting is None or setting.why_unknown or setting.value is None:
            continue
        # Each of these facts presumes it for itself.
        text = f"verl passes {key.rpartition('.')[2]} on to vLLM"
        place = setting.place or program.place
        facts.set(fact, setting.value, str(place), place, (Presumption(CALL, text, place),))


def _processes(facts: Facts, program: Program) -> None:
    """Record the workers, one for each GPU, which Ray starts. The program itself is one process."""
    place = program.place
    facts.set("plan.launcher", "ray", f"{place}, verl starts its workers by Ray", place)
    machines, each = facts.value("plan.num_machines"), facts.value("plan.processes_per_machine")
    if isinstance(machines, int) and isinstance(each, int):
        facts.set("plan.world_size", machines * each, f"{place}, trainer.nnodes x trainer.n_gpus_per_node", place)
    for fact in ("plan.num_machines", "plan.processes_per_machine", "plan.world_size"):
        if facts.get(fact) is None and not facts.is_open(fact):
            facts.forget(fact, f"{place}: the words do not state it", place)
    if facts.get("plan.world_size") is None:
        facts.forget("plan.world_size", f"{place}: nodes or GPUs are not known", place)
