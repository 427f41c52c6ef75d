"""Which kernels a plain run reaches on which card, by the records of choices and of compiled kernels."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.facts.records.backends import CAPABILITIES, HEADS, SINCE, load
from vcompat.fixes.releases import Wish, recorded_releases
from vcompat.fixes.resolving import resolve
from vcompat.kernels import kernel_record
from vcompat.kernels.backends import choice_record
from vcompat.kernels.plain_run import outcomes, reached
from vcompat.rules.database import load_rules
from vcompat.rules.record import load_record
from vcompat.sources.gather import RunFacts

RELEASES = [one for one in load_record("vllm", with_rows=False).releases if one >= Version(SINCE)]


def test_each_kind_of_backend_leads_to_its_kernels() -> None:
    expected = {
        ("0.8.5", "7.0"): ("v0", "XFORMERS", (), ()),
        ("0.8.5", "9.0"): ("v1", "FLASH_ATTN", (), ()),
        ("0.10.2", "7.0"): ("v1", "FLEX_ATTENTION", (), ("flex_attention",)),
        ("0.12.0", "7.0"): ("v1", "TRITON_ATTN", ("unified-attention", "write-to-cache"), ()),
        ("0.12.0", "7.5"): ("v1", "FLASHINFER", (), ()),
    }
    for (version, card), (engine, backend, kernels, others) in expected.items():
        found = reached(Version(version), card, 64)
        assert found is not None
        names = tuple(sorted(kernel.name for kernel in found.kernels))
        assert (found.engine, found.backend, names, found.others) == (engine, backend, kernels, others)


def test_what_is_not_recorded_is_not_reached() -> None:
    assert reached(Version("99.0"), "7.0", 64) is None
    assert reached(Version("0.12.0"), "6.1", 64) is None
    assert reached(Version("0.12.0"), "7.0", 80) is None


def test_every_release_is_recorded() -> None:
    assert list(choice_record.stale()) == []
    assert len(RELEASES) > 60


def test_most_choices_are_measured() -> None:
    cells = [reached(version, card, head) for version in RELEASES for card in CAPABILITIES for head in HEADS]
    assert sum(cell is not None for cell in cells) / len(cells) > 0.95


def test_no_plain_run_reaches_an_attention_kernel_that_is_recorded_to_fail() -> None:
    measured = 0
    for version in RELEASES:
        for card in CAPABILITIES:
            for head in HEADS:
                found = reached(version, card, head)
                for kernel in found.kernels if found else ():
                    words = set(outcomes(kernel, version, card, head).values())
                    assert not words & kernel_record.FAILURES, (version, card, head, kernel.name)
                    measured += kernel_record.COMPILES in words
    assert measured > 50


def test_unified_attention_fails_only_where_vllm_refuses_the_engine_that_uses_it() -> None:
    """Where Triton cannot compile it below 8.0, V1 is refused whatever VLLM_USE_V1 is: no rule claims that failure."""
    (known,) = (one for one in kernel_record.load_all() if one.kernel.name == "unified-attention")
    failing = {
        (version, attempt.capability)
        for version in RELEASES
        if (variant := known.variant_of(version))
        for attempt, cell in variant.cells.items()
        if cell.word in kernel_record.FAILURES and float(attempt.capability) < 8
    }
    assert {str(version) for version, _ in failing} >= {"0.9.0", "0.10.1.1"}
    for version, card in failing:
        assert [load().engine(version, card, variable) for variable in ("", "1", "0")] == ["v0", "refused", "v0"]


@pytest.mark.parametrize("card", ["7.0", "7.5"])
def test_what_resolve_selects_has_its_attention_kernels_compiled(card: str) -> None:
    plan = facts(gpu__compute_capability=card, plan__use_vllm="true", plan__vllm_mode="colocate")
    plan.close("env")
    wish = Wish([RunFacts("train.py", "", plan, False)], Version("3.11"), {})
    pins = {pin.package: pin.version for pin in resolve(wish, recorded_releases(), load_rules()).pins}
    version = pins["vllm"]
    for head in HEADS:
        found = reached(version, card, head)
        assert found is not None
        assert found.others == ()
        for kernel in found.kernels:
            words = set(outcomes(kernel, version, card, head).values())
            if head in kernel.sizes:
                assert words == {kernel_record.COMPILES}, (version, kernel.name, head)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = choice_record.save(load(), tmp_path)
    assert written is not None
    assert load(str(tmp_path)) == load()
    assert choice_record.save(load(), tmp_path) is None


def test_a_release_that_is_not_recorded_is_reported() -> None:
    shorter = load()._replace(variants=load().variants[:-1])
    assert list(choice_record.stale(shorter))[-1] == f"backends: vLLM {RELEASES[-1]} is not recorded"
    assert list(choice_record.differences(load(), shorter))[-1].startswith(f"vLLM {RELEASES[-1]} chooses other")
