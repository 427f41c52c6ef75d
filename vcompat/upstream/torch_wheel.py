"""How the torch wheels on the package index are built: for which CUDA version, with kernels for which architectures.

Such a wheel has close to a gigabyte. Two of its files contain the answer, so only their parts of the wheel are fetched.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

from vcompat.sources.probe.torch_build import architectures_in, cuda_version_in
from vcompat.upstream.index import Release, finder
from vcompat.upstream.store import Unavailable

TORCH, CUDA, ARCHITECTURES = "torch", "cuda", "architectures"


def build_of(release: Release, client: Any = None) -> dict[str, str]:
    """Return the CUDA version of a torch release's wheel for Linux, and its architectures separated by commas.

    Empty for a build without CUDA. Raises Unavailable if the wheel cannot be read.
    """
    try:
        remote = _Remote((client or finder()).session, release.address)
        with zipfile.ZipFile(io.BufferedReader(remote, 1 << 20)) as wheel:
            cuda = cuda_version_in(wheel.read("torch/version.py").decode("utf-8", errors="replace"))
            if not cuda:
                return {}
            with wheel.open("torch/lib/libtorch_python.so") as library:
                return {CUDA: cuda, ARCHITECTURES: ",".join(architectures_in(library))}
    except Unavailable:
        raise
    except Exception as error:  # the type depends on the HTTP library of the client
        raise Unavailable(f"{release.package} {release.version}: {release.file} cannot be read: {error}") from error


class _Remote(io.RawIOBase):
    """A remote file of which only the ranges that are read are fetched."""

    def __init__(self, session: Any, address: str) -> None:
        self._session, self._address, self._at = session, address, 0
        answer = session.get(address, headers={"Range": "bytes=0-0"})
        if answer.status_code != 206:
            raise Unavailable(f"{address.rpartition('/')[2]}: the package index does not support range requests")
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
