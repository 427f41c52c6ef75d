"""The vendor of the GPUs that the run uses, and what has no meaning on GPUs that are not NVIDIA's.

torch for AMD GPUs (ROCm) and for Intel GPUs (XPU) is a build of its own. CUDA's compute capability, NVIDIA's driver and
the CUDA kernels of torch and vLLM do not exist there, so rules about them do not apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from vcompat.facts.facts import Facts, Known
from vcompat.facts.place import Place
from vcompat.facts.value import FactValue

FACT = "gpu.vendor"
NVIDIA, AMD, INTEL = "nvidia", "amd", "intel"
#: The backend of vLLM for the GPUs of each vendor.
BACKENDS = {NVIDIA: "cuda", AMD: "rocm", INTEL: "xpu"}
#: GPUs of NVIDIA as users type them. Intel's A770 and B580 look alike.
_TYPED = (
    r"[RG]TX|DGX|(A(2|10G?|16|30|40|[18]00|\d000)|[BH][1-3]00|H20|H800|L(4|20|40S?)|P(40|100)|T4|V100S?|G[BH][23]00)"
    r"(?![0-9A-Z])"
)
#: How the names of GPUs begin, as their drivers state them, NVIDIA's older ones without the vendor, and as users do.
_NAMES = (
    (NVIDIA, re.compile(rf"NVIDIA|Tesla|GeForce|Quadro|TITAN|{_TYPED}", re.IGNORECASE)),
    (AMD, re.compile(r"AMD|Radeon|Instinct|MI\d{2,3}[A-Z]?(?![0-9A-Z])", re.IGNORECASE)),
    (INTEL, re.compile(r"Intel", re.IGNORECASE)),
)
#: What torch's own version names, as in 2.8.0+rocm6.4.
_BUILDS = (("rocm", AMD), ("xpu", INTEL), ("cu", NVIDIA))


def vendor_of(name: str) -> str | None:
    """Return the vendor of the GPU with this name, as its driver or a user states it; None if it does not show it."""
    return next((vendor for vendor, starts in _NAMES if starts.match(name)), None)


def backend_of(vllm: FactValue) -> str | None:
    """Return the backend that the local segment of vLLM's version names; None if it names none."""
    words = (vllm.local or "").split(".") if isinstance(vllm, Version) else []
    starts = {"cpu": "cpu", "rocm": "rocm", "tpu": "tpu", "xpu": "xpu", "cu": "cuda"}
    return next((one for start, one in starts.items() if any(word.startswith(start) for word in words)), None)


def set_vendor(facts: Facts) -> None:
    """Derive `FACT` from names of GPUs, from builds and from what only NVIDIA's GPUs have; then state what follows."""
    for vendor, source, place in () if facts.recorded(FACT) else _stated(facts):
        facts.offer(FACT, vendor, source, place)
        break
    known = facts.get(FACT)
    if known is not None and known.value in (AMD, INTEL):
        _without_cuda(facts, known)


def _stated(facts: Facts) -> Iterator[tuple[str, str, Place | None]]:
    """Yield the vendors that facts show, each with its source and place, the surest one first."""
    names = facts.get("gpu.name")
    if names is not None and isinstance(names.value, tuple):
        vendors = {vendor_of(str(name)) for name in names.value}
        if len(vendors) == 1 and (vendor := vendors.pop()):
            yield vendor, f"gpu.name, {names.source}", names.place
    yield from _of_builds(facts)
    for name in ("gpu.compute_capability", "gpu.driver", "torch.cuda"):
        known = facts.get(name)
        if known is not None and known.value:
            yield NVIDIA, f"{name}, {known.source}", known.place


def _of_builds(facts: Facts) -> Iterator[tuple[str, str, Place | None]]:
    """Yield the vendors for whose GPUs torch and vLLM are built."""
    torch, vllm = facts.get("packages.torch"), facts.get("packages.vllm")
    if torch is not None and isinstance(torch.value, Version):
        local = torch.value.local or ""
        yield from ((of, f"torch {torch.value}", torch.place) for start, of in _BUILDS if local.startswith(start))
    backend = facts.value("vllm.backend") or (backend_of(vllm.value) if vllm is not None else None)
    for vendor in (AMD, INTEL):
        if backend == BACKENDS[vendor]:
            yield vendor, f"vLLM for {backend}", vllm.place if vllm is not None else None


def _without_cuda(facts: Facts, vendor: Known) -> None:
    """State what GPUs that are not NVIDIA's do not have."""
    source = f"{FACT} is {vendor.value}"
    # What torch for ROCm calls a compute capability, such as 9.4, is the version of an architecture of AMD.
    for name in ("gpu.compute_capability", "torch.has_kernels", "vllm.has_kernels"):
        facts.set(name, (), source, vendor.place)
    for name in ("gpu.driver", "gpu.driver_cuda", "gpu.nvml"):
        facts.set(name, None, source, vendor.place)
    if isinstance(facts.value("torch.cuda"), Version) and not facts.is_by_hand("torch.cuda"):
        for name in ("torch.cuda", "torch.architectures"):
            facts.forget(name, f"this torch is a build for CUDA, but {source}")
