"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from vcompat.foundation.errors import InputError


def write_whole(path: Path, text: str, expected: str = "") -> None:
    """Put `text` into `path`, replacing what is there at once; where that fails, nothing is left behind.

    Raises InputError, saying what was `expected`.
    """
    write_bytes(path, text.encode("utf-8"), expected)


def write_bytes(path: Path, data: bytes, expected: str = "") -> None:
    """The same for bytes. A file that is replaced keeps its permissions."""
    made = ""
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, delete=False) as file:
            made = file.name
            file.write(data)
        os.chmod(made, _mode(path))
        os.replace(made, path)
    except OSError as error:
        if made:
            with contextlib.suppress(OSError):
                os.unlink(made)
        raise InputError(str(path), f"cannot be written: {error.strerror or error}", expected) from None


def _mode(path: Path) -> int:
    """The permissions of the file at `path`; of a new one, those that let others read it."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return 0o644
