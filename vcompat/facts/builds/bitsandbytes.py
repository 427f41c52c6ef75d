"""Which of its libraries bitsandbytes loads, and whether that has kernels for the GPUs.

bitsandbytes has libraries for several CUDA versions. It loads the one for torch's CUDA version; from 0.50.0 on, one for
another minor version if it has to (`get_cuda_bnb_library_path` in its cextension.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.facts.builds.kernel_support import answers
from vcompat.facts.facts import Facts

if TYPE_CHECKING:
    from vcompat.facts.records.wheels import Compiled

VERSIONS, CHOICE, HAS_KERNELS = "bitsandbytes.cuda_versions", "bitsandbytes.cuda", "bitsandbytes.has_kernels"
#: The variable that names another library than the one for torch.
OVERRIDE = "env.BNB_CUDA_VERSION"
#: The first release that loads a library for another minor version.
_FALLS_BACK = Version("0.50.0")


def set_bitsandbytes(facts: Facts) -> None:
    """Set `VERSIONS` from the release if the installed files did not state them, and what follows: the other facts."""
    release = facts.value("packages.bitsandbytes")
    if not isinstance(release, Version):
        return
    wheels = list(_wheels(facts, release))
    if len({frozenset(wheel) for wheel in wheels}) == 1:
        facts.offer(VERSIONS, tuple(sorted(wheels[0])), f"wheel of bitsandbytes {release}")
    versions, torch = facts.value(VERSIONS), facts.value("torch.cuda")
    may_be_overridden = facts.value(OVERRIDE, "unknown") is not None
    if may_be_overridden or not isinstance(versions, tuple) or not isinstance(torch, Version):
        return
    has = [version for version in versions if isinstance(version, Version)]
    choice = loaded(has, torch, falls_back=release >= _FALLS_BACK)
    facts.offer(CHOICE, choice, f"torch.cuda, libraries of bitsandbytes {release}")
    # The architectures of libraries that are not those of the wheel are not known.
    codes = [wheel[choice] for wheel in wheels if wheel.keys() == set(has)] if choice is not None else []
    results = {answers(code.common, facts.value("gpu.compute_capability")) for code in codes}
    if len(results) == 1 and (result := results.pop()):
        facts.offer(HAS_KERNELS, result, f"wheel of bitsandbytes {release} for CUDA {choice}, gpu.compute_capability")


def loaded(versions: Collection[Version], torch: Version, falls_back: bool) -> Version | None:
    """Return the CUDA version of the library that is loaded for `torch`'s CUDA version; None if there is none."""
    exact = Version(f"{torch.major}.{torch.minor}")
    same_major = sorted(version for version in versions if version.major == torch.major)
    if exact in same_major:
        return exact
    if not falls_back or not same_major:
        return None
    older = [version for version in same_major if version < exact]
    return older[-1] if older else same_major[0]


def _wheels(facts: Facts, release: Version) -> Iterator[Mapping[Version, Compiled]]:
    """Yield the recorded libraries of the release by CUDA version: of the wheel for the processor, or of all wheels."""
    # Imported here: only a known release of bitsandbytes has a record.
    from vcompat.facts.records.wheels import BITSANDBYTES_KERNELS, cuda_of, load_wheels, machines_of

    for machine in machines_of(facts.value("host.machine")):
        end = f" {machine}"
        by_cuda = {
            cuda_of(key.removesuffix(end).removeprefix(BITSANDBYTES_KERNELS)): releases[release]
            for key, releases in load_wheels().items()
            if key.startswith(BITSANDBYTES_KERNELS) and key.endswith(end) and release in releases
        }
        if by_cuda:
            yield by_cuda
