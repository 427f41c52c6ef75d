"""The compiled code in wheels: for which GPU architectures it is built, and for which CUDA runtime.

Such a wheel has hundreds of megabytes. Only the libraries that are recorded are fetched, each to a temporary file.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from packaging.version import Version

from vcompat.facts.wheels import MACHINES, VLLM_FILES, VLLM_KERNELS, Compiled, compiled_code, key_of
from vcompat.upstream.index import IndexUnreachable, Release, finder, wheels_of
from vcompat.upstream.remote import Remote
from vcompat.upstream.store import Unavailable

#: For each package whose wheels are inspected: the recorded libraries, with a pattern of their files.
LIBRARIES: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "vllm": {
        VLLM_KERNELS: VLLM_FILES,
        "vllm/_moe_C": re.compile(r"vllm/_moe_C(_stable_libtorch)?\.[^/]*so"),
    }
}
#: The first releases that are inspected: those of vLLM with the present layout of the libraries.
SINCE: Mapping[str, Version] = {"vllm": Version("0.4.1")}
_PART = 4 << 20


def compiled_of(release: Release, client: Any = None) -> dict[str, Compiled]:
    """Return the compiled code of a release's wheels for Linux, by library and processor (see `wheels.key_of`).

    Empty for what is not recorded: other packages, releases before `SINCE`, without wheels or not on the index.
    Raises Unavailable if a wheel cannot be read.
    """
    package, version = release.package, release.version
    if package not in LIBRARIES or version < SINCE[package] or not release.address:
        return {}
    client = client or finder()
    found: dict[str, Compiled] = {}
    for machine in MACHINES:
        try:
            wheel = next((one for one in wheels_of(package, machine, client) if one.version == version), None)
        except IndexUnreachable as trouble:
            raise Unavailable(f"{package} {version}: {trouble}") from trouble
        if wheel is not None:
            found |= {key_of(library, machine): code for library, code in _read(wheel, client).items()}
    return found


def _read(wheel: Release, client: Any) -> dict[str, Compiled]:
    try:
        remote = Remote(client.session, wheel.address)
        with zipfile.ZipFile(io.BufferedReader(remote, _PART)) as archive:
            return dict(_libraries(archive, LIBRARIES[wheel.package]))
    except Exception as error:  # the type depends on the HTTP library of the client
        raise Unavailable(f"{wheel.package} {wheel.version}: {wheel.file} cannot be read: {error}") from error


def _libraries(archive: zipfile.ZipFile, wanted: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[str, Compiled]]:
    for library, pattern in wanted.items():
        files = [name for name in archive.namelist() if pattern.fullmatch(name)]
        if files:
            yield library, compiled_code(_copies(archive, files))


def _copies(archive: zipfile.ZipFile, names: Iterable[str]) -> Iterator[IO[bytes]]:
    """Yield a temporary copy of each file, since a file in an archive cannot be read from the middle."""
    for name in names:
        with tempfile.TemporaryFile() as copy, archive.open(name) as member:
            while part := member.read(_PART):
                copy.write(part)
            yield copy
