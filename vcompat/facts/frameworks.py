"""The frameworks whose trainer a run can have: the values of the fact ``plan.framework``, and what follows from them.

A run of which nothing is recorded has TRL's own trainer.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.place import Place
from vcompat.facts.value import FactValue

TRL, UNSLOTH = "trl", "unsloth"
FRAMEWORKS = (TRL, UNSLOTH, "ms-swift", "llama-factory", "axolotl", "verl", "openrlhf")

#: The launchers that start a script in one process.
_ONE_PROCESS = frozenset({"python", "modal"})
#: The frameworks that run TRL's own trainers. The others replace their code, or have trainers of their own.
_RUN_TRLS_TRAINERS = frozenset({TRL})
#: The frameworks whose own programs train, so that there is no training script.
HAVE_PROGRAMS = frozenset(FRAMEWORKS) - {TRL, UNSLOTH}
#: Those that use nothing of TRL's trainers.
WITHOUT_TRL = frozenset({"verl", "openrlhf"})
#: Those whose settings have other names than those of GRPOConfig.
NAME_OTHERWISE = frozenset({"llama-factory", "verl", "openrlhf"})
#: The least compute capability for which unsloth uses vLLM, and that of the GPU (GB10) for which it does not, either.
_LEAST, _NOT_YET = Version("7.0"), Version("12.1")
#: The first release of unsloth whose GRPOConfig has colocate as the default of vllm_mode.
_COLOCATES = Version("2025.5.8")


def replaces_trl(facts: Facts) -> bool:
    """Return whether the trainer of another framework runs, or may run, where TRL's would.

    TRL's defaults, its engine and its failures then say nothing about the run.
    """
    return facts.value("plan.framework", TRL) not in _RUN_TRLS_TRAINERS or facts.is_open("plan.framework")


def set_unsloth(facts: Facts, takes_defaults: bool) -> None:
    """Derive what unsloth's trainer makes of the settings: a model with an engine generates with it, in colocate mode.

    It does so whatever the configuration says. `takes_defaults` means that the run files set every setting that differs
    from its default.
    """
    for default in unsloth_defaults(facts) if takes_defaults else ():
        facts.offer(*default)
    if facts.value("plan.framework") != UNSLOTH:
        return
    _set_batch(facts)
    fast = facts.get("plan.fast_inference")
    if fast is not None and fast.value is True and not _does_without_vllm(facts):
        source = f"{fast.source}: unsloth generates with the engine of fast_inference"
        for name, value in (("plan.use_vllm", True), ("plan.vllm_mode", "colocate")):
            if not facts.is_by_hand(name) and not facts.is_unknown_by_hand(name):
                facts.set(name, value, source, fast.place)


def unsloth_defaults(facts: Facts) -> Iterator[tuple[str, FactValue, str, Place | None]]:
    """Yield the settings that unsloth's trainer has by default, and TRL's own, each with source and place.

    Unsloth keeps TRL's default of when to evaluate, which no release has changed. Yields nothing for other frameworks.
    """
    maybe = facts.is_open("plan.framework") and set(facts.candidates("plan.framework")) == {TRL, UNSLOTH}
    if facts.value("plan.framework") != UNSLOTH and not maybe:
        return
    yield "plan.eval_strategy", "no", "default of all releases of TRL, which unsloth keeps", None
    fast = facts.get("plan.fast_inference")
    if fast is not None and fast.value is not True:
        yield "plan.use_vllm", False, f"{fast.source}: unsloth makes no engine", fast.place
    unsloth = facts.value("packages.unsloth")
    if not maybe and isinstance(unsloth, Version) and unsloth >= _COLOCATES:
        yield "plan.vllm_mode", "colocate", "unsloth's default", None


def _does_without_vllm(facts: Facts) -> bool:
    """Return whether unsloth generates without vLLM although fast_inference is set, as far as that is known."""
    if facts.value("host.system") == "win32":
        return True
    capabilities = facts.value("gpu.compute_capability")
    found = [one for one in capabilities if isinstance(one, Version)] if isinstance(capabilities, tuple) else []
    return any(one < _LEAST or one == _NOT_YET for one in found)


def _set_batch(facts: Facts) -> None:
    """Derive the micro-batch size where unsloth replaces it by num_generations.

    Its compiled GRPOConfig does so if the size is no multiple (``unsloth/models/rl.py``); with later releases of TRL,
    if the size times the steps and the processes is none and the size of a generation is not stated. What both agree
    on is stated.
    """
    name = "plan.per_device_train_batch_size"
    each, generations = facts.get(name), facts.value("plan.num_generations")
    if each is None or facts.is_by_hand(name):
        return
    if not isinstance(each.value, int) or not isinstance(generations, int) or generations < 1:
        facts.forget(name, f"{each.source}; unsloth may replace it by num_generations, which is not known", each.place)
    elif each.value % generations:
        steps, processes = facts.value("plan.gradient_accumulation_steps"), facts.value("plan.world_size")
        if processes is None and (facts.value("plan.notebook") is True or facts.value("plan.launcher") in _ONE_PROCESS):
            processes = 1
        counts = isinstance(steps, int) and isinstance(processes, int) and not _states_generation(facts)
        if counts and (each.value * steps * processes) % generations:  # type: ignore[operator]
            facts.set(name, generations, f"unsloth replaces {each.value} by num_generations", each.place)
        else:
            why = f"{each.source}; releases of unsloth differ in whether they replace {each.value} by num_generations"
            facts.forget(name, why, each.place)


def _states_generation(facts: Facts) -> bool:
    """Return whether the run states, or may state, how many completions a generation has."""
    names = ("plan.steps_per_generation", "plan.generation_batch_size")
    return any(facts.value(name) is not None or facts.is_open(name) for name in names)
