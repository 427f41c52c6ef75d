"""The CUDA version that the driver must support for the PTX in vLLM's FlashAttention 2."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.builds.cuda_builds import load_builds
from vcompat.facts.builds.ptx import CUDA_OF, FACT
from vcompat.facts.derive import derive
from vcompat.facts.records.wheels import FLASH_ATTENTION_2, key_of, load_wheels
from vcompat.facts.value import FactValue
from vcompat.rules.database import find_rule, load_rules


def needed(vllm: str, gpus: str, **known: str) -> FactValue | str:
    here = {"packages__vllm": vllm, "gpu__compute_capability": gpus, "host__machine": "x86_64", **known}
    result = derive(facts(**here)).get(FACT)
    return "unknown" if result is None else result.value


@pytest.mark.parametrize(
    ("vllm", "gpus", "cuda"),
    [
        ("0.8.5", "9.0", None),
        ("0.9.1", "9.0,10.0", None),
        ("0.9.2", "9.0", "12.8"),
        ("0.11.2", "12.0", "12.8"),
        ("0.12.0", "12.0", "12.9"),
        ("0.19.1", "8.6,10.0", "12.9"),
        ("0.20.0", "9.0", "13.0"),
        ("0.19.1", "8.0,8.6,8.9", None),
        ("0.19.1", "7.5", None),
    ],
)
def test_gpus_without_machine_code_need_the_cuda_version_of_the_ptx(vllm: str, gpus: str, cuda: str | None) -> None:
    assert needed(vllm, gpus) == (cuda and Version(cuda))


def test_a_gpu_with_neither_machine_code_nor_ptx_leaves_the_fact_open() -> None:
    assert needed("0.8.5", "12.0") == "unknown"


def test_another_build_or_an_unknown_gpu_leaves_the_fact_open() -> None:
    assert needed("0.19.1", "12.0", vllm__architectures="sm_120") == "unknown"
    assert needed("0.20.0+cu129", "12.0") == "unknown"
    assert needed("900.0", "12.0") == "unknown"
    result = derive(facts(packages__vllm="0.19.1", host__machine="x86_64"))
    assert result.get(FACT) is None


@pytest.mark.parametrize("driver", ["12.4", "12.8", "12.9"])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_exactly_the_releases_whose_ptx_is_newer_than_the_driver_are_reported(machine: str, driver: str) -> None:
    rule = find_rule(load_rules(thorough=False), "flash-attention-2-needs-newer-driver")
    reported, newer = set(), set()
    for vllm, code in load_wheels()[key_of(FLASH_ATTENTION_2, machine)].items():
        given = {"gpu__compute_capability": "12.0", "gpu__driver_cuda": driver, "host__machine": machine}
        (finding,) = evaluate([rule], derive(facts(packages__vllm=str(vllm), **given))) or (None,)
        reported |= {vllm} if finding is not None and not finding.is_certain else set()
        # The wheels for CUDA 13 do not work with such a driver at all.
        newer |= {vllm} if code.cuda == "12" and any(CUDA_OF[ptx] > Version(driver) for ptx in code.ptx) else set()
    assert reported == newer


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_recorded_ptx_is_that_of_a_cuda_version_for_which_the_release_is_built(machine: str) -> None:
    recorded = load_wheels()[key_of(FLASH_ATTENTION_2, machine)]
    built = load_builds()[machine]
    both = {release: code.ptx for release, code in recorded.items() if release in built and code.ptx}
    assert len(both) > 25
    assert {release for release, (ptx,) in both.items() if CUDA_OF[ptx] not in built[release]} == set()
