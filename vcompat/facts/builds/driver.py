"""Whether an NVIDIA driver runs builds for a CUDA version.

NVIDIA's rules: a driver runs what is built for its own major version of CUDA or an older one, whatever the minor
version. On data center GPUs, and on some workstation GPUs, a forward-compatibility package raises the version that an
older driver runs; it does not support GeForce and TITAN GPUs.
"""

from __future__ import annotations

from collections.abc import Mapping

from packaging.version import Version

from vcompat.facts.facts import Facts

#: The first driver for each major version of CUDA, from the table of minimum versions at
#: https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html.
FIRST_DRIVER: Mapping[int, Version] = {11: Version("450"), 12: Version("525"), 13: Version("580")}
#: Product lines without forward compatibility, as in the names of GPUs:
#: https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html.
_CONSUMER = ("GeForce", "TITAN")
FACT = "torch.runs_on_driver"


def set_runs_on_driver(facts: Facts) -> None:
    """Set `FACT`, or record why it is unknown. None for a run without an NVIDIA driver or a torch without CUDA."""
    if facts.recorded(FACT) is not None or facts.is_open(FACT):
        return
    cuda, driver, newest = (facts.get(name) for name in ("torch.cuda", "gpu.driver", "gpu.driver_cuda"))
    for known in (cuda, newest, driver):
        if known is not None and known.value is None:
            facts.set(FACT, None, known.source)
            return
    if cuda is None:
        _without_build(facts, driver and driver.value, newest and newest.value)
    elif isinstance(cuda.value, Version):
        _for_build(facts, cuda.value, driver and driver.value, newest and newest.value)


def _for_build(facts: Facts, cuda: Version, driver: object, newest: object) -> None:
    first = FIRST_DRIVER.get(cuda.major)
    if isinstance(newest, Version):
        # The driver's own answer, which includes a forward-compatibility package.
        facts.set(FACT, newest.major >= cuda.major, f"torch's CUDA {cuda}, the driver's CUDA {newest}")
    elif not isinstance(driver, Version) or first is None:
        return
    elif driver >= first:
        facts.set(FACT, True, f"driver {driver}; CUDA {cuda} requires {first} or newer")
    elif _without_forward_compatibility(facts):
        facts.set(FACT, False, f"driver {driver}; CUDA {cuda} requires {first} or newer")
    else:
        facts.forget(FACT, f"CUDA {cuda} requires driver {first}, or NVIDIA's forward-compatibility package")


def _without_build(facts: Facts, driver: object, newest: object) -> None:
    """Set `FACT` if the driver runs every CUDA version in the table, so that torch's own does not matter."""
    last = max(FIRST_DRIVER)
    if isinstance(newest, Version) and newest.major >= last:
        facts.set(FACT, True, f"the driver's CUDA {newest}")
    elif newest is None and isinstance(driver, Version) and driver >= FIRST_DRIVER[last]:
        facts.set(FACT, True, f"driver {driver} runs CUDA {last} and older")


def _without_forward_compatibility(facts: Facts) -> bool:
    names = facts.value("gpu.name")
    every = names if isinstance(names, tuple) else ()
    return bool(every) and all(isinstance(name, str) and any(word in name for word in _CONSUMER) for name in every)
