"""Sleep mode's real allocators on a GPU, compared with what was recorded over the stand-in for the driver."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.upstream.allocator import record
from tests.upstream.allocator.running import run, subject
from tests.upstream.releases import NotAvailable

_ROOT = Path(__file__).resolve().parents[2]
VARIANTS = record.load()
#: Needs another driver; needs a Python in which None has a reference count.
OTHER_DRIVER, COUNTED = "driver of CUDA 12.2", "references to None"


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "PYTORCH_"))}
    return {**kept, "PYTHONPATH": str(_ROOT)}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.releases[0])
def test_the_gpu_does_what_is_recorded_over_the_stand_in(
    cuda: Any, variant: record.Variant, record_property: Callable[[str, object], None]
) -> None:
    left_out = {OTHER_DRIVER} | ({COUNTED} if sys.version_info >= (3, 12) else set())
    names = [name for name in variant.seen if name not in left_out]
    try:
        (seen,) = run([subject(variant.releases[0])], names, environment(), "tests.gpu.allocating")
    except NotAvailable as trouble:
        pytest.skip(str(trouble))
    # An extension names the libraries of the CUDA version that it is built for.
    missing = next((steps["end"] for steps in seen.values() if "shared object file" in steps.get("end", "")), "")
    if missing:
        pytest.skip(missing)
    for name in names:
        record_property(name, "as recorded" if seen[name] == variant.seen[name] else seen[name])
    assert seen == {name: variant.seen[name] for name in names}
