"""The torch wheels on the package index: for which CUDA version and architectures they are built, and their source.

Such a wheel has close to a gigabyte. A few of its files contain the answer, so only their parts of it are fetched.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from vcompat.sources.probe.builds.torch_build import architectures_in, cuda_version_in
from vcompat.upstream.index import Release, finder
from vcompat.upstream.remote import Remote
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
        remote = Remote((client or finder()).session, release.address)
        with zipfile.ZipFile(io.BufferedReader(remote, 1 << 20)) as wheel:
            yield wheel
    except Unavailable:
        raise
    except Exception as error:  # the type depends on the HTTP library of the client
        raise Unavailable(f"{release.package} {release.version}: {release.file} cannot be read: {error}") from error


def _text(wheel: zipfile.ZipFile, path: str) -> str:
    return wheel.read(path).decode("utf-8", errors="replace")
