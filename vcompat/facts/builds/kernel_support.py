"""Whether torch and vLLM have kernels for the GPUs, and the CUDA version that vLLM is built for.

What was read from installed libraries is not replaced. Without it, vLLM's release says which wheel of the package index
it is. A release has wheels for several processors, which are built for other GPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue

if TYPE_CHECKING:
    from vcompat.facts.records.wheels import Compiled

#: What each of torch's own builds for CUDA 12.8 or newer has, whatever the processor is: code for 9.0, 10.0 and 12.0.
#: Measured in each recorded wheel for these CUDA versions, the first of which is of 2.8.0. The builds of 2.7 for 12.8
#: are not on the package index: of them only the build scripts say so (`build_cuda.sh`, `aarch64_ci_build.sh`).
_FOR_BLACKWELL, _SINCE, _BUILT_WITH = ("sm_90", "sm_100", "sm_120"), Version("2.7.0"), Version("12.8")
_BUILD = r"cu(\d{2})(\d)$"
_ARCHITECTURE = r"(sm|compute)_(\d+)(\d)([af]?)"


def set_vllm_build(facts: Facts) -> None:
    """Set ``vllm.cuda`` and ``vllm.architectures`` from vLLM's release; ``+cu129`` names another build of it."""
    backend, vllm = facts.get("vllm.backend"), facts.value("packages.vllm")
    if backend is not None and backend.value != "cuda":
        facts.offer("vllm.cuda", None, backend.source)
    elif isinstance(vllm, Version) and vllm.local:
        name = next((word for word in vllm.local.split(".") if word.startswith("cu") and word[2:].isdecimal()), "")
        if len(name) > 4:
            facts.offer("vllm.cuda", Version(name[2:-1]), f"vLLM {vllm}")
    else:
        wheels = _wheels(facts)
        if len({wheel.cuda for wheel in wheels}) == 1:
            facts.offer("vllm.cuda", Version(wheels[0].cuda), f"wheel of vLLM {vllm}")
        if len({wheel.common for wheel in wheels}) == 1:
            facts.offer("vllm.architectures", wheels[0].common, f"wheel of vLLM {vllm}")


def _wheels(facts: Facts) -> list[Compiled]:
    """Return the recorded code of vLLM's release: of the wheel for the processor, of all wheels if it is not known."""
    backend, vllm, machine = facts.value("vllm.backend"), facts.value("packages.vllm"), facts.value("host.machine")
    if backend != "cuda" or not isinstance(vllm, Version):
        return []
    # Imported here: only a known release of vLLM has a record.
    from vcompat.facts.records.wheels import VLLM_KERNELS, key_of, load_wheels, machines_of

    found = (load_wheels().get(key_of(VLLM_KERNELS, name), {}).get(vllm) for name in machines_of(machine))
    return [wheel for wheel in found if wheel is not None]


def set_kernels(facts: Facts) -> None:
    """Set ``torch.has_kernels`` and ``vllm.has_kernels``: an answer for each GPU."""
    capabilities = facts.value("gpu.compute_capability")
    for package in ("torch", "vllm"):
        name = f"{package}.architectures"
        known = facts.get(name)
        builds: list[FactValue] = [] if known is None else [known.value]
        if package == "vllm" and known is None and not facts.is_open(name):
            # What holds for the wheels for all processors holds whatever the processor is.
            builds = [wheel.common for wheel in _wheels(facts)]
        found = {answers(build, capabilities) for build in builds}
        if len(found) == 1 and (answer := found.pop()):
            facts.offer(f"{package}.has_kernels", answer, f"{name} and gpu.compute_capability")
    torch = facts.value("packages.torch")
    if _is_for_blackwell(torch) and (answer := answers(_FOR_BLACKWELL, capabilities)) and all(answer):
        facts.offer("torch.has_kernels", answer, f"torch {torch} and gpu.compute_capability")


def _is_for_blackwell(torch: FactValue) -> bool:
    """Return whether a release of torch names a build, such as 2.7.0+cu128, that certainly has code for Blackwell."""
    if not isinstance(torch, Version) or torch < _SINCE:
        return False
    build = re.match(_BUILD, torch.local or "")
    return build is not None and Version(f"{build[1]}.{build[2]}") >= _BUILT_WITH


def answers(architectures: object, capabilities: object) -> tuple[bool, ...]:
    """Return for each GPU whether it runs one of `architectures`; empty if either is not known."""
    if not (isinstance(architectures, tuple) and isinstance(capabilities, tuple) and architectures):
        return ()
    names = [name for name in architectures if isinstance(name, str)]
    return tuple(runs_on(names, gpu) for gpu in capabilities if isinstance(gpu, Version))


def runs_on(architectures: Iterable[str], capability: Version) -> bool:
    """Return whether a GPU runs code for one of `architectures`, such as sm_90, sm_90a, sm_100f or compute_90.

    A GPU runs machine code of its own major architecture and the same or an older minor one, and PTX of its own or an
    older architecture. Code with the suffix ``a`` runs on that architecture only, and PTX with ``f`` on its family.
    """
    gpu = capability.major, capability.minor
    for name in architectures:
        match = re.fullmatch(_ARCHITECTURE, name)
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
