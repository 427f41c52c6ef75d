"""How an index is cut into chunks. A chunk is named after its first module."""

from __future__ import annotations

from zlib import crc32

#: One of so many modules begins a chunk. It depends on its name alone, so new modules leave the other chunks alone.
_MODULES = 24
#: The members of the file: what the index is about, chunks of names and of lines, and where code moved to.
ABOUT, NAMES, LINES, MOVES = "about.json", "names/", "lines/", "moves"


def chunk_of(module: str, current: str) -> str:
    """Return the chunk of a module that follows those of the chunk `current`."""
    return module if not current or crc32(module.encode()) % _MODULES == 0 else current


def modules_of(names: str) -> list[str]:
    """Return the modules of a chunk, in order, from its names."""
    return [line[1:] for line in names.split("\n") if line.startswith("@")]
