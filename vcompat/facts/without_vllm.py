"""Presumes that vLLM is not installed where a run does without it, and no file states it."""

from __future__ import annotations

from vcompat.facts.facts import Facts

_VLLM = "packages.vllm"
#: Facts of an engine that a script makes itself, or of a server.
_ENGINES = ("plan.fast_inference", "plan.engine_lora", "plan.llm_seed", "plan.gpu_memory_utilization")


def may_lack_vllm(facts: Facts) -> bool:
    """Return whether nothing states vLLM, and no code of the run imports it."""
    return (
        facts.get(_VLLM) is None
        and not facts.is_open(_VLLM)
        and not facts.is_open("packages")
        and all(used.package != "vllm" for used in facts.uses)
        and facts.value("plan.server_started") is not True
        and all(facts.value(name) in (None, False) and not facts.is_open(name) for name in _ENGINES)
    )


def presume_no_vllm(presumed: Facts, certain: Facts) -> None:
    """State in `presumed` that vLLM is not installed, if the trainer does not use it; `certain` has what follows.

    Whether it fails to be imported then makes no difference.
    """
    used = presumed.get("plan.use_vllm") or certain.get("plan.use_vllm")
    if used is None or used.value is not False or not may_lack_vllm(presumed):
        return
    # Imported here: without run files, nothing is presumed.
    from vcompat.facts.presumption import RELEASE, Presumption

    text = "vLLM is not installed, which the run does not use and no file states"
    presumes = (*used.presumes, Presumption(RELEASE, text))
    presumed.set(_VLLM, None, "the run does not use vLLM", used.place, presumes)
