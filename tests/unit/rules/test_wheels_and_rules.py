"""What rules claim about vLLM's wheels, compared with the record of what the wheels contain."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.builds.cuda_builds import load_builds
from vcompat.facts.builds.kernel_support import runs_on
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.records.wheels import VLLM_KERNELS, key_of, load_wheels
from vcompat.rules.database import find_rule, load_rules

#: The rules about the wheels on the package index, and the one about other builds.
OF_WHEELS = ("not-built-for-pascal", "volta-not-built", "not-built-for-blackwell")
OF_BUILDS = "vllm-has-no-kernels-for-gpu"
BUILT_FOR = {"12": "vllm-built-for-cuda-12", "13": "vllm-built-for-cuda-13"}
RULES = [find_rule(load_rules(thorough=False), name) for name in (*OF_WHEELS, OF_BUILDS, *BUILT_FOR.values())]
#: Tesla P40, V100, T4, A100, A10, L4, H100, B200, B300, RTX 5090, DGX Spark.
GPUS = ("6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1")
WHEELS = load_wheels()[key_of(VLLM_KERNELS, "x86_64")]
FOR_ARM = load_wheels()[key_of(VLLM_KERNELS, "aarch64")]


def found(known: Mapping[str, object], unknown: tuple[str, ...] = ()) -> dict[str, bool]:
    """The findings, each with whether it is certain. `unknown` are facts that are not derived."""
    facts = Facts()
    for name, value in {"host.machine": "x86_64", **known}.items():
        facts.set(name, value, "test")  # type: ignore[arg-type]
    for name in unknown:
        facts.forget(name, "test")
    return {finding.rule.id: finding.is_certain for finding in evaluate(RULES, derive(facts))}


@pytest.mark.parametrize("gpu", GPUS)
def test_exactly_the_wheels_without_kernels_for_a_gpu_are_reported(gpu: str) -> None:
    reported, without = {}, {}
    for vllm, code in WHEELS.items():
        certain = found(
            {"packages.vllm": vllm, "gpu.compute_capability": (Version(gpu),), "torch.cuda": Version(code.cuda)}
        )
        reported[vllm] = list(certain.values())
        without[vllm] = [] if runs_on(code.common, Version(gpu)) else [True]
    assert reported == without


@pytest.mark.parametrize("gpu", ("8.0", "8.7", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"))
def test_exactly_the_wheels_for_arm_without_kernels_for_a_gpu_are_reported(gpu: str) -> None:
    reported, without = {}, {}
    for vllm, code in FOR_ARM.items():
        known = {"packages.vllm": vllm, "host.machine": "aarch64", "torch.cuda": Version(code.cuda)}
        certain = found({**known, "gpu.compute_capability": (Version(gpu),)})
        reported[vllm] = certain
        without[vllm] = {} if runs_on(code.common, Version(gpu)) else {OF_BUILDS: True}
    assert reported == without


@pytest.mark.parametrize("gpu", GPUS)
def test_the_ranges_of_the_rules_are_those_of_the_wheels(gpu: str) -> None:
    """With an unknown build, only the ranges decide whether a finding is possible."""
    unknown = ("vllm.architectures", "vllm.cuda")
    possible, without = {}, {}
    for vllm, code in WHEELS.items():
        possible[vllm] = found({"packages.vllm": vllm, "gpu.compute_capability": (Version(gpu),)}, unknown)
        rule = OF_WHEELS[0 if gpu < "7" and gpu[1] == "." else 1 if gpu == "7.0" else 2]
        without[vllm] = {} if runs_on(code.common, Version(gpu)) else {rule: False}
    assert possible == without


@pytest.mark.parametrize("torch", ["11.8", "12.1", "12.9", "13.0", "13.2"])
def test_a_torch_for_another_cuda_version_than_the_wheel_is_possibly_a_failure(torch: str) -> None:
    reported, other = {}, {}
    for vllm, code in WHEELS.items():
        reported[vllm] = found(
            {"packages.vllm": vllm, "torch.cuda": Version(torch), "gpu.compute_capability": (Version("9.0"),)}
        )
        other[vllm] = {} if torch.startswith(code.cuda) else {BUILT_FOR[code.cuda]: False}
    assert reported == other


def test_the_advice_names_the_releases_that_are_also_built_for_cuda_12() -> None:
    built = {release: {cuda.major for cuda in versions} for release, versions in load_builds()["x86_64"].items()}
    both = [release for release in built if WHEELS[release].cuda == "13" and 12 in built[release]]
    neither = [release for release in built if WHEELS[release].cuda == "13" and 12 not in built[release]]
    (fix,) = find_rule(RULES, BUILT_FOR["13"]).fixes
    assert f"for {min(both)} to {max(both)}, and not for {min(neither)}" in " ".join(fix.details["advice"].split())
    assert max(both) < min(neither) == max(neither)


def test_a_build_whose_version_names_another_cuda_is_compared_with_that() -> None:
    def names(vllm: str, torch: str) -> list[str]:
        known = {
            "packages.vllm": Version(vllm),
            "torch.cuda": Version(torch),
            "gpu.compute_capability": (Version("9.0"),),
        }
        return [*found(known)]

    assert names("0.20.0+cu129", "12.9") == []
    assert names("0.20.0+cu129", "13.0") == ["vllm-built-for-cuda-12"]
    assert names("0.14.1+cu130", "12.8") == ["vllm-built-for-cuda-13"]
    assert names("0.8.5+cu118", "11.8") == []
