"""Shared libraries with CUDA code, built byte by byte as nvcc and the linker lay them out."""

from __future__ import annotations

import struct
from collections.abc import Sequence

#: Kinds of entries in a container.
PTX, CUBIN, LTO = 1, 2, 8
#: Flags of entries that nvcc 13.5 wrote for sm_80, sm_90a and sm_100f.
PLAIN, SPECIFIC, FAMILY = 0x11, 0x100011, 0x1200011


def entry(kind: int, number: int, flags: int = PLAIN, code: bytes = b"code" * 4, header: int = 64) -> bytes:
    """Return an entry of a container: its header and its code. The PTX is that of CUDA 12.8."""
    minor, major = (7, 8) if kind == PTX else (8, 1)
    fields = (kind, 0x101, header, len(code), 0, 0, minor, major, number, 0, 0, flags, 0, 0)
    return struct.pack("<HHIQIIHHIIIQQQ", *fields).ljust(header, b"\0") + code


def container(*entries: bytes) -> bytes:
    """Return a container, as nvcc writes one for each source file."""
    inside = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(inside)) + inside


def library(needed: Sequence[str] = (), fatbin: bytes | None = None) -> bytes:
    """Return a library that needs other libraries, and has `fatbin` in its section of CUDA code."""
    strings, dynamic = b"\0", b""
    for name in needed:
        dynamic += struct.pack("<QQ", 1, len(strings))
        strings += name.encode() + b"\0"
    # The end of the table, after which the linker leaves unused entries.
    dynamic += struct.pack("<QQ", 0, 0) + struct.pack("<QQ", 1, 0)
    parts = [(".dynstr", 3, strings, 0), (".dynamic", 6, dynamic, 1)]
    if fatbin is not None:
        parts.append((".nv_fatbin", 1, fatbin, 0))
    return _file([*parts, (".shstrtab", 3, b"", 0)])


def _file(parts: list[tuple[str, int, bytes, int]]) -> bytes:
    names = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in parts)
    body, headers, at = b"", bytes(64), 1
    for name, kind, data, link in parts:
        content = names if name == ".shstrtab" else data
        headers += struct.pack("<IIQQQQIIQQ", at, kind, 0, 0, 64 + len(body), len(content), link, 0, 1, 0)
        body, at = body + content, at + len(name) + 1
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    numbers = (3, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(parts) + 1, len(parts))
    return identity + struct.pack("<HHIQQQIHHHHHH", *numbers) + body + headers
