"""EasyR1, a fork of verl: ``python -m verl.trainer.main config=FILE.yaml worker.rollout.n=8 ...``.

The words replace keys of the file. Its engine is vLLM.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Place
from vcompat.sources.reading.configurations.hydra_words import parse_words
from vcompat.sources.reading.configurations.omegaconf_values import OPEN
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.frameworks.facts_of import facts_of, part_of, state_defaults
from vcompat.sources.reading.frameworks.framework_options import overrides_among
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.settings import state

_FACTS: Mapping[str, str] = {
    "worker.actor.model.model_path": "plan.model",
    "worker.rollout.n": "plan.num_generations",
    "worker.rollout.temperature": "plan.temperature",
    "worker.rollout.top_p": "plan.top_p",
    "worker.rollout.dtype": "plan.engine_dtype",
    "worker.rollout.gpu_memory_utilization": "plan.gpu_memory_utilization",
    "worker.rollout.tensor_parallel_size": "plan.tensor_parallel_size",
    "worker.rollout.enable_chunked_prefill": "plan.enable_chunked_prefill",
    "worker.actor.model.enable_gradient_checkpointing": "plan.gradient_checkpointing",
    "data.max_prompt_length": "plan.max_prompt_length",
    "data.max_response_length": "plan.max_completion_length",
    "trainer.nnodes": "plan.num_machines",
    "trainer.n_gpus_per_node": "plan.processes_per_machine",
}
_TYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


def read(program: Program, files: Files, presumed: Presumed) -> Part:
    """Return what the file and the words of EasyR1 state."""
    place = program.place
    program = program._replace(words=overrides_among(program.words, place, presumed))
    facts = facts_of(program, runs_own_code=True)
    facts.set("plan.launcher", "ray", f"{place}, EasyR1 starts its workers by Ray", place)
    facts.set("plan.use_vllm", True, f"{place}, EasyR1 generates with vLLM", place)
    for fact in ("plan.num_machines", "plan.processes_per_machine", "plan.world_size"):
        facts.forget(fact, f"{place}: it is not stated", place)
    for key, (value, at) in _stated(program, files).items():
        if value is OPEN or "${" in str(value):
            facts.forget(_FACTS[key], f"{place}: words that are not known may set it", place)
        elif value is not None:
            state(facts, _FACTS[key], _TYPES.get(str(value), value), at)
    machines, each = facts.value("plan.num_machines"), facts.value("plan.processes_per_machine")
    if isinstance(machines, int) and isinstance(each, int):
        facts.set("plan.world_size", machines * each, f"{place}, trainer.nnodes x trainer.n_gpus_per_node", place)
    state_defaults(facts, program, {"plan.engine_dtype": "bfloat16"}, presumed)
    return part_of(program, facts, files, presumed)


def _stated(program: Program, files: Files) -> dict[str, tuple[Any, Place]]:
    """Return the values of keys: of the file that a word names, replaced by those of the other words."""
    place = program.place
    words = [word for word in program.words if not word.startswith("config=")]
    named = [word.removeprefix("config=") for word in program.words if word.startswith("config=")]
    document = files.document(named[-1]) if named else None
    stated = _of_file(document) if document is not None else {}
    for override in parse_words(words).overrides:
        if override is None:
            stated = dict.fromkeys(_FACTS, (OPEN, place))
            continue
        for key in _FACTS:
            if key == override.key:
                stated[key] = (override.value, place)
            elif key.startswith(f"{override.key}."):
                stated[key] = (OPEN, place)
    return stated


def _of_file(document: Document) -> dict[str, tuple[Any, Place]]:
    found = {}
    for key in _FACTS:
        path = tuple(key.split("."))
        value = document.get(*path)
        if isinstance(value, str | int | float | bool):
            found[key] = (value, document.place(*path))
    return found
