"""Build small source distributions and wheels."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping


def sdist(root: str, files: Mapping[str, str]) -> bytes:
    """Return a source distribution with its files in the folder `root`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"{root}/{name}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def wheel(files: Mapping[str, str]) -> bytes:
    """Return a wheel."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()
