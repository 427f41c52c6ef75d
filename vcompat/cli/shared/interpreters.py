"""Which Python environment a command uses, as far as its first word tells."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence

_PYTHON = re.compile(r"python(\d+(\.\d+)?)?")


def python_of(words: Sequence[str]) -> str | None:
    """Return the interpreter that the command starts: empty if it is that of this process, None if it is not known.

    A console script, such as torchrun, names its interpreter in its first line.
    """
    path = shutil.which(words[0]) if words else None
    if path is not None and not _PYTHON.fullmatch(os.path.basename(path)):
        path = _named_in(path)
    if not path:
        return None
    return "" if _folder(path) == _folder(sys.executable) else path


def _named_in(script: str) -> str:
    """Return the interpreter in the first line of a script; empty if there is none, or it is found by PATH."""
    try:
        with open(script, "rb") as file:
            first = file.readline(4096)
    except OSError:
        return ""
    interpreter = os.fsdecode(first[2:].strip()) if first.startswith(b"#!") else ""
    return interpreter if _PYTHON.fullmatch(os.path.basename(interpreter)) and os.path.exists(interpreter) else ""


def _folder(interpreter: str) -> str:
    # Not the interpreter itself, which is the same file in all environments made from it.
    return os.path.realpath(os.path.dirname(os.path.abspath(interpreter)))
