"""Kernels compiled by other Triton releases than the one that a release's torch requires: an environment can have one.

Rules about kernels ask which Triton there is (the fact ``vllm.triton``), so what they claim is compiled with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from packaging.version import Version

from vcompat.kernels.grid import HALF, Attempt, Kernel
from vcompat.kernels.kernel_record import Cell, Measured
from vcompat.kernels.variants import Variant, variants
from vcompat.upstream.store import Store


def other_variants(kernel: Kernel, releases: Iterable[Version], store: Store) -> Iterator[Variant]:
    """Yield the variants of a kernel's code, each with each of the Triton releases that `Kernel.others` names."""
    if kernel.others:
        older = {version: "" for version in releases if version < Version(kernel.others.below)}
        for one in variants(kernel, older, store):
            for triton in kernel.others.tritons:
                yield one._replace(triton=triton)


def other_attempts(kernel: Kernel) -> list[Attempt]:
    """Return what is compiled with each of them."""
    if not kernel.others:
        return []
    return [
        Attempt(call, card, HALF, size)
        for call in kernel.calls
        for card in kernel.others.cards
        for size in kernel.others.sizes
    ]


def joined(results: Sequence[tuple[Variant, Mapping[Attempt, Cell]]]) -> tuple[Measured, ...]:
    """Return the outcomes by Triton release. Consecutive variants with the same outcomes are one, with all codes."""
    measured: list[Measured] = []
    for variant, cells in sorted(results, key=lambda one: (Version(one[0].triton), one[0].releases[0])):
        last = measured[-1] if measured else None
        if last and last.triton == variant.triton and last.cells == cells:
            measured[-1] = last._replace(last=variant.releases[-1], code=f"{last.code} {variant.code}")
        else:
            measured.append(Measured(variant.releases[0], variant.releases[-1], variant.triton, variant.code, cells))
    return tuple(measured)


def by_code(others: Iterable[Measured]) -> dict[tuple[str, str], Mapping[Attempt, Cell]]:
    """Return the outcomes by Triton release and code."""
    return {(one.triton, code): one.cells for one in others for code in one.code.split()}
