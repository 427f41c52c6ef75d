"""The runs for which releases are chosen: all that a check knows of them, but for packages."""

from __future__ import annotations

from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import RunFacts, Sources, collect


def runs_of(sources: Sources) -> list[RunFacts]:
    """Return the runs with the facts that a check has, without those of packages.

    Raises InputError for a source that cannot be read, and for GPUs that no build on the package index supports.
    """
    target = sources.target
    described = any(name.startswith("gpu.") for name in sources.settings)
    probe = bool(target) or not described
    runs = [run.presumed() for run in collect(sources._replace(probe=probe, packages=False)).runs]
    for run in runs:
        if not probe:
            # Like a check, which looks at the environment: a variable that no file sets is not set.
            run.facts.close("env")
        if not sources.files and not sources.command:
            _assume_grpo(run.facts)
        if run.facts.value("gpu.nvml", "ok") != "ok" and not target:
            run.facts.forget("gpu.nvml", "no GPU was found on this machine")
        _check_backend(run.facts, target)
    return runs


def _assume_grpo(facts: Facts) -> None:
    for name, value in (("plan.use_vllm", True), ("plan.trainer", "GRPOTrainer")):
        if facts.get(name) is None:
            facts.set(name, value, "assumed, since no run file is given")


def _check_backend(facts: Facts, target: str) -> None:
    """Raise InputError for a GPU that the builds on the package index do not support."""
    backend = facts.value("vllm.backend") or ("rocm" if is_amd(facts) else "cuda")
    if backend not in ("cuda", "cpu"):
        where = f"--target {target}" if target else f"vllm.backend = {backend}"
        problem = "the releases on the package index are built for NVIDIA GPUs and cannot be chosen for others"
        raise InputError(where, problem, "NVIDIA GPUs; for AMD GPUs, take the versions of an image of vLLM for ROCm")


def is_amd(facts: Facts) -> bool:
    """Whether one of the GPUs is AMD's."""
    names = facts.value("gpu.name")
    return isinstance(names, tuple) and any(str(name).startswith("AMD") for name in names)
