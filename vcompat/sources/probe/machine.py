"""Runs all probes: the facts of this machine.

NVML is queried in a separate process while the other probes run.
"""

from typing import Any, NamedTuple

from vcompat.facts.facts import Facts
from vcompat.sources.probe.builds.bitsandbytes_build import probe_bitsandbytes
from vcompat.sources.probe.builds.torch_build import probe_torch, vendor_of_torch
from vcompat.sources.probe.builds.vllm_build import probe_vllm
from vcompat.sources.probe.environment import probe_environment
from vcompat.sources.probe.gpus import gpu_facts
from vcompat.sources.probe.host import probe_host
from vcompat.sources.probe.installed_packages import probe_packages
from vcompat.sources.probe.installed_patches import probe_installed_patches
from vcompat.sources.probe.kfd import has_amd_gpu
from vcompat.sources.probe.nvml import start


class Machine(NamedTuple):
    """The results of all probes."""

    facts: Facts
    nvml: dict[str, Any]
    """NVML's full answer, as described in ``probe.nvml``."""
    visible: list[dict[str, Any]]
    """The GPUs of `nvml` that are visible to the run, in CUDA's order."""


def probe_machine(with_health: bool = False) -> Machine:
    """Collect all facts of this machine. If a probe fails, its facts are unknown, with the error as the reason.

    `with_health` asks NVML also for errors, slowdowns and processes.
    """
    asked = start(with_health=with_health)
    facts = Facts()
    for name, probe in (
        ("packages", probe_packages),
        ("torch", probe_torch),
        ("vllm", probe_vllm),
        ("bitsandbytes", probe_bitsandbytes),
        ("patched", probe_installed_patches),
        ("env", probe_environment),
        ("host", probe_host),
    ):
        try:
            facts.update(probe())
        except Exception as error:
            # A bug in one probe must not hide the facts of the other probes.
            facts.forget(name, f"the probe failed: {type(error).__name__}: {error}")
    answer = asked.result()
    visible, gpus = gpu_facts(answer, facts)
    facts.update(gpus)
    _set_vendor(facts, answer["status"])
    return Machine(facts, answer, visible)


def _set_vendor(facts: Facts, status: str) -> None:
    """Record the vendor of GPUs that NVML does not know: what torch is built for, else what the kernel lists."""
    vendor = vendor_of_torch()
    if vendor is not None:
        facts.set("gpu.vendor", vendor, "torch/version.py")
    elif status == "library-not-found" and facts.value("torch.cuda") is None and has_amd_gpu():
        facts.set("gpu.vendor", "amd", "/sys/class/kfd")
