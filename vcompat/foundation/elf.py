"""The sections of a shared library, and the libraries that it needs: as much of ELF as that takes.

The layout is that of the System V ABI for 64-bit little-endian files, the only kind on x86_64 and aarch64.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, NamedTuple

#: Of the file header: where the section headers are, and their size, number and the index of the one for their names.
_HEADER = struct.Struct("<16s24xQ10xHHH")
#: Of a section header: name, type, offset, size, linked section.
_SECTION = struct.Struct("<II16xQQI20x")
_ENTRY = struct.Struct("<QQ")
_MAGIC = b"\x7fELF\x02\x01"
_DYNAMIC, _NEEDED, _END = 6, 1, 0
#: Larger tables of strings or entries, in bytes, are those of no library that we read.
_LARGEST = 64 << 20


class BadElf(Exception):
    """The file is not a complete 64-bit little-endian ELF file; the message states why."""


class Section(NamedTuple):
    """One section: its name, its type and the bytes of the file that it covers."""

    name: str
    kind: int
    offset: int
    size: int
    link: int


def sections(file: IO[bytes]) -> list[Section]:
    """Return the sections of a shared library. Raises BadElf."""
    magic, offset, size, count, names = _HEADER.unpack(read_at(file, 0, _HEADER.size))
    if not magic.startswith(_MAGIC):
        raise BadElf("not a 64-bit little-endian ELF file")
    if size != _SECTION.size or not names < count:
        raise BadElf("it has no section headers")
    headers = list(_SECTION.iter_unpack(read_at(file, offset, size * count)))
    _, _, start, length, _ = headers[names]
    texts = read_at(file, start, length)
    return [Section(_text(texts, name), *rest) for name, *rest in headers]


def needed(file: IO[bytes]) -> tuple[str, ...]:
    """Return the names of the libraries that the loader needs for a shared library. Raises BadElf."""
    every = sections(file)
    return tuple(name for section in every if section.kind == _DYNAMIC for name in _needed(file, section, every))


def _needed(file: IO[bytes], dynamic: Section, every: list[Section]) -> Iterator[str]:
    if not dynamic.link < len(every):
        raise BadElf("its dynamic section has no strings")
    strings = every[dynamic.link]
    texts = read_at(file, strings.offset, strings.size)
    entries = read_at(file, dynamic.offset, dynamic.size - dynamic.size % _ENTRY.size)
    for tag, value in _ENTRY.iter_unpack(entries):
        if tag == _END:
            return
        if tag == _NEEDED:
            yield _text(texts, value)


def read_at(file: IO[bytes], offset: int, size: int) -> bytes:
    """Return `size` bytes at `offset`. Raises BadElf if the file does not have them."""
    if size > _LARGEST:
        raise BadElf(f"a table of {size} bytes")
    try:
        file.seek(offset)
        data = file.read(size)
    except (OSError, ValueError, OverflowError) as error:
        raise BadElf(f"{size} bytes at {offset} cannot be read: {error}") from error
    if len(data) < size:
        raise BadElf("the file is truncated")
    return data


def _text(texts: bytes, offset: int) -> str:
    end = texts.find(b"\0", offset)
    if not 0 <= offset <= end:
        raise BadElf("a name is outside of the table of names")
    return texts[offset:end].decode("utf-8", errors="replace")
