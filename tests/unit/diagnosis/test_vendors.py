"""The vendor of the GPUs that a log states."""

from __future__ import annotations

import pytest

from tests.unit.diagnosis.stated.test_log_facts import stated


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("INFO 03-01 12:00:00 [__init__.py:239] Automatically detected platform rocm.", {"vllm.backend": "rocm"}),
        ("INFO 03-01 12:00:00 [__init__.py:239] Automatically detected platform cuda.", {"vllm.backend": "cuda"}),
        ("ROCM used to build PyTorch: 6.3.42133-1b9c17779", {"gpu.vendor": "amd"}),
        ("XPU used to build PyTorch: 20250101", {"gpu.vendor": "intel"}),
        ("ROCM used to build PyTorch: N/A", {}),
        ("XPU used to build PyTorch: N/A", {}),
        ("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB.", {"gpu.vendor": "amd"}),
        ("RuntimeError: HIP error: invalid device function", {"gpu.vendor": "amd"}),
        ("torch.OutOfMemoryError: XPU out of memory. Tried to allocate 2.00 GiB.", {"gpu.vendor": "intel"}),
        ("GPU models and configuration: AMD Instinct MI300X (gfx942:sramecc+:xnack-)", {"gpu.vendor": "amd", "gpu.name": "AMD Instinct MI300X"}),
        ("engine with config: model='x', device_config=xpu, seed=0", {"vllm.backend": "xpu"}),
        ("[W1129 11:27 utils.cpp:68] Warning: NUMA binding: Using MEMBIND policy for memory", {"vllm.backend": "cpu"}),
        ("It also runs with ROCm and HIP out of the box.", {}),
    ],
)  # fmt: skip
def test_builds_platforms_and_allocators_show_the_vendor(line: str, facts: dict[str, str]) -> None:
    assert stated(line) == facts
