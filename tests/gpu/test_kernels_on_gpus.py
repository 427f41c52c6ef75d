"""vLLM's attention kernels on a GPU, compiled by the installed Triton, compared with torch and with the records."""

from __future__ import annotations

import functools
import importlib.metadata
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.gpu.kernels.attention import TOLERANCES
from tests.gpu.kernels.running import OF_CALL, compared
from vcompat.kernels import kernel_record
from vcompat.kernels.grid import HALF, Attempt
from vcompat.kernels.kernel_record import COMPILES
from vcompat.kernels.variants import Variant, triton_pins, variants
from vcompat.upstream.store import Store

SIZES = (64, 128)


@functools.cache
def variants_for(call: str) -> list[Variant]:
    """The variants whose releases pin the installed Triton; without any, none."""
    installed = importlib.metadata.version("triton")
    stored = set(Store().versions("vllm"))
    pins = {version: pin for version, pin in triton_pins().items() if version in stored and pin == installed}
    return list(variants(OF_CALL[call], pins, Store()))


@pytest.mark.parametrize("call", OF_CALL)
@pytest.mark.parametrize("size", SIZES)
def test_a_kernel_computes_attention_where_the_record_says_that_it_compiles(
    cuda: Any, call: str, size: int, record_property: Callable[[str, object], None]
) -> None:
    found = variants_for(call)
    if not found:
        pytest.skip(f"no stored release of vLLM with {call} pins the installed Triton")
    card = ".".join(map(str, cuda.cuda.get_device_capability()))
    attempt = Attempt(call, card, HALF, size)
    for variant in found:
        recorded = kernel_record.load(variant.kernel).variant_of(variant.releases[0])
        cell = recorded.cells.get(attempt) if recorded else None
        name = f"vllm {variant.releases[0]}"
        try:
            difference = compared(call, variant, attempt.dtype, size, "cuda", None)["difference"]
            record_property(name, difference)
            assert cell is None or cell.word == COMPILES
            assert difference <= TOLERANCES[attempt.dtype]
        except subprocess.CalledProcessError as failed:
            record_property(name, (failed.stderr.strip().splitlines() or ["no message"])[-1])
            assert cell is not None
            assert cell.word != COMPILES
