"""The facts ``host.*``: interpreter, processor, C library, container, shared memory, memory limit, compilers."""

from __future__ import annotations

import os
import sys

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.sources.probe.compilers import probe_compilers
from vcompat.sources.probe.toolkit import probe_toolkit

_MIB = 1024 * 1024
#: The parts of AVX-512 that oneDNN requires together (its ISA ``AVX512_CORE``), as Linux names them.
_AVX512 = frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl"})
#: The parts of AMX that kernels for bfloat16 require, as Linux names them.
_AMX = frozenset({"amx_tile", "amx_bf16"})
#: Bytes of /proc/cpuinfo that are read; the entry of one processor has at most a few thousand.
_ONE_PROCESSOR = 16384
#: Files that container runtimes create in a container.
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
#: Files with the memory limit of the cgroup, in bytes: version 2, then version 1.
_MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def probe_host() -> Facts:
    """Read the facts ``host.*``. Facts that the system does not provide stay unknown."""
    facts = Facts()
    source = "this machine"
    facts.set("host.python", Version(".".join(map(str, sys.version_info[:3]))), source)
    facts.set("host.system", sys.platform, source)
    facts.set("host.container", _in_container(), source)
    if hasattr(os, "uname"):
        facts.set("host.machine", os.uname().machine, source)
    flags = _processor_flags()
    if flags:
        facts.set("host.avx512", flags >= _AVX512, "/proc/cpuinfo")
        facts.set("host.amx", flags >= _AMX, "/proc/cpuinfo")
    glibc = _glibc()
    if glibc is not None:
        facts.set("host.glibc", glibc, source)
    shared = _shared_memory_mib()
    if shared is not None:
        facts.set("host.shm_mib", shared, "size of /dev/shm")
    memory = _memory_mib()
    if memory is not None:
        facts.set("host.memory_mib", memory, "smaller of installed memory and cgroup limit")
    probe_toolkit(facts)
    probe_compilers(facts)
    return facts


def _in_container() -> bool:
    named = "container" in os.environ or "KUBERNETES_SERVICE_HOST" in os.environ
    return named or any(os.path.exists(mark) for mark in _CONTAINER_MARKS)


def _processor_flags() -> frozenset[str]:
    """The features of an x86 processor; empty for other processors and systems."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = file.read(_ONE_PROCESSOR).splitlines()
    except OSError:
        return frozenset()
    flags = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(flags.partition(":")[2].split())


def _glibc() -> Version | None:
    try:
        name, _, number = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        return Version(number) if name == "glibc" else None
    except (AttributeError, ValueError, OSError, InvalidVersion):
        return None


def _shared_memory_mib() -> int | None:
    try:
        size = os.statvfs("/dev/shm")
    except (AttributeError, OSError):
        return None
    return size.f_blocks * size.f_frsize // _MIB


def _memory_mib() -> int | None:
    try:
        limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, ValueError, OSError):
        return None
    for path in _MEMORY_LIMITS:
        try:
            with open(path, encoding="ascii") as file:
                limits.append(int(file.read()))
        except (OSError, ValueError):
            # The file does not exist or contains "max": there is no limit.
            continue
    return min(limits) // _MIB
