"""A file on the package index of which only the parts that are read are fetched."""

from __future__ import annotations

import io
from typing import Any


class NoRanges(Exception):
    """The package index does not support range requests."""


class Remote(io.RawIOBase):
    """A remote file. `session` is the HTTP session of the index client."""

    def __init__(self, session: Any, address: str) -> None:
        self._session, self._address, self._at = session, address, 0
        answer = session.get(address, headers={"Range": "bytes=0-0"})
        if answer.status_code != 206:
            raise NoRanges(f"{address.rpartition('/')[2]}: the package index does not support range requests")
        self._size = int(answer.headers["Content-Range"].rpartition("/")[2])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        answer = self._session.get(self._address, headers={"Range": f"bytes={self._at}-{end - 1}"})
        answer.raise_for_status()
        data = answer.content
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
