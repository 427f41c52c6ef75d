"""Sleep mode's real allocators, compiled and Python, of several releases, over a stand-in for the driver.

The record of all releases is compared with a new run of some. tests/unit/rules/test_allocator_and_rules.py compares the
rules with the record.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from tests.upstream.allocator import record, stubs
from tests.upstream.allocator.running import run, subject
from tests.upstream.allocator.scenarios import SCENARIOS
from tests.upstream.releases import NotAvailable

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="vLLM's wheels are for Linux")

RELEASES = ["0.7.0", "0.16.0", "0.27.1", "0.33.0"]
#: Needs a Python in which None has a reference count.
COUNTED = "references to None"


@pytest.fixture(scope="module")
def cuda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the stand-ins for the CUDA libraries."""
    return stubs.build(tmp_path_factory.mktemp("cuda"))


@pytest.mark.parametrize(
    "version",
    [pytest.param(one, marks=[pytest.mark.slow] * (one in ("0.7.0", "0.16.0", "0.27.1"))) for one in RELEASES],
)
def test_the_allocator_does_what_is_recorded(version: str, cuda: Path) -> None:
    try:
        one = subject(version)
    except NotAvailable as trouble:
        pytest.skip(str(trouble))
    names = [name for name in SCENARIOS if name != COUNTED or sys.version_info < (3, 12)]
    (seen,) = run([one], names, stubs.environment(cuda))
    recorded = next(variant for variant in record.load() if version in variant.releases)
    assert seen
    for scenario, steps in seen.items():
        assert (scenario, steps) == (scenario, recorded.seen[scenario])


def test_the_record_is_of_the_code_that_runs() -> None:
    for version in RELEASES:
        try:
            code = subject(version).code
        except NotAvailable as trouble:
            pytest.skip(str(trouble))
        assert next(variant.code for variant in record.load() if version in variant.releases) == code


def test_the_stand_in_for_the_driver_keeps_its_rules(tmp_path: Path) -> None:
    driver = ctypes.CDLL(str(stubs.build(tmp_path) / stubs.DRIVER))
    driver.stub_used.restype = size = ctypes.c_size_t
    address, handle, segment = size(), ctypes.c_ulonglong(), size(2 << 20)
    none, refused, no_memory = None, 1, 2
    assert driver.cuMemAddressReserve(ctypes.byref(address), segment, size(0), size(0), 0) == 0
    assert driver.cuMemCreate(ctypes.byref(handle), segment, none, 0) == 0
    assert driver.cuMemCreate(ctypes.byref(ctypes.c_ulonglong()), size(1 << 40), none, 0) == no_memory
    assert driver.cuMemMap(address, segment, size(0), handle, 0) == 0
    assert driver.cuMemMap(address, segment, size(0), handle, 0) == refused
    assert driver.cuMemSetAccess(address, segment, none, size(1)) == 0
    ctypes.memset(address.value or 0, 7, segment.value)
    assert driver.cuMemAddressFree(address, segment) == refused
    assert driver.cuMemUnmap(address, segment) == 0
    assert driver.cuMemUnmap(address, segment) == refused
    assert driver.stub_used() == segment.value
    assert driver.cuMemRelease(handle) == 0
    assert driver.cuMemRelease(handle) == refused
    assert driver.cuMemMap(address, segment, size(0), handle, 0) == refused
    assert (driver.stub_used(), driver.cuMemAddressFree(address, segment)) == (0, 0)
