"""The variants of a kernel: releases whose kernel, wrapper and Triton are the same need one measurement.

The code of a variant is what `closure` leaves of vLLM's modules, comments and layout aside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from vcompat.kernels.closure import closure
from vcompat.kernels.grid import Kernel
from vcompat.rules.fingerprint import normalized
from vcompat.rules.record import load_record
from vcompat.upstream.index import Release
from vcompat.upstream.store import Store


class Variant(NamedTuple):
    """Releases in which a kernel and its Triton are the same."""

    kernel: Kernel
    module: str
    """The name of the kernel's module, such as vllm.attention.ops.prefix_prefill."""
    triton: str
    code: str
    """The hash of the code."""
    releases: tuple[Version, ...]
    """Consecutive releases, oldest first."""
    texts: Mapping[str, str]
    """What of the oldest one's modules the kernel needs (see `closure`), by the path of the file."""


def variants(kernel: Kernel, pins: Mapping[Version, str], store: Store) -> Iterator[Variant]:
    """Yield the variants of a kernel, oldest first. `pins` states the Triton of each release."""
    open_: Variant | None = None
    for version in sorted(pins):
        if version < Version(kernel.since) or (kernel.below and version >= Version(kernel.below)):
            continue
        with store.open(Release("vllm", version, "", "", "", False)) as archive:
            path = next((path for path in kernel.paths if archive.read(path)), "")
            module = path.removesuffix(".py").replace("/", ".")
            texts = closure(module, kernel.entries, archive.read) if path else {}
        code = _hash(texts)
        if open_ and (open_.module, open_.triton, open_.code) == (module, pins[version], code):
            open_ = open_._replace(releases=(*open_.releases, version))
            continue
        if open_:
            yield open_
        open_ = Variant(kernel, module, pins[version], code, (version,), texts) if texts else None
    if open_:
        yield open_


def triton_pins() -> dict[Version, str]:
    """Return the Triton release of each vLLM release, from what it and torch declare in the records."""
    vllm, torch = load_record("vllm", with_rows=False), load_record("torch", with_rows=False)
    pins = {}
    for version in vllm.releases:
        needed = vllm.declares["torch"].get(version, "")
        triton = torch.declares["triton"].get(Version(needed[2:]), "") if needed.startswith("==") else ""
        if triton:
            pins[version] = triton.lstrip("=~")
    return pins


def _hash(texts: Mapping[str, str]) -> str:
    lines = [f"{Path(path).stem} {normalized(text, '') or ''}" for path, text in texts.items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
