"""The committed records of kernels, against fresh compilations by the pinned Triton of cards that are not here."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.kernels import record
from vcompat.kernels.environments import NotInstalled, triton
from vcompat.kernels.grid import HALF, KERNELS, Attempt
from vcompat.kernels.record import ABORTS, COMPILES, NO_MEMORY, RAISES, Cell
from vcompat.kernels.runner import run
from vcompat.kernels.variants import Variant, triton_pins, variants
from vcompat.upstream.index import releases_of
from vcompat.upstream.store import Store

pytest.importorskip("torch")

#: For each vLLM release: what becomes of a kernel at a capability, and a part of the message.
CELLS = {
    "0.7.3": {
        ("7.0", 64): (ABORTS, "mma -> mma layout conversion"),
        ("7.5", 64): (COMPILES, ""),
        ("7.5", 256): (NO_MEMORY, "73728"),
    },
    "0.8.5": {("7.0", 64): (ABORTS, "Failed to compute parent layout"), ("8.0", 64): (COMPILES, "")},
    "0.9.0": {("7.5", 64): (RAISES, "Unsupported conversion from f16 to f16")},
}
KERNEL = KERNELS[0]


def variant_of(version: str) -> Variant:
    """Return the variant of a release, whose source is fetched if the store does not have it."""
    wanted = Version(version)
    if not Store().has("vllm", wanted):
        Store().open(next(release for release in releases_of("vllm") if release.version == wanted)).close()
    (found,) = variants(KERNEL, {wanted: triton_pins()[wanted]}, Store())
    return found


@pytest.mark.parametrize("version", CELLS)
def test_a_fresh_compilation_has_the_recorded_outcome(version: str) -> None:
    variant = variant_of(version)
    try:
        triton(variant.triton)
    except NotInstalled as trouble:
        pytest.skip(str(trouble))
    recorded = record.load(KERNEL).variant_of(Version(version))
    assert recorded is not None
    assert (recorded.code, recorded.triton) == (variant.code, variant.triton)
    expected = {Attempt("prefix-prefill", card, HALF, size): cell for (card, size), cell in CELLS[version].items()}
    ((_, found),) = run([(variant, list(expected))], 1, use_kept=False)
    for attempt, (word, text) in expected.items():
        assert (found[attempt].word, text in found[attempt].message) == (word, True)
        assert recorded.cells[attempt] == Cell(found[attempt].word, found[attempt].message)
