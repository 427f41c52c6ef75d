"""What differs between nodes that should be equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding, Names, compared, finding
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.facts.vocabulary import PACKAGES

#: Packages whose code runs in each rank's step. Others have a finding of their own.
_MAIN = (
    "torch vllm trl transformers accelerate deepspeed peft nccl triton flash-attn xformers flashinfer bitsandbytes "
    "liger-kernel kernels"
).split()
_PACKAGE_FACTS = tuple(f"packages.{name}" for name in _MAIN)
_OTHER_PACKAGES = tuple(f"packages.{name}" for name in PACKAGES if name not in _MAIN)
_BUILDS = ("torch.cuda", "torch.architectures", "vllm.backend", "vllm.cuda", "vllm.architectures", "host.machine")
_GPUS = ("gpu.name", "gpu.memory_mib", "gpu.mig", "gpu.peer_access")
_DRIVERS = ("gpu.driver", "gpu.driver_cuda")
_HOSTS = ("host.python", "host.glibc", "host.cuda_toolkit", "host.c_compiler", "host.system", "host.container")
#: Variables that must be equal. MASTER_ADDR need not: different names can have one address.
_LAUNCH = ("MASTER_PORT", "WORLD_SIZE")
#: Variables that select what ranks do.
_SELECTING = re.compile(
    r"NCCL_\w+|TORCH_NCCL_\w+|VLLM_\w+|PYTORCH_(CUDA_|HIP_)?ALLOC_CONF|CUDA_(LAUNCH_BLOCKING|DEVICE_ORDER|HOME|PATH)"
    r"|CUDA_DEVICE_MAX_CONNECTIONS|CUDA_MODULE_LOADING|LD_PRELOAD|LD_LIBRARY_PATH|USE_HUB_KERNELS|VCOMPAT_\w+"
    r"|ACCELERATE_(MIXED_PRECISION|USE_FSDP|USE_DEEPSPEED|DYNAMO_\w+)|FSDP_\w+|DS_ACCELERATOR"
)
#: Variables that belong to one node or one process, and those of logs, so that they differ in a sound run.
_PER_PROCESS = re.compile(
    r"VLLM_HOST_IP|VLLM_PORT|VLLM_RPC_BASE_PATH|VLLM_DP_RANK\w*|NCCL_HOSTID|VCOMPAT_STUB_NVML"
    r"|NCCL_DEBUG\w*|VLLM_LOG\w*|VLLM_CONFIGURE_LOGGING|VLLM_NO_USAGE_STATS|VLLM_DO_NOT_TRACK|VLLM_USAGE_SOURCE"
)


def differences(names: Names) -> Iterator[FleetFinding]:
    """Yield what differs between the nodes."""
    yield from finding("launch-variables-differ", _variables(names, _LAUNCH.__contains__))
    yield from finding("packages-differ", _facts(names, _PACKAGE_FACTS))
    yield from finding("builds-differ", _facts(names, _BUILDS))
    yield from finding("gpus-differ", _facts(names, ("gpu.compute_capability",)))
    yield from finding("gpu-models-differ", (*_facts(names, _GPUS), *_ecc(names)))
    yield from finding("visible-gpus-differ", _facts(names, ("gpu.count",)))
    yield from finding("drivers-differ", _facts(names, _DRIVERS))
    yield from finding("hosts-differ", _facts(names, _HOSTS))
    yield from finding("other-packages-differ", _facts(names, _OTHER_PACKAGES))
    yield from finding("variables-differ", _variables(names, _selects))
    yield from finding("vcompat-differs", _unknown(names))


def _selects(name: str) -> bool:
    return _SELECTING.fullmatch(name) is not None and _PER_PROCESS.fullmatch(name) is None


def _facts(names: Names, facts: tuple[str, ...]) -> Iterator[Entry]:
    """Yield facts that differ. Lists have a value for each GPU, and are equal if their distinct values are."""
    by_profile = _by_profile(names)
    for fact in facts:
        values: dict[str, list[int]] = {}
        for profile, numbers in by_profile:
            known = profile.get(fact)
            # A process without GPUs has empty lists. That is a difference in their number, not in their kind.
            if known is None or known.value == ():
                continue
            shown = "not installed" if known.value is None and fact.startswith("packages.") else show(known.value)
            values.setdefault(shown, []).extend(numbers)
        if len(values) > 1:
            flat = {number: value for value, numbers in values.items() for number in numbers}
            yield from compared(fact.removeprefix("packages."), flat, names)


def _ecc(names: Names) -> list[Entry]:
    """Return whether ECC is on, if that differs between GPUs that state it."""
    values = {}
    for number, report in enumerate(names.reports):
        modes = {gpu.ecc for gpu in report.gpus}
        if modes and None not in modes:
            values[number] = "on some GPUs" if len(modes) == 2 else "on" if True in modes else "off"
    return compared("ECC", values, names)


def _by_profile(names: Names) -> list[tuple[Facts, list[int]]]:
    """Return the distinct facts of the reports, each with the numbers of its reports."""
    profiles: dict[int, tuple[Facts, list[int]]] = {}
    for number, report in enumerate(names.reports):
        profiles.setdefault(id(report.facts), (report.facts, []))[1].append(number)
    return list(profiles.values())


def _variables(names: Names, wanted: Callable[[str], bool]) -> Iterator[Entry]:
    """Yield variables that differ, among processes whose environment is known in full."""
    numbers = [n for n, report in enumerate(names.reports) if "env" in report.facts.closed]
    environments = {number: names.reports[number].env for number in numbers}
    everyone = {name for environment in environments.values() for name in environment}
    for name in sorted(filter(wanted, everyone)):
        values = {number: environments[number].get(name, "not set") for number in numbers}
        if len(set(values.values())) > 1:
            yield from compared(name, values, names)


def _unknown(names: Names) -> Iterator[Entry]:
    """Yield the families of facts that are known on some nodes only, other than NVML's, which have a finding."""
    profiles = _by_profile(names)
    for family in ("packages", "torch", "vllm", "host"):
        values = {
            number: f"unknown: {profile.why_unknown(family)}" if profile.is_open(family) else "known"
            for profile, numbers in profiles
            for number in numbers
        }
        yield from compared(family, values, names)
