"""Whether torch and vLLM have kernels for the GPUs, and the CUDA version that vLLM is built for.

What was read from installed libraries is not replaced. Without it, vLLM's release says which wheel of the package index
it is; the record has those for x86_64.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.wheels import VLLM_KERNELS, load_wheels

#: The names of the only kind of processor for which wheels are recorded.
X86_64 = ("x86_64", "amd64", "AMD64")
_ARCHITECTURE = re.compile(r"(sm|compute)_(\d+)(\d)([af]?)")


def set_vllm_build(facts: Facts) -> None:
    """Set ``vllm.cuda`` and ``vllm.architectures`` from vLLM's release; ``+cu129`` names another build of it."""
    backend, vllm = facts.get("vllm.backend"), facts.value("packages.vllm")
    if backend is not None and backend.value != "cuda":
        facts.offer("vllm.cuda", None, backend.source)
    elif isinstance(vllm, Version) and backend is not None:
        if vllm.local:
            _of_another_build(facts, vllm, vllm.local)
        elif facts.value("host.machine", X86_64[0]) in X86_64:
            _of_the_index(facts, vllm)


def _of_another_build(facts: Facts, vllm: Version, local: str) -> None:
    name = next((word for word in local.split(".") if word.startswith("cu") and word[2:].isdecimal()), "")
    if len(name) > 4:
        facts.offer("vllm.cuda", Version(name[2:-1]), f"vLLM {vllm}")


def _of_the_index(facts: Facts, vllm: Version) -> None:
    compiled = load_wheels().get(VLLM_KERNELS, {}).get(vllm)
    if compiled is not None:
        source = f"wheel of vLLM {vllm}"
        facts.offer("vllm.cuda", Version(compiled.cuda), source)
        facts.offer("vllm.architectures", compiled.common, source)


def set_kernels(facts: Facts) -> None:
    """Set ``torch.has_kernels`` and ``vllm.has_kernels``: an answer for each GPU."""
    capabilities = facts.value("gpu.compute_capability")
    for package in ("torch", "vllm"):
        architectures = facts.value(f"{package}.architectures")
        if isinstance(architectures, tuple) and isinstance(capabilities, tuple) and architectures and capabilities:
            names = [name for name in architectures if isinstance(name, str)]
            answers = tuple(runs_on(names, c) for c in capabilities if isinstance(c, Version))
            source = f"{package}.architectures and gpu.compute_capability"
            facts.offer(f"{package}.has_kernels", answers, source)


def runs_on(architectures: Iterable[str], capability: Version) -> bool:
    """Return whether a GPU runs code for one of `architectures`, such as sm_90, sm_90a, sm_100f or compute_90.

    A GPU runs machine code of its own major architecture and the same or an older minor one, and PTX of its own or an
    older architecture. Code with the suffix ``a`` runs on that architecture only, and PTX with ``f`` on its family.
    """
    gpu = capability.major, capability.minor
    for name in architectures:
        match = _ARCHITECTURE.fullmatch(name)
        if match is None:
            continue
        kind, suffix = match[1], match[4]
        built_for = int(match[2]), int(match[3])
        if suffix == "a":
            runs = gpu == built_for
        else:
            any_generation = kind == "compute" and not suffix
            runs = (any_generation or gpu[0] == built_for[0]) and gpu >= built_for
        if runs:
            return True
    return False
