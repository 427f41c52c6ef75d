"""Outcomes that are kept, and recorded ones that need no second compilation."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.kernels.child import MEMORY, TIME
from vcompat.kernels.grid import HALF, KERNELS, Attempt
from vcompat.kernels.kernel_record import COMPILES, UNKNOWN, Cell, KernelRecord, Measured
from vcompat.kernels.runner import Kept, Outcome, method
from vcompat.kernels.survey import _keep_recorded
from vcompat.kernels.variants import Variant

KERNEL = KERNELS[0]
VARIANT = Variant(KERNEL, "vllm.ops.kernel", "3.1.0", "abc", (Version("1.0"),), {})
FIRST, SECOND, THIRD = (Attempt(KERNEL.calls[0], card, HALF, 64) for card in ("7.0", "7.5", "8.0"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCOMPAT_CACHE", str(tmp_path))


def record_of(how: str, code: str = "abc", triton: str = "3.1.0") -> KernelRecord:
    cells = {FIRST: Cell("aborts", "why"), SECOND: Cell(UNKNOWN)}
    return KernelRecord(KERNEL, "2.13.0", how, (Measured(Version("1.0"), Version("1.0"), triton, code, cells),))


def test_recorded_outcomes_of_the_same_code_and_method_are_kept() -> None:
    _keep_recorded(VARIANT, record_of(method(KERNEL)))
    assert Kept(VARIANT).read() == {FIRST: Outcome("aborts", "why")}


@pytest.mark.parametrize(
    "other",
    [record_of("another"), record_of(method(KERNEL), code="def"), record_of(method(KERNEL), triton="3.2.0")],
    ids=["method", "code", "Triton"],
)
def test_recorded_outcomes_of_another_code_or_method_are_not(other: KernelRecord) -> None:
    _keep_recorded(VARIANT, other)
    assert Kept(VARIANT).read() == {}


def test_an_outcome_that_was_compiled_here_is_not_replaced_by_a_recorded_one() -> None:
    Kept(VARIANT).write({FIRST: Outcome(COMPILES, "", 1.5, 300)})
    _keep_recorded(VARIANT, record_of(method(KERNEL)))
    assert Kept(VARIANT).read() == {FIRST: Outcome(COMPILES, "", 1.5, 300)}


def test_an_attempt_that_took_too_long_is_made_again_one_that_took_too_much_memory_is_not() -> None:
    Kept(VARIANT).write({FIRST: Outcome("ended", TIME), SECOND: Outcome("ended", MEMORY), THIRD: Outcome(COMPILES)})
    assert set(Kept(VARIANT).read()) == {SECOND, THIRD}
