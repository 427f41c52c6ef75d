"""The committed records of kernels, against fresh compilations by the pinned Triton of cards that are not here."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.upstream.releases import in_store
from vcompat.kernels import kernel_record
from vcompat.kernels.environments import NotInstalled, triton
from vcompat.kernels.grid import HALF, KERNELS, Attempt, Kernel
from vcompat.kernels.kernel_record import ABORTS, COMPILES, NO_MEMORY, RAISES, Cell
from vcompat.kernels.runner import run
from vcompat.kernels.variants import Variant, triton_pins, variants

pytest.importorskip("torch")

#: For each kernel and vLLM release: what becomes of it at a capability and for a size, and a part of the message.
CELLS = {
    ("prefix-prefill", "0.7.3"): {
        ("7.0", 64): (ABORTS, "mma -> mma layout conversion"),
        ("7.5", 64): (COMPILES, ""),
        ("7.5", 256): (NO_MEMORY, "73728"),
    },
    ("prefix-prefill", "0.8.5"): {
        ("7.0", 64): (ABORTS, "Failed to compute parent layout"),
        ("8.0", 64): (COMPILES, ""),
    },
    ("prefix-prefill", "0.9.0"): {("7.5", 64): (RAISES, "Unsupported conversion from f16 to f16")},
    ("fused-experts", "0.9.0"): {
        ("7.5", 8): (RAISES, "Unsupported conversion from f16 to f16"),
        ("8.0", 8): (COMPILES, ""),
        ("12.0", 8): (RAISES, "computeCapability not supported"),
    },
}

#: Those that `make test` compiles: one that aborts.
EACH_COMMIT = (("prefix-prefill", "0.7.3"),)


def variant_of(kernel: Kernel, version: str) -> Variant:
    """Return a kernel's variant of a release, whose source is fetched if the store does not have it."""
    wanted = Version(version)
    (found,) = variants(kernel, {wanted: triton_pins()[wanted]}, in_store(wanted))
    return found


@pytest.mark.parametrize(
    ("name", "version"),
    [pytest.param(*cell, marks=[] if cell in EACH_COMMIT else [pytest.mark.slow]) for cell in CELLS],
)
def test_a_fresh_compilation_has_the_recorded_outcome(name: str, version: str) -> None:
    (kernel,) = [kernel for kernel in KERNELS if kernel.name == name]
    variant = variant_of(kernel, version)
    try:
        triton(variant.triton)
    except NotInstalled as trouble:
        pytest.skip(str(trouble))
    recorded = kernel_record.load(kernel).variant_of(Version(version))
    assert recorded is not None
    assert (recorded.code, recorded.triton) == (variant.code, variant.triton)
    cells = CELLS[name, version]
    expected = {Attempt(kernel.calls[0], card, HALF, size): cell for (card, size), cell in cells.items()}
    ((_, found),) = run([(variant, list(expected))], 1, use_kept=False)
    for attempt, (word, text) in expected.items():
        assert (found[attempt].word, text in found[attempt].message) == (word, True)
        assert recorded.cells[attempt] == Cell(found[attempt].word, found[attempt].message)
