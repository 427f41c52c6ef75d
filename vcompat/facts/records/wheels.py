"""The record of compiled code: for which GPU architectures and which CUDA runtime upstream's wheels are built.

One file, ``evidence/wheels.json``, written by `vcompat rules verify --update` from the wheels for Linux on the package
index (`vcompat.upstream.wheels.compiled_code`). Each library has the releases that were measured, and runs of
consecutive ones of them with the same code. The wheels for x86_64 and for aarch64 have code for different GPUs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import IO, TYPE_CHECKING, NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.foundation.elf import BadElf, needed
from vcompat.foundation.errors import InputError
from vcompat.foundation.fatbin import common, containers, in_order, ptx_versions
from vcompat.foundation.shipped import evidence_folder

if TYPE_CHECKING:
    from pathlib import Path

FILE = "wheels.json"
#: The library with the kernels that vLLM runs for every model: the files ``vllm/_C.*.so``, and from 0.19.0 on also
#: ``vllm/_C_stable_libtorch.*.so``, to which vLLM moves them.
VLLM_KERNELS = "vllm/_C"
VLLM_FILES = re.compile(r"vllm/_C(_stable_libtorch)?\.[^/]*so")
#: The library of vLLM's copy of FlashAttention 2.
FLASH_ATTENTION_2 = "vllm/_vllm_fa2_C"
#: bitsandbytes has a library for each CUDA version, such as libbitsandbytes_cuda124.so. Up to 0.44 there is a second
#: one, without cuBLASLt, for GPUs before 7.5.
BITSANDBYTES_KERNELS = "bitsandbytes/cuda"
BITSANDBYTES_FILES = re.compile(r"bitsandbytes/libbitsandbytes_cuda(\d+)\.so")
#: The processors whose wheels are recorded, as in the names of wheels.
MACHINES = ("x86_64", "aarch64")
#: Stands for the processor of a wheel without compiled code for one.
EVERY_MACHINE = "any"
#: The names of processors in ``host.machine``.
_NAMES = {"x86_64": "x86_64", "amd64": "x86_64", "AMD64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
#: CUDA 11 has the same runtime library from 11.0 to 11.8, libcudart.so.11.0.
_RUNTIME = re.compile(r"libcudart\.so\.(\d+)(\.0)?")
_EXPECTED = "a file written by `rules verify --update`"


class Compiled(NamedTuple):
    """The compiled code of one library of a wheel."""

    cuda: str
    """The major version of the CUDA runtime that the loader needs for it, such as "12"; empty if it needs none."""
    common: tuple[str, ...]
    """The architectures of its common kernels, such as sm_80 or compute_90 (see `foundation.fatbin.common`)."""
    further: tuple[str, ...]
    """The architectures for which it has other kernels."""
    ptx: tuple[str, ...] = ()
    """The versions of the PTX instruction set, such as "8.7", if there is PTX among the common kernels."""


def compiled_code(files: Iterable[IO[bytes]]) -> Compiled:
    """Return the compiled code of a library, which may be in several files. Raises BadElf."""
    architectures: list[frozenset[str]] = []
    runtimes: set[str] = set()
    ptx: set[str] = set()
    for file in files:
        architectures += containers(file)
        ptx |= ptx_versions(file)
        runtimes |= {match[1] for name in needed(file) if (match := _RUNTIME.fullmatch(name))}
    if len(runtimes) > 1:
        raise BadElf(f"files for several CUDA versions: {', '.join(sorted(runtimes))}")
    base = common(architectures)
    further = frozenset().union(*architectures) - base
    versions = sorted(ptx, key=Version) if any(name.startswith("compute_") for name in base) else []
    return Compiled("".join(runtimes), tuple(in_order(base)), tuple(in_order(further)), tuple(versions))


def cuda_of(digits: str) -> Version:
    """Return the CUDA version that the name of a file has without the point: 12.4 for "124", 13.0 for "130"."""
    return Version(f"{digits[:2]}.{digits[2:] or 0}")


#: For each library and processor, as in "vllm/_C x86_64", the measured releases, oldest first.
Wheels = Mapping[str, Mapping[Version, Compiled]]


def key_of(library: str, machine: str) -> str:
    """Return the name in the record of a library of the wheels for one of `MACHINES`."""
    return f"{library} {machine}"


def machines_of(machine: object) -> tuple[str, ...]:
    """Return the processor of the wheels for `machine`, the fact ``host.machine``; all of them if it is not known."""
    return MACHINES if machine is None else tuple(name for name in (_NAMES.get(str(machine)),) if name)


def load_wheels(folder: Path | None = None) -> Wheels:
    """Return the record in `folder`, by default the shipped one; empty if there is none. Raises InputError."""
    return _load(os.path.join(folder or evidence_folder(), FILE))


@cache
def _load(path: str) -> Wheels:
    try:
        with open(path, encoding="utf-8") as file:
            return {name: _releases(runs) for name, runs in json.load(file)["libraries"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, AttributeError, TypeError, InvalidVersion) as error:
        raise InputError(path, f"cannot be read: {error}", _EXPECTED) from None


def _releases(runs: list[list[str]]) -> dict[Version, Compiled]:
    return {
        Version(release): Compiled(cuda, tuple(common.split()), tuple(further.split()), tuple(" ".join(ptx).split()))
        for releases, cuda, common, further, *ptx in runs
        for release in releases.split()
    }
