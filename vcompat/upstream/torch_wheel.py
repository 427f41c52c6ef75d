"""The torch wheels on the package index: for which CUDA version and architectures they are built, and their source.

Such a wheel has close to a gigabyte. A few of its files contain the answer, so only their parts of it are fetched.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from vcompat.sources.probe.torch_build import architectures_in, cuda_version_in
from vcompat.upstream.index import Release, finder
from vcompat.upstream.requirements import PINNED, declared
from vcompat.upstream.store import Unavailable

TORCH, CUDA, ARCHITECTURES = "torch", "cuda", "architectures"


def build_of(release: Release, client: Any = None) -> dict[str, str]:
    """Return what a torch release's wheel for Linux is built for, and what it pins of the libraries in `PINNED`.

    The first is its CUDA version, and its architectures separated by commas.

    Empty for a build without CUDA. Raises Unavailable if the wheel cannot be read.
    """
    with _opened(release, client) as wheel:
        cuda = cuda_version_in(_text(wheel, "torch/version.py"))
        if not cuda:
            return {}
        with wheel.open("torch/lib/libtorch_python.so") as library:
            return {CUDA: cuda, ARCHITECTURES: ",".join(architectures_in(library)), **_pins(wheel, release)}


def _pins(wheel: zipfile.ZipFile, release: Release) -> dict[str, str]:
    metadata = f"{release.package}-{release.version}.dist-info/METADATA"
    required = declared(release.package, release.version, {metadata: _text(wheel, metadata)}.get)
    return {name: text for name, text in required.items() if name in PINNED}


def sources_of(release: Release, paths: Sequence[str], client: Any = None) -> dict[str, str]:
    """Return the text of files of a torch release's wheel, by path. Raises Unavailable if they cannot be read."""
    with _opened(release, client) as wheel:
        return {path: _text(wheel, path) for path in paths}


@contextmanager
def _opened(release: Release, client: Any) -> Iterator[zipfile.ZipFile]:
    """Open the wheel of a release. Whatever fails inside raises Unavailable."""
    try:
        remote = _Remote((client or finder()).session, release.address)
        with zipfile.ZipFile(io.BufferedReader(remote, 1 << 20)) as wheel:
            yield wheel
    except Unavailable:
        raise
    except Exception as error:  # the type depends on the HTTP library of the client
        raise Unavailable(f"{release.package} {release.version}: {release.file} cannot be read: {error}") from error


def _text(wheel: zipfile.ZipFile, path: str) -> str:
    return wheel.read(path).decode("utf-8", errors="replace")


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
