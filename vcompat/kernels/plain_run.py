"""Which kernels a plain run reaches: the release's own choices of engine and backend, and what the backend calls.

A plain run generates with a decoder model in 16 bits, as TRL's colocate mode does without further settings. It uses
prefix caching and chunked prefill where vLLM's V1 engine does by default, and neither in V0. Its prompts share no
prefix that is long enough for cascade attention.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.records import backends
from vcompat.kernels import kernel_record
from vcompat.kernels.grid import HALF, KERNELS, Attempt, Kernel

#: Functions that a backend's code calls, and a plain run does not: in V0, for cached prefixes and chunks of a prompt;
#: for cascade attention.
_NOT_PLAIN = {("v0", "context_attention_fwd"), ("v1", "merge_attn_states")}
#: Functions with a kernel of their own that also call another kernel.
_CALLS_TOO = {"chunked_prefill_paged_decode": ("context_attention_fwd",)}


class Reached(NamedTuple):
    """The way of a plain run to its attention kernels on one card."""

    engine: str
    backend: str
    kernels: tuple[Kernel, ...]
    """Those of the backend's kernels that are compiled for the records."""
    others: tuple[str, ...]
    """Functions of the backend whose kernels are not."""


def reached(version: Version, capability: str, head_size: int) -> Reached | None:
    """Return what a plain run of a release reaches on a card; None where the choice is not measured."""
    choices = backends.load()
    engine = choices.engine(version, capability)
    backend = choices.backend(version, capability, engine, head_size) if engine else None
    if engine is None or backend is None:
        return None
    functions = choices.functions(version, engine, backend)
    return Reached(engine, backend, *_kernels(engine, functions)) if functions is not None else None


def _kernels(engine: str, functions: Sequence[str]) -> tuple[tuple[Kernel, ...], tuple[str, ...]]:
    called = [one for one in functions if (engine, one) not in _NOT_PLAIN]
    called += [other for one in called for other in _CALLS_TOO.get(one, ())]
    found = {one: [kernel for kernel in KERNELS if one in kernel.entries] for one in dict.fromkeys(called)}
    kernels = dict.fromkeys(kernel for known in found.values() for kernel in known)
    return tuple(kernels), tuple(one for one, known in found.items() if not known)


def outcomes(kernel: Kernel, version: Version, capability: str, head_size: int) -> dict[Attempt, str]:
    """Return what is recorded of a kernel's calls in 16 bits: the words of `record`; UNKNOWN for what is not."""
    variant = kernel_record.load(kernel).variant_of(version)
    wanted = [Attempt(call, capability, HALF, head_size) for call in kernel.calls]
    cells = {one: variant.cells.get(one) if variant else None for one in wanted}
    return {one: cell.word if cell else kernel_record.UNKNOWN for one, cell in cells.items()}
