"""Write files completely or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from vcompat.foundation.errors import InputError


def write_whole(path: Path, text: str, expected: str = "") -> None:
    """Write `text` to `path` atomically. On failure the old file stays and no temporary file remains.

    A link stays a link. A device or a pipe, such as ``/dev/stdout``, is written to and never replaced. Raises
    InputError, stating what was `expected`.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"), expected)  # a file name need not be text


def write_changed(path: Path, text: str, expected: str = "") -> bool:
    """Write `text` to `path` like `write_whole`, unless the file has it. Return whether it was written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.read_text(encoding="utf-8") == text:
            return False
    write_whole(path, text, expected)
    return True


def write_bytes(path: Path, data: bytes, expected: str = "") -> None:
    """Write `data` to `path` like `write_whole`. A replaced file keeps its permissions."""
    try:
        if _is_regular(path):
            _replace(Path(os.path.realpath(path)) if path.is_symlink() else path, data)
        else:
            with path.open("wb") as file:
                file.write(data)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror or error}", expected) from None


def _replace(path: Path, data: bytes) -> None:
    made = ""
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, delete=False) as file:
            made = file.name
            file.write(data)
        os.chmod(made, _mode(path))
        os.replace(made, path)
    except OSError:
        if made:
            with contextlib.suppress(OSError):
                os.unlink(made)
        raise


def _is_regular(path: Path) -> bool:
    """Whether there is a regular file at `path`, or nothing yet."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _mode(path: Path) -> int:
    """The permissions of the file at `path`; for a new file, readable by everybody."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return 0o644
