"""Which CUDA version the driver must support for the PTX in vLLM's FlashAttention 2.

A GPU without machine code in a library needs its PTX, which the driver compiles when the library is used. A driver
compiles PTX up to the version that came with its own CUDA version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.facts.builds.kernel_support import runs_on
from vcompat.facts.facts import Facts

if TYPE_CHECKING:
    from vcompat.facts.records.wheels import Compiled

FACT = "vllm.ptx_cuda"
#: The CUDA version that each version of PTX came with: https://docs.nvidia.com/cuda/parallel-thread-execution/#release-notes
CUDA_OF: Mapping[str, Version] = {"8.7": Version("12.8"), "8.8": Version("12.9"), "9.0": Version("13.0")}
#: Older GPUs do not use FlashAttention 2.
_FIRST = Version("8.0")


def set_ptx(facts: Facts) -> None:
    """Set `FACT` for the GPUs at hand and vLLM's wheel; None if all of these GPUs have machine code."""
    capabilities = facts.value("gpu.compute_capability")
    gpus = [gpu for gpu in capabilities or () if isinstance(gpu, Version)] if isinstance(capabilities, tuple) else []
    needed = {_needed(code, gpus) for code in _wheels(facts)} if gpus else set()
    if len(needed) == 1 and (ptx := needed.pop()) in ("", *CUDA_OF):
        source = f"PTX {ptx} in" if ptx else "machine code in"
        facts.offer(FACT, CUDA_OF.get(ptx), f"{source} FlashAttention 2 of vLLM {facts.value('packages.vllm')}")


def _needed(code: Compiled, gpus: list[Version]) -> str:
    """Return the version of the PTX that one of `gpus` needs; empty if none does, "?" if that is not known."""
    machine_code = [name for name in (*code.common, *code.further) if name.startswith("sm_")]
    without = [gpu for gpu in gpus if gpu >= _FIRST and not runs_on(machine_code, gpu)]
    if not without:
        return ""
    has_ptx = all(runs_on(code.common, gpu) for gpu in without)
    return code.ptx[0] if has_ptx and len(code.ptx) == 1 else "?"


def _wheels(facts: Facts) -> Iterator[Compiled]:
    """Yield the FlashAttention 2 in the wheels of vLLM's release, unless vLLM is known to be another build."""
    vllm = facts.value("packages.vllm")
    if not isinstance(vllm, Version) or facts.value("vllm.backend") != "cuda":
        return
    # Imported here: only a known release of vLLM has a record.
    from vcompat.facts.records.wheels import FLASH_ATTENTION_2, VLLM_KERNELS, key_of, load_wheels, machines_of

    for machine in machines_of(facts.value("host.machine")):
        attention = load_wheels().get(key_of(FLASH_ATTENTION_2, machine), {}).get(vllm)
        kernels = load_wheels().get(key_of(VLLM_KERNELS, machine), {}).get(vllm)
        is_the_wheel = kernels is not None and facts.value("vllm.architectures", kernels.common) == kernels.common
        if attention is not None and is_the_wheel and not facts.is_open("vllm.architectures"):
            yield attention
