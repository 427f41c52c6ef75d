"""Files that a user names, read within bounds: only regular files, only up to a size, and errors in one line."""

from __future__ import annotations

import os
import stat

from vcompat.foundation.errors import InputError

MB = 1_000_000


def read_bytes(path: str, limit: int, expected: str) -> bytes:
    """The contents of the file at `path`, of at most `limit` bytes.

    Raises InputError, with what was `expected` there, for what is no regular file (a device or a pipe could give bytes
    for ever), for one that is larger, and for one that cannot be read.
    """
    try:
        # Opened without waiting: a pipe has no end before somebody writes to it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise InputError(path, "Is a directory", expected)
            if not stat.S_ISREG(status.st_mode):
                raise InputError(path, "not a regular file", expected)
            data = file.read(limit + 1) if status.st_size <= limit else b""
    except (OSError, ValueError) as error:
        raise InputError(path, getattr(error, "strerror", None) or str(error), expected) from None
    if status.st_size > limit or len(data) > limit:
        raise InputError(path, f"larger than {limit // MB} MB", expected)
    return data


def read_text(path: str, limit: int, expected: str) -> str:
    """The text of the file at `path`, as UTF-8 with or without a byte order mark. Raises InputError as `read_bytes`."""
    data = read_bytes(path, limit, expected)
    if b"\0" in data:
        raise InputError(path, "holds binary data", expected)
    try:
        # Not by the codec that does both: importing it takes longer than reading a file.
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}", "not UTF-8 text", expected) from None
