"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from vcompat.errors import InputError


def write_whole(path: Path, text: str, expected: str = "") -> None:
    """Put `text` into `path`, replacing what is there at once; where that fails, nothing is left behind.

    Raises InputError, saying what was `expected`.
    """
    made = ""
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            made = file.name
            file.write(text)
        # As others may read what is beside it, they may read this.
        os.chmod(made, 0o644)
        os.replace(made, path)
    except OSError as error:
        if made:
            with contextlib.suppress(OSError):
                os.unlink(made)
        raise InputError(str(path), f"cannot be written: {error.strerror or error}", expected) from None
