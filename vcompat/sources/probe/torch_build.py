"""How the installed torch was built, read from its files: the CUDA version and the architectures it has kernels for.

`torch.cuda.get_arch_list()` answers the same from a text compiled into libtorch_python.so; that text is looked up
in the file, so torch need not be imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import IO

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.sources.probe.packages import locate

_CHUNK = 1 << 20
#: Such as b"sm_75 sm_80 sm_86 sm_90 compute_90", ended by a zero byte.
_FLAGS = re.compile(rb"(?:(?:sm|compute)_\d+[a-z]?)(?: (?:sm|compute)_\d+[a-z]?)*(?=\0)")


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
            facts.forget("torch.architectures", f"{library} does not tell")
    return facts


def _cuda_version(version_file: str, facts: Facts) -> Version | None:
    """Record ``torch.cuda``; return the version, None for a build without CUDA or one that does not tell."""
    try:
        with open(version_file, encoding="utf-8", errors="replace") as file:
            text = cuda_version_in(file.read())
        if text is None:
            raise InvalidVersion
        cuda = Version(text) if text else None
    except (OSError, InvalidVersion):
        facts.forget("torch.cuda", f"{version_file} does not tell")
        return None
    facts.set("torch.cuda", cuda, "torch/version.py")
    return cuda


def cuda_version_in(text: str) -> str | None:
    """The CUDA version that torch's version.py states, empty for a build without; None if it does not tell."""
    match = re.search(r"^cuda\b[^=\n]*=\s*(?:None|['\"]([\d.]+)['\"])", text, re.MULTILINE)
    return match and (match[1] or "")


def compiled_architectures(library: str) -> tuple[str, ...]:
    """The architecture list compiled into `library`, such as ("sm_80", "sm_90"); empty if it cannot be found."""
    try:
        with open(library, "rb") as file:
            return architectures_in(file)
    except OSError:
        return ()


def architectures_in(library: IO[bytes]) -> tuple[str, ...]:
    """What `compiled_architectures` says of a library that is open; read in pieces, as it is large."""
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
        match = _FLAGS.match(data, at)
        # torch 2.8 and 2.9 keep it right behind another text, without a zero byte before it.
        if match is not None and (b" " in match[0] or data[at - 1 : at] == b"\0"):
            return tuple(match[0].decode("ascii").split())
        at = data.find(b"sm_", match.end() if match else at + 1)
    return ()
