"""The compiled allocators of vLLM's wheels, some 27 KB each, fetched without the rest of the wheel."""

from __future__ import annotations

import functools
import io
import platform
import re
import zipfile
from pathlib import Path

from packaging.version import Version

from tests.upstream.releases import NotAvailable, cache_directory
from vcompat.foundation.writing import write_bytes
from vcompat.upstream.index import IndexUnreachable, Release, finder, wheels_of
from vcompat.upstream.remote import NoRanges, Remote

#: The first release with sleep mode.
SINCE = Version("0.7.0")
_NAME = "cumem_allocator.abi3.so"
_MEMBER = re.compile(rf"vllm/{re.escape(_NAME)}")
_PART = 1 << 18


def extension(version: str) -> Path:
    """Return the compiled allocator of a release. Raises NotAvailable with the release and the reason."""
    # vLLM finds the loaded file by its name.
    file = cache_directory() / f"allocators-{platform.machine()}" / version / _NAME
    if not file.is_file():
        wheel = wheels().get(Version(version))
        if wheel is None:
            raise NotAvailable(f"vllm {version} has no wheel for {platform.machine()}")
        data = _read(wheel)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, data)
    return file


@functools.cache
def wheels() -> dict[Version, Release]:
    """Return the wheels of the releases with sleep mode, oldest first. Raises NotAvailable."""
    try:
        found = wheels_of("vllm", platform.machine())
    except IndexUnreachable as trouble:
        raise NotAvailable(f"vllm: {trouble}") from trouble
    return {wheel.version: wheel for wheel in found if wheel.version >= SINCE}


def _read(wheel: Release) -> bytes:
    try:
        remote = Remote(finder().session, wheel.address)
        with zipfile.ZipFile(io.BufferedReader(remote, _PART)) as archive:
            (member,) = filter(_MEMBER.fullmatch, archive.namelist())
            return archive.read(member)
    except (NoRanges, OSError, ValueError, zipfile.BadZipFile) as trouble:
        raise NotAvailable(f"{wheel.file} cannot be read: {trouble}") from trouble
