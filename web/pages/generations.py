"""GPU generations: compute capabilities with the GPUs that have them."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from packaging.version import Version

from vcompat.sources.targets.target import known_gpus, read_target

#: How NVIDIA calls the architectures, by compute capability.
_ARCHITECTURES = {
    "6.0": "Pascal",
    "6.1": "Pascal",
    "7.0": "Volta",
    "7.5": "Turing",
    "8.0": "Ampere",
    "8.6": "Ampere",
    "8.7": "Ampere",
    "8.9": "Ada Lovelace",
    "9.0": "Hopper",
    "10.0": "Blackwell",
    "10.3": "Blackwell Ultra",
    "11.0": "Blackwell",
    "12.0": "Blackwell",
    "12.1": "Blackwell",
}


#: An environment variable: the compute capabilities to which the pages are limited, since the sets of releases for one
#: take seconds. Tests of the site set it.
CHOSEN = "VCOMPAT_SITE_CAPABILITIES"
#: GPUs that a generation's name has, at most.
_NAMED = 3


class Gpu(NamedTuple):
    """A GPU that ``--target`` knows."""

    name: str
    full: str
    """Its name as NVML reports it."""
    gib: int
    """Nominal memory in GiB."""
    machine: str
    """The processor of the machines that have it, such as x86_64."""


class Generation(NamedTuple):
    """The GPUs of one compute capability."""

    capability: str
    architecture: str
    gpus: tuple[Gpu, ...]

    @property
    def target(self) -> str:
        """The argument of ``--target`` for it: eight of its GPUs with the most memory, in x86 machines if there are."""
        return f"8x{max(self.gpus, key=lambda gpu: (gpu.machine == 'x86_64', gpu.gib)).name}"

    @property
    def name(self) -> str:
        """The architecture with some of its GPUs."""
        names = dict.fromkeys(re.sub(r"-\d+GB$", "", gpu.name) for gpu in self.gpus)
        more = ", ..." if len(names) > _NAMED else ""
        return f"{self.architecture}: {', '.join(list(names)[:_NAMED])}{more}"


def _generations() -> tuple[Generation, ...]:
    by_capability: dict[str, list[Gpu]] = {}
    for name in known_gpus():
        facts = read_target(name)
        capability = _first(facts.value("gpu.compute_capability"))
        if capability is not None:
            mib = _first(facts.value("gpu.memory_mib"))
            gib = round(mib / 1024) if isinstance(mib, int) else 0
            machine, full = str(facts.value("host.machine")), str(_first(facts.value("gpu.name")))
            by_capability.setdefault(str(capability), []).append(Gpu(name, full, gib, machine))
    chosen = os.environ.get(CHOSEN, "").split()
    ordered = [one for one in sorted(by_capability, key=Version) if not chosen or one in chosen]
    return tuple(Generation(one, _ARCHITECTURES.get(one, "NVIDIA"), tuple(by_capability[one])) for one in ordered)


def _first(value: object) -> object:
    return value[0] if isinstance(value, tuple) and value else None


GENERATIONS = _generations()
