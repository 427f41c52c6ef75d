"""The frameworks whose trainer a run can have: the values of the fact ``plan.framework``, and what follows from them.

A run of which nothing is recorded has TRL's own trainer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
#: The first releases of unsloth that replace a micro-batch size, and that look at the whole batch instead; the first of
#: TRL whose GRPOConfig has the size of a generation.
_RAISES, _COUNTS_ALL, _HAS_GENERATION = Version("2025.2.13"), Version("2025.11.4"), Version("0.18.0")


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
    """Derive the micro-batch size where unsloth replaces it by num_generations, and whether it does.

    A size that the user states by hand stays.
    """
    name = "plan.per_device_train_batch_size"
    each, generations = facts.get(name), facts.value("plan.num_generations")
    if each is None:
        return
    raises: set[bool | None] = {None}
    why = f"{each.source}; unsloth may replace it by num_generations, which is not known"
    candidates: tuple[int, ...] = ()
    if isinstance(each.value, int) and isinstance(generations, int) and generations > 0:
        raises = {one(facts, each.value, generations) for one in _ways_to_raise(facts)}
        why = f"{each.source}; by its release and the processes, unsloth replaces {each.value} by num_generations"
        candidates = (each.value, generations)
    if len(raises) == 1 and None not in raises:
        facts.offer("plan.raises_batch_size", raises == {True}, each.source, each.place)
    if facts.is_by_hand(name) or raises == {False}:
        return
    if raises == {True}:
        source = f"{each.source}: unsloth replaces {each.value} by num_generations"
        facts.set(name, generations, source, each.place)
    else:
        facts.forget(name, why, each.place, candidates)


def _ways_to_raise(facts: Facts) -> tuple[Callable[[Facts, int, int], bool | None], ...]:
    """Return how the releases at hand decide whether to replace the micro-batch size.

    Their compiled GRPOConfig decides (``unsloth/models/rl.py``): by the size alone from 2025.2.13 on, by the whole
    batch from 2025.11.4 on, where TRL's configuration has the size of a generation, as it does since 0.18.
    """
    unsloth, trl = facts.value("packages.unsloth"), facts.value("packages.trl")
    if isinstance(unsloth, Version) and unsloth < _RAISES:
        return (_keeps_batch,)
    if isinstance(unsloth, Version) and unsloth < _COUNTS_ALL:
        return (_raises_each,)
    if isinstance(trl, Version) and trl < _HAS_GENERATION:
        return (_raises_each,)
    return (_raises_all,) if isinstance(unsloth, Version) and isinstance(trl, Version) else (_raises_each, _raises_all)


def _keeps_batch(_facts: Facts, _each: int, _generations: int) -> bool:
    return False


def _raises_each(_facts: Facts, each: int, generations: int) -> bool:
    return each % generations != 0


def _raises_all(facts: Facts, each: int, generations: int) -> bool | None:
    """Return whether the batch over all steps and processes is no multiple, and its size is not stated."""
    if each % generations == 0:
        return False
    names = ("plan.steps_per_generation", "plan.generation_batch_size")
    if any(facts.is_open(name) for name in names):
        return None
    if any(facts.value(name) is not None for name in names):
        return False
    steps, processes = facts.value("plan.gradient_accumulation_steps"), facts.value("plan.world_size")
    if processes is None and (facts.value("plan.notebook") is True or facts.value("plan.launcher") in _ONE_PROCESS):
        processes = 1
    if not isinstance(steps, int):
        return None
    if (each * steps) % generations == 0:
        return False
    return (each * steps * processes) % generations != 0 if isinstance(processes, int) else None
