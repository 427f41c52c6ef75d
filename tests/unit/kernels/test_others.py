"""Kernels compiled by other Triton releases than the one that a release's torch requires."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.kernels.grid import HALF, KERNELS, Attempt
from vcompat.kernels.kernel_record import ABORTS, COMPILES, Cell, KernelRecord, Measured, load, save
from vcompat.kernels.others import by_code, joined, other_attempts, other_variants
from vcompat.kernels.runner import Kept, Outcome, method
from vcompat.kernels.survey import _keep_recorded, differences
from vcompat.kernels.variants import Variant
from vcompat.upstream.store import Store

KERNEL = KERNELS[0]
ATTEMPT = Attempt(KERNEL.calls[0], "7.0", HALF, 64)
FAILS, RUNS = {ATTEMPT: Cell(ABORTS, "no")}, {ATTEMPT: Cell(COMPILES)}


def variant(triton: str, code: str, *releases: str) -> Variant:
    return Variant(KERNEL, "vllm.ops.kernel", triton, code, tuple(map(Version, releases)), {})


RESULTS = [
    (variant("3.3.0", "b", "0.7.0"), RUNS),
    (variant("3.1.0", "b", "0.7.0"), FAILS),
    (variant("3.1.0", "a", "0.6.0", "0.6.1"), FAILS),
    (variant("3.1.0", "c", "0.8.0"), RUNS),
    (variant("3.3.0", "a", "0.6.0", "0.6.1"), FAILS),
]
JOINED = joined(RESULTS)


def test_consecutive_variants_with_the_same_outcomes_are_joined_for_each_triton() -> None:
    assert [(str(one.first), str(one.last), one.triton, one.code) for one in JOINED] == [
        ("0.6.0", "0.7.0", "3.1.0", "a b"),
        ("0.8.0", "0.8.0", "3.1.0", "c"),
        ("0.6.0", "0.6.1", "3.3.0", "a"),
        ("0.7.0", "0.7.0", "3.3.0", "b"),
    ]


def test_the_outcomes_of_each_code_are_found_again() -> None:
    assert by_code(JOINED) == {(one.triton, one.code): cells for one, cells in RESULTS}


def test_every_code_is_compiled_with_each_triton_below_the_last_release(tmp_path: Path) -> None:
    assert KERNEL.others is not None
    for version in ("0.6.0", "0.7.0", KERNEL.others.below):
        with zipfile.ZipFile(tmp_path / f"vllm-{version}.zip", "w") as archive:
            archive.writestr(KERNEL.paths[0], f"def {KERNEL.entries[0]}(q):\n    return '{version}'\n")
    releases = [Version("0.6.0"), Version("0.7.0"), Version(KERNEL.others.below)]
    found = list(other_variants(KERNEL, releases, Store(tmp_path)))
    expected = [(triton, (version,)) for version in releases[:2] for triton in KERNEL.others.tritons]
    assert [(one.triton, one.releases) for one in found] == expected


def test_a_kernel_about_which_no_rule_asks_is_compiled_by_no_other_triton(tmp_path: Path) -> None:
    (kernel,) = [one for one in KERNELS if one.name == "sampler"]
    assert other_attempts(kernel) == []
    assert list(other_variants(kernel, [Version("0.20.0")], Store(tmp_path))) == []


def record_of(others: tuple[Measured, ...], how: str = "m") -> KernelRecord:
    pinned = Measured(Version("0.5.0"), Version("0.5.0"), "3.0.0", "z", RUNS)
    return KernelRecord(KERNEL, "2.13.0", how, (pinned,), others)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    assert save(record_of(JOINED), tmp_path) is not None
    found = load(KERNEL, tmp_path)
    assert [one[:4] for one in found.others] == [one[:4] for one in JOINED]
    assert [one.cells[ATTEMPT] for one in found.others] == [one.cells[ATTEMPT] for one in JOINED]
    assert save(found, tmp_path) is None


def test_an_outcome_that_differs_from_the_record_is_stated() -> None:
    fresh = record_of(joined([(one, RUNS) for one, _ in RESULTS]))
    lines = list(differences(fresh, record_of(JOINED)))
    assert len(lines) == 3
    assert lines[0].endswith("code a, Triton 3.1.0, prefix-prefill 7.0 16-bit 64: compiles, recorded: aborts no")
    assert list(differences(record_of(JOINED), record_of(JOINED))) == []


def test_recorded_outcomes_are_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCOMPAT_CACHE", str(tmp_path))
    one, other = variant("3.1.0", "b", "0.7.0"), variant("3.2.0", "b", "0.7.0")
    for wanted in (one, other):
        _keep_recorded(wanted, record_of(JOINED, method(KERNEL)))
    assert Kept(one).read() == {ATTEMPT: Outcome(ABORTS, "no")}
    assert Kept(other).read() == {}
