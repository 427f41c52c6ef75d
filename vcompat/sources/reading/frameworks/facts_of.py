"""What is the same for all frameworks: facts about the program itself."""

from __future__ import annotations

from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.part import Mention, Part
from vcompat.sources.reading.settings import state

#: Environment variables that the code of a framework sets, whatever they were.
_SETS: Mapping[str, str] = {
    "ms-swift": "NCCL_CUMEM_ENABLE PYTORCH_CUDA_ALLOC_CONF TORCH_NCCL_AVOID_RECORD_STREAMS "
    "VLLM_ENGINE_ITERATION_TIMEOUT_S VLLM_WORKER_MULTIPROC_METHOD",
    "llama-factory": "PYTORCH_CUDA_ALLOC_CONF TORCH_NCCL_AVOID_RECORD_STREAMS VLLM_WORKER_MULTIPROC_METHOD",
    "axolotl": "NCCL_P2P_DISABLE",
    "verl": "CUDA_DEVICE_MAX_CONNECTIONS CUDA_MODULE_LOADING NCCL_CUMEM_ENABLE NCCL_DEBUG NCCL_DETERMINISTIC "
    "NCCL_NVLS_ENABLE TORCH_NCCL_AVOID_RECORD_STREAMS VLLM_ALLOW_RUNTIME_LORA_UPDATING VLLM_DISABLE_COMPILE_CACHE "
    "VLLM_LOGGING_LEVEL",
    "openrlhf": "NCCL_CUMEM_ENABLE NCCL_DEBUG VLLM_ALLOW_INSECURE_SERIALIZATION VLLM_ENABLE_V1_MULTIPROCESSING "
    "VLLM_USE_V1",
}
#: Those that it sets if they are not set.
_SETS_UNLESS_SET: Mapping[str, str] = {
    "ms-swift": "CUDA_DEVICE_MAX_CONNECTIONS VLLM_USE_V1",
    "axolotl": "PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF",
}


def facts_of(program: Program, runs_own_code: bool = False) -> Facts:
    """Return the facts of a framework's program. `runs_own_code`: it imports modules of the user, which may patch."""
    facts, place = Facts(), program.place
    state(facts, "plan.framework", program.framework, place)
    state(facts, "plan.notebook", False, place)
    for name in _SETS.get(program.framework, "").split():
        facts.forget(f"env.{name}", f"{program.framework} sets it for its processes", place)
    for name in _SETS_UNLESS_SET.get(program.framework, "").split():
        if program.invocation.environment.values.get(name) is None:
            facts.forget(f"env.{name}", f"{program.framework} sets it if it is not set", place)
    if runs_own_code:
        facts.forget("plan.patched", f"{place}: the program imports modules of the project", place)
    else:
        facts.set("plan.patched", (), f"{place} starts {program.framework}")
    for fact in ("plan.trainer", "plan.configuration", "plan.chat_template_ids", "plan.registers_models"):
        facts.forget(fact, f"{place}: {program.framework} has trainers of its own", place)
    return facts


def part_of(
    program: Program, facts: Facts, files: Files, presumed: Presumed = None, mentions: tuple[Mention, ...] = ()
) -> Part:
    """Return the part of a run that a framework's program states."""
    why = f"{program.place}: the defaults of {program.framework} are not recorded"
    presumes = tuple(presumed or ())
    return Part(
        facts, why_open=why, mentions=mentions, files=tuple(files.read), missing=tuple(files.missing), presumes=presumes
    )


def state_defaults(facts: Facts, program: Program, defaults: Mapping[str, object], presumed: Presumed) -> None:
    """Record defaults that all releases have since the framework reads the words as they are read here.

    They are presumed: the release is not known. `defaults` are values by fact. What is recorded already stays.
    """
    missing = {
        fact: value for fact, value in defaults.items() if facts.recorded(fact) is None and not facts.is_open(fact)
    }
    if presumed is None or not missing:
        return
    text = f"{program.framework} has the defaults of its recent releases"
    presumed.append(Presumption(RELEASE, text, program.place))
    for fact, value in missing.items():
        state(facts, fact, value, program.place, f"default of {program.framework}")
