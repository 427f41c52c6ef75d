"""What the kernel knows about its clock: whether anything keeps it in step, and how wrong it can be."""

from __future__ import annotations

import sys
from typing import Any

#: Flag STA_UNSYNC of adjtimex(2): nothing has set the clock right for a while, or ever.
_UNSYNCHRONIZED = 0x40
#: Where `struct timex` of Linux on 64 bits has `maxerror` and `status`, in bytes, and more than its size.
_MAXIMUM, _STATUS, _SIZE = 24, 40, 512


def probe_clock() -> dict[str, Any]:
    """Return ``synchronized``, and ``error_ms``: the most that the clock is off, by the kernel's own estimate.

    Both are None if the system does not tell. Nothing is changed.
    """
    unknown = {"synchronized": None, "error_ms": None}
    if sys.platform != "linux" or sys.maxsize < 2**32:
        return unknown
    # Imported here: a check needs no clock.
    import ctypes

    buffer = ctypes.create_string_buffer(_SIZE)
    try:
        # The mode, which comes first, is 0: read only.
        if ctypes.CDLL(None).adjtimex(buffer) < 0:
            return unknown
    except (OSError, AttributeError):
        return unknown
    status = int.from_bytes(buffer.raw[_STATUS : _STATUS + 4], sys.byteorder)
    error = int.from_bytes(buffer.raw[_MAXIMUM : _MAXIMUM + 8], sys.byteorder)
    synchronized = not status & _UNSYNCHRONIZED
    return {"synchronized": synchronized, "error_ms": error // 1000 if synchronized else None}
