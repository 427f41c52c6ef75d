"""What vLLM's attention kernels compute, compared with torch: real kernels and wrappers, run by Triton's interpreter.

The compiler and a GPU are not part of it: tests/gpu runs the same comparison on one. Triton's interpreter computes
nothing useful in bfloat16.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from tests.gpu.kernels.attention import TOLERANCES
from tests.gpu.kernels.running import compared, variant_of
from vcompat.kernels.environments import NotInstalled, triton

CELLS = [
    pytest.param("prefix-prefill", "0.10.2", marks=pytest.mark.slow),
    pytest.param("unified-prefill", "0.31.0", marks=pytest.mark.slow),
    ("unified-decode", "0.31.0"),
]


@pytest.mark.parametrize(("call", "version"), CELLS)
def test_a_kernel_computes_attention(call: str, version: str) -> None:
    variant = variant_of(call, version)
    try:
        pinned = triton(variant.triton)
    except NotInstalled as trouble:
        pytest.skip(str(trouble))
    seen = compared(call, variant, "float16", 64, "cpu", pinned)
    assert seen["triton"] == variant.triton
    assert 0 < seen["difference"] <= TOLERANCES["float16"]
