"""All probes together: the facts of this machine.

NVML is asked in a process of its own, and the other probes work while it answers.
"""

from typing import Any, NamedTuple

from vcompat.facts.facts import Facts
from vcompat.sources.probe.environment import probe_environment
from vcompat.sources.probe.gpus import gpu_facts
from vcompat.sources.probe.host import probe_host
from vcompat.sources.probe.nvml import start
from vcompat.sources.probe.packages import probe_packages
from vcompat.sources.probe.torch_build import probe_torch


class Machine(NamedTuple):
    """What the probes found."""

    facts: Facts
    nvml: dict[str, Any]
    """NVML's answer in full, as ``probe.nvml`` describes it."""
    visible: list[dict[str, Any]]
    """The GPUs of `nvml` that ``CUDA_VISIBLE_DEVICES`` leaves to the run, in the order in which CUDA numbers them."""


def probe_machine() -> Machine:
    """Collect all facts of this machine. A probe that fails leaves its facts unknown, with the reason."""
    asked = start()
    facts = Facts()
    for name, probe in (
        ("packages", probe_packages),
        ("torch", probe_torch),
        ("env", probe_environment),
        ("host", probe_host),
    ):
        try:
            facts.update(probe())
        except Exception as error:
            # A defect of ours must not keep the other facts from the user.
            facts.reasons[name] = f"the probe failed: {type(error).__name__}: {error}"
    answer = asked.result()
    visible, gpus = gpu_facts(answer, facts)
    facts.update(gpus)
    return Machine(facts, answer, visible)
