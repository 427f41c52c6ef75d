"""What of a release decides: the files that take part in its choices, and the packages that its wheel requires."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from vcompat.kernels.backends import engine_choice
from vcompat.kernels.backends.choice_child import real_modules
from vcompat.rules.fingerprint import normalized
from vcompat.upstream import requirements

#: Requirements that vLLM's code asks for when it chooses, and the names that it imports.
_ASKED_FOR = {
    "xformers": "xformers",
    "vllm-flash-attn": "vllm_flash_attn",
    "flashinfer-python": "flashinfer",
    "flashinfer-cubin": "flashinfer_cubin",
}
#: Packages of other platforms and of documentation, which a plain installation lacks.
_ELSEWHERE = (
    "aiter amdsmi flash_attn intel_extension_for_pytorch libtpu sphinx torch_xla tpu_inference transformers_neuronx"
).split()
_PINNED = re.compile(r"^==([0-9][^,]*)$")
#: What the code of a backend calls if it runs a Triton kernel for a plain decoder model.
FUNCTIONS = {
    "PagedAttention.forward_prefix(": "context_attention_fwd",
    "chunked_prefill_paged_decode(": "chunked_prefill_paged_decode",
    "unified_attention(": "unified_attention",
    "triton_reshape_and_cache_flash(": "triton_reshape_and_cache_flash",
    "merge_attn_states(": "merge_attn_states",
    "flex_attention_compiled(": "flex_attention",
}


class Source(NamedTuple):
    """What is read of a release before anything of it is run."""

    version: Version
    archive: Path
    code: str
    """The hash of the code that decides, and of the requirements."""
    present: Mapping[str, str]
    """Packages that a plain installation has, with their versions."""
    lacking: tuple[str, ...]
    calls: Mapping[tuple[str, str], tuple[str, ...]]
    """By engine and backend: the functions over Triton kernels that it calls."""


def read(version: Version, archive: Path) -> Source:
    """Read a release from its packed source."""
    with zipfile.ZipFile(archive) as opened:
        files = frozenset(opened.namelist())
        pinned = dict(_pinned(version, lambda name: opened.read(name).decode() if name in files else None))
        engines = engine_choice.kinds(files, opened.read)
        deciding = [name for name in sorted(files) if name.endswith(".py") and _decides(name, len(engines) > 1)]
        parts = [f"{name} {hashlib.sha256(opened.read(name)).hexdigest()}" for name in deciding]
        calls = dict(_calls(opened, files, engines))
    present = {module: pinned[name] for name, module in _ASKED_FOR.items() if name in pinned}
    lacking = (*_ELSEWHERE, *(module for module in _ASKED_FOR.values() if module not in present))
    code = hashlib.sha256("\n".join([*map(str, sorted(present.items())), *engines, *parts]).encode())
    return Source(version, archive, code.hexdigest()[:12], present, lacking, calls)


def _pinned(version: Version, read: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """The packages that a plain installation on Linux brings in exactly one release."""
    for line in requirements.requirement_lines("vllm", version, read):
        required = Requirement(line)
        exact = _PINNED.match(str(required.specifier))
        if exact and (required.marker is None or required.marker.evaluate({**requirements.LINUX, "extra": ""})):
            yield canonicalize_name(required.name), exact[1]


def _decides(file: str, two_engines: bool) -> bool:
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    real = real_modules(two_engines)
    return any(f"{name}.".startswith(one[:-1]) if one.endswith("*") else name == one for one in real)


def _calls(
    opened: zipfile.ZipFile, files: frozenset[str], engines: list[str]
) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    for kind in engines:
        folder = "vllm/v1/attention/backends" if kind == engine_choice.V1 else "vllm/attention/backends"
        for name in ("flash_attn", "xformers", "triton_attn", "flex_attention", "flashinfer"):
            file = f"{folder}/{name}.py"
            if file in files:
                code = normalized(opened.read(file).decode(), "") or ""
                found = [function for text, function in FUNCTIONS.items() if text in code]
                yield (kind, name.upper()), tuple(sorted(found))
