"""The GPU architectures for which a shared library has CUDA code.

nvcc puts the code of each source file into a container in the section ``.nv_fatbin``: an entry for each architecture,
with machine code (a cubin) or PTX. NVIDIA does not document the headers. The layout was read from libraries that nvcc
13.5 built for known architectures. What is read agrees with NVIDIA's cuobjdump for the wheels of seven vLLM releases
from 0.6.2 to 0.33.0; `tests/upstream/test_compiled.py` compares them again.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, NamedTuple

from vcompat.foundation.elf import BadElf, Section, read_at, sections

_SECTION = ".nv_fatbin"
_MAGIC = 0xBA55ED50
#: Of a container: magic, version, size of this header, size of the entries.
_CONTAINER = struct.Struct("<IHHQ")
#: Of an entry: kind, version, size of this header, size of the code, minor and major version of the code, architecture,
#: flags. The version of PTX is that of its instruction set.
_ENTRY = struct.Struct("<HHIQ8xHHI8xQ")
_PTX = 1
#: The kinds of entries with code that the driver runs. Others, such as the LTO form, are input of a linker.
_PREFIXES = {_PTX: "compute_", 2: "sm_"}
#: The flags of code for features of one architecture (as in sm_90a), and of one family of architectures (sm_100f).
_SPECIFIC, _FAMILY = 1 << 20, 1 << 21
#: Containers are aligned to 8 bytes; more zeros than one page between them do not occur.
_ALIGNMENT, _GAP = 8, 4096
#: More entries than in any library that we know, which has some thousands.
_MOST = 100_000


class _Entry(NamedTuple):
    architecture: str
    ptx: str
    """The version of the instruction set of PTX; empty for machine code."""


def containers(file: IO[bytes]) -> list[frozenset[str]]:
    """Return the architectures of each container of a shared library, such as ``{"sm_80", "compute_90"}``.

    An architecture is written as nvcc writes it: ``sm_`` for machine code, ``compute_`` for PTX. The list is empty for
    a library without CUDA code. Raises BadElf if the library cannot be read.
    """
    return [frozenset(entry.architecture for entry in entries) for entries in _containers(file)]


def ptx_versions(file: IO[bytes]) -> frozenset[str]:
    """Return the versions of the PTX in a shared library, such as "8.7" of CUDA 12.8. Raises BadElf."""
    return frozenset(entry.ptx for entries in _containers(file) for entry in entries if entry.ptx)


def _containers(file: IO[bytes]) -> Iterator[list[_Entry]]:
    for section in sections(file):
        if section.name == _SECTION:
            yield from _in_section(file, section)


def common(architectures: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the architectures of the kernels that a library has for all GPUs that it supports.

    Most containers have one of a few sets of architectures: one for kernels that every GPU needs, others for kernels
    that only some GPUs have. Of the sets that cover the most generations of GPUs, the first is the most frequent one.
    """
    counts = Counter(architectures)
    return max(counts, key=lambda names: (len(_generations(names)), counts[names], sorted(names)), default=frozenset())


def in_order(architectures: Iterable[str]) -> list[str]:
    """Return architectures sorted: machine code before PTX, older before newer."""
    return sorted(architectures, key=lambda name: (name.startswith("compute"), _number(name), name))


def _generations(architectures: Iterable[str]) -> set[int]:
    return {_number(name) // 10 for name in architectures}


def _number(architecture: str) -> int:
    return int(re.sub(r"\D", "", architecture))


def _in_section(file: IO[bytes], section: Section) -> Iterator[list[_Entry]]:
    at, end = section.offset, section.offset + section.size
    zeros = count = 0
    while at + _CONTAINER.size <= end:
        magic, _, header, size = _CONTAINER.unpack(read_at(file, at, _CONTAINER.size))
        if magic == _MAGIC and header >= _CONTAINER.size and at + header + size <= end:
            entries = list(islice(_in_container(file, at + header, at + header + size), _MOST))
            count += 1 + len(entries)
            if count > _MOST:
                raise BadElf(f"more than {_MOST} entries in {_SECTION}")
            yield entries
            at, zeros = at + header + size, 0
        elif magic == 0 and zeros < _GAP:
            at, zeros = at + _ALIGNMENT, zeros + _ALIGNMENT
        else:
            raise BadElf(f"no container at {at} of {_SECTION}")


def _in_container(file: IO[bytes], at: int, end: int) -> Iterator[_Entry]:
    while at < end:
        kind, _, header, size, minor, major, number, flags = _ENTRY.unpack(read_at(file, at, _ENTRY.size))
        if header < _ENTRY.size or at + header + size > end:
            raise BadElf(f"an entry at {at} of {_SECTION} is longer than its container")
        if kind in _PREFIXES:
            suffix = "a" if flags & _SPECIFIC else "f" if flags & _FAMILY else ""
            yield _Entry(f"{_PREFIXES[kind]}{number}{suffix}", f"{major}.{minor}" if kind == _PTX else "")
        at += header + size
