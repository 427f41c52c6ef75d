"""Read files named by the user, with limits: only regular files, only up to a size, errors in one line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from vcompat.foundation.errors import InputError

MB = 1_000_000

_INSTEAD: ContextVar[Mapping[str, bytes] | None] = ContextVar("_INSTEAD", default=None)


@contextmanager
def reading_instead(contents: Mapping[str, bytes]) -> Iterator[None]:
    """Let the files in `contents`, by their real paths, be read with other contents than those on the disk.

    This checks an edit before it is written.
    """
    token = _INSTEAD.set(contents)
    try:
        yield
    finally:
        _INSTEAD.reset(token)


def read_bytes(path: str, limit: int, expected: str) -> bytes:
    """Return the contents of the file at `path`, at most `limit` bytes.

    Raises InputError, stating what was `expected`, if the path is not a regular file (a device or a pipe could return
    bytes forever), if the file is larger, or if it cannot be read.
    """
    instead = _INSTEAD.get()
    if instead and (real := os.path.realpath(path)) in instead:
        return instead[real]
    try:
        # Non-blocking: opening a pipe would wait for a writer.
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
    """Return the file's text, decoded as UTF-8 without its byte order mark. Raises InputError like `read_bytes`."""
    data = read_bytes(path, limit, expected)
    if b"\0" in data:
        raise InputError(path, "holds binary data", expected)
    try:
        # Not the codec utf-8-sig: importing it takes longer than reading a file.
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}", "not UTF-8 text", expected) from None
