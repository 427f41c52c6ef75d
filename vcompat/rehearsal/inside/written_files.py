"""Opens the files that a process of a rehearsal writes."""

from __future__ import annotations

import os
from typing import IO


def opened(path: str) -> IO[bytes]:
    """Open a private file to append to, without a buffer. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return open(descriptor, "ab", buffering=0)
