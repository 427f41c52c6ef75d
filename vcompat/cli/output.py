"""Files that a user names for a command's output."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_bytes


def write_output(path: str, text: str, expected: str) -> None:
    """Write `text` to the file at `path`: whole or not at all, through a link if it is one.

    A device or a pipe, such as ``/dev/stdout``, is written to and never replaced. Raises InputError, saying what was
    `expected`.
    """
    data = text.encode("utf-8", "backslashreplace")  # a file name need not be text
    if _is_regular(path):
        write_bytes(Path(os.path.realpath(path) if os.path.islink(path) else path), data, expected)
        return
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}", expected) from None


def _is_regular(path: str) -> bool:
    """Whether there is a regular file at `path`, or nothing yet."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True
