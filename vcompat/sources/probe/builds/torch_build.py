"""Reads the CUDA version and the GPU architectures of the installed torch from its files.

`torch.cuda.get_arch_list()` returns a string that is compiled into libtorch_python.so. The probe searches the file for
that string, so torch is not imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import IO

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.sources.probe.installed_packages import locate

_CHUNK = 1 << 20
#: Matches a list such as b"sm_75 sm_80 sm_86 sm_90 compute_90", followed by a zero byte.
_FLAGS = rb"(?:(?:sm|compute)_\d+[a-z]?)(?: (?:sm|compute)_\d+[a-z]?)*(?=\0)"

#: What torch/version.py states besides `cuda`.
_OTHER_BUILDS = (("hip", "amd"), ("xpu", "intel"))


def probe_torch(path: Iterable[str] | None = None) -> Facts:
    """Read ``torch.cuda`` and ``torch.architectures`` of the torch on `path` (default: ``sys.path``)."""
    facts = Facts()
    distribution = locate("torch", path)
    if distribution is None:
        return facts
    package = os.path.join(os.path.dirname(distribution.directory), "torch")
    cuda = _cuda_version(os.path.join(package, "version.py"), facts)
    if cuda is not None:
        library = os.path.join(package, "lib", "libtorch_python.so")
        architectures = compiled_architectures(library)
        if architectures:
            facts.set("torch.architectures", architectures, "compiled into libtorch_python.so")
        else:
            facts.forget("torch.architectures", f"no architecture list found in {library}")
    return facts


def vendor_of_torch(path: Iterable[str] | None = None) -> str | None:
    """Return the vendor of the GPUs that the torch on `path` is built for: AMD or Intel; None for another build."""
    distribution = locate("torch", path)
    if distribution is None:
        return None
    try:
        with open(
            os.path.join(os.path.dirname(distribution.directory), "torch", "version.py"), encoding="utf-8"
        ) as file:
            text = file.read()
    except (OSError, ValueError):
        return None
    return next(
        (vendor for name, vendor in _OTHER_BUILDS if re.search(rf"^{name}\b[^=\n]*= *['\"]\d", text, re.M)), None
    )


def _cuda_version(version_file: str, facts: Facts) -> Version | None:
    """Record ``torch.cuda``. Returns the version; None for a build without CUDA or if the version was not found."""
    try:
        with open(version_file, encoding="utf-8", errors="replace") as file:
            text = cuda_version_in(file.read())
        if text is None:
            raise InvalidVersion
        cuda = Version(text) if text else None
    except (OSError, InvalidVersion):
        facts.forget("torch.cuda", f"no CUDA version found in {version_file}")
        return None
    facts.set("torch.cuda", cuda, "torch/version.py")
    return cuda


def cuda_version_in(text: str) -> str | None:
    """Return the CUDA version in torch's version.py; empty for a build without CUDA, None if it was not found."""
    match = re.search(r"^cuda\b[^=\n]*=\s*(?:None|['\"]([\d.]+)['\"])", text, re.MULTILINE)
    return match and (match[1] or "")


def compiled_architectures(library: str) -> tuple[str, ...]:
    """Return the architectures compiled into `library`, such as ("sm_80", "sm_90"); empty if they were not found."""
    try:
        with open(library, "rb") as file:
            return architectures_in(file)
    except OSError:
        return ()


def architectures_in(library: IO[bytes]) -> tuple[str, ...]:
    """Return the architectures compiled into an open library, which is read in chunks because it is large."""
    tail = b""
    while chunk := library.read(_CHUNK):
        found = _architectures_within(tail + chunk)
        if found:
            return found
        tail = chunk[-256:]
    return ()


def _architectures_within(data: bytes) -> tuple[str, ...]:
    at = data.find(b"sm_")
    while at >= 0:
        match = re.compile(_FLAGS).match(data, at)
        # torch 2.8 and 2.9 store the list directly after another string, without a zero byte between them.
        if match is not None and (b" " in match[0] or data[at - 1 : at] == b"\0"):
            return tuple(match[0].decode("ascii").split())
        at = data.find(b"sm_", match.end() if match else at + 1)
    return ()
