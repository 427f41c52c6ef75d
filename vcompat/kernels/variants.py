"""The variants of a kernel: releases whose kernel, wrapper and Triton are the same need one measurement.

The code of a variant is the kernel's module and all of vLLM's modules that it imports, directly or not, comments and
layout aside. Modules that describe the machine, log or read settings are not part of it: `_SURROUNDINGS`.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.kernels.grid import Kernel
from vcompat.rules.fingerprint import normalized
from vcompat.rules.record import load_record
from vcompat.upstream.index import Release
from vcompat.upstream.store import Store

#: Modules that do not take part in what is compiled.
_SURROUNDINGS = (
    "vllm.logger",
    "vllm.envs",
    "vllm.platforms",
    "vllm.plugins",
    "vllm.utils",
    "vllm.config",
    "vllm.triton_utils.importing",
    "vllm.model_executor.layers.batch_invariant",
    "vllm.v1.kv_cache_interface",
)


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


def variants(kernel: Kernel, pins: Mapping[Version, str], store: Store) -> Iterator[Variant]:
    """Yield the variants of a kernel, oldest first. `pins` states the Triton of each release."""
    open_: Variant | None = None
    for version in sorted(pins):
        if version < Version(kernel.since) or (kernel.below and version >= Version(kernel.below)):
            continue
        with store.open(Release("vllm", version, "", "", "", False)) as archive:
            path = next((path for path in kernel.paths if archive.read(path)), "")
            code = _code(path, archive.read) if path else ""
        module = _module(path)
        if open_ and (open_.module, open_.triton, open_.code) == (module, pins[version], code):
            open_ = open_._replace(releases=(*open_.releases, version))
            continue
        if open_:
            yield open_
        open_ = Variant(kernel, module, pins[version], code, (version,)) if path else None
    if open_:
        yield open_


def triton_pins(releases: Sequence[Version] | None = None) -> dict[Version, str]:
    """Return the Triton release of each vLLM release, from what it and torch declare in the records."""
    vllm, torch = load_record("vllm", with_rows=False), load_record("torch", with_rows=False)
    pins = {}
    for version in releases or vllm.releases:
        needed = vllm.declares["torch"].get(version, "")
        triton = torch.declares["triton"].get(Version(needed[2:]), "") if needed.startswith("==") else ""
        if triton:
            pins[version] = triton.lstrip("=~")
    return pins


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _code(path: str, read: Callable[[str], str | None]) -> str:
    """Return the hash of a module and of vLLM's modules that it imports."""
    seen: dict[str, str] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        text = read(file) or ""
        seen[file] = normalized(text, "") or ""
        waiting += [found for name in _imported(text) for found in _files(name, read)]
    lines = [f"{_module(file).rpartition('.')[2]} {seen[file]}" for file in sorted(seen)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _imported(text: str) -> Iterator[str]:
    """Yield vLLM's modules that a module's top level imports, and names that may be modules."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (node.module, *(f"{node.module}.{name.name}" for name in node.names))
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def _files(name: str, read: Callable[[str], str | None]) -> Iterator[str]:
    if not name.startswith("vllm.") or any(f"{name}.".startswith(f"{other}.") for other in _SURROUNDINGS):
        return
    base = name.replace(".", "/")
    yield from (path for path in (f"{base}.py", f"{base}/__init__.py") if read(path) is not None)
