"""For which GPUs and which CUDA version vLLM is built, by its release."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.facts.builds.kernel_support import runs_on
from vcompat.facts.derive import derive
from vcompat.facts.value import FactValue
from vcompat.rules.record import load_record


def derived(name: str, **given: str) -> FactValue | str:
    result = derive(facts(**given)).get(name)
    return "unknown" if result is None else result.value


@pytest.mark.parametrize(
    ("vllm", "cuda", "volta", "hopper", "b200", "rtx_5090"),
    [
        ("0.5.4", "12", True, True, True, True),
        ("0.6.3", "12", True, True, False, False),
        ("0.8.5.post1", "12", True, True, False, False),
        ("0.9.0", "12", True, True, True, False),
        ("0.9.1", "12", True, True, True, False),
        ("0.9.2", "12", True, True, True, True),
        ("0.19.1", "12", True, True, True, True),
        ("0.20.0", "13", False, True, True, True),
        ("0.33.0", "13", False, True, True, True),
    ],
)
def test_the_wheel_of_a_release_is_built_for_these_gpus(
    vllm: str, cuda: str, volta: bool, hopper: bool, b200: bool, rtx_5090: bool
) -> None:
    here = {"packages__vllm": vllm, "host__machine": "x86_64"}
    assert derived("vllm.cuda", **here) == Version(cuda)
    answers = derived("vllm.has_kernels", **here, gpu__compute_capability="7.0,9.0,10.0,12.0")
    assert answers == (volta, hopper, b200, rtx_5090)


@pytest.mark.parametrize(
    ("vllm", "cuda"),
    [
        ("0.20.0+cu129", Version("12")),
        ("0.8.5+cu118", Version("11")),
        ("0.14.1+cu130", Version("13")),
        ("0.20.0+gabc123.cu129", Version("12")),
        ("0.20.0+corp", "unknown"),
        ("0.20.0+cuda", "unknown"),
        ("0.20.0+cu9", "unknown"),
        ("0.20.0+cpu", None),
        ("0.20.0+rocm700", None),
        ("0.3.0", "unknown"),
        ("900.0", "unknown"),
    ],
)
def test_another_build_names_its_cuda_version_and_its_architectures_are_unknown(vllm: str, cuda: FactValue) -> None:
    assert derived("vllm.cuda", packages__vllm=vllm) == cuda
    assert derived("vllm.architectures", packages__vllm=vllm) == "unknown"


def test_the_build_of_an_unknown_vllm_is_unknown() -> None:
    assert derived("vllm.cuda") == "unknown"
    assert derived("vllm.architectures") == "unknown"


@pytest.mark.parametrize(
    ("machine", "cuda", "ampere_and_thor"),
    [
        ("x86_64", Version("13"), (True, False)),
        ("AMD64", Version("13"), (True, False)),
        ("aarch64", Version("13"), (True, True)),
        ("arm64", Version("13"), (True, True)),
        ("ppc64le", "unknown", "unknown"),
    ],
)
def test_the_wheels_for_other_processors_are_built_for_other_gpus(
    machine: str, cuda: FactValue, ampere_and_thor: FactValue
) -> None:
    here = {"packages__vllm": "0.20.0", "host__machine": machine}
    assert derived("vllm.cuda", **here) == cuda
    assert derived("vllm.has_kernels", **here, gpu__compute_capability="8.0,11.0") == ampere_and_thor


def test_without_a_known_processor_only_what_holds_for_all_wheels_is_stated() -> None:
    assert derived("vllm.architectures", packages__vllm="0.20.0") == "unknown"
    assert derived("vllm.cuda", packages__vllm="0.20.0") == Version("13")
    assert derived("vllm.has_kernels", packages__vllm="0.20.0", gpu__compute_capability="7.0,9.0") == (False, True)
    assert derived("vllm.has_kernels", packages__vllm="0.20.0", gpu__compute_capability="11.0") == "unknown"
    assert derived("vllm.has_kernels", packages__vllm="0.12.0", gpu__compute_capability="8.0") == "unknown"
    assert derived("vllm.architectures", packages__vllm="0.7.3") != "unknown"


def test_what_is_read_from_an_installed_vllm_is_not_replaced_by_its_release() -> None:
    built = {"packages__vllm": "0.20.0", "host__machine": "x86_64", "vllm__architectures": "sm_70", "vllm__cuda": "12"}
    assert derived("vllm.cuda", **built) == Version("12")
    assert derived("vllm.has_kernels", **built, gpu__compute_capability="7.0,9.0") == (True, False)


def test_a_vllm_for_other_hardware_has_no_cuda_version() -> None:
    known = derive(facts(packages__vllm="0.20.0", vllm__backend="rocm")).get("vllm.cuda")
    assert known is not None and known.value is None


@pytest.mark.parametrize(
    ("architecture", "runs"),
    [
        ("sm_100f", {"10.0", "10.3"}),
        ("sm_103f", {"10.3"}),
        ("sm_120f", {"12.0", "12.1"}),
        ("compute_120f", {"12.0", "12.1"}),
        ("compute_100a", {"10.0"}),
        ("compute_90", {"9.0", "10.0", "10.3", "12.0", "12.1"}),
        ("sm_80", {"8.0", "8.6", "8.9"}),
        ("native", set()),
        ("sm_", set()),
    ],
)
def test_code_for_a_family_runs_on_its_newer_members_only(architecture: str, runs: set[str]) -> None:
    gpus = ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1")
    assert {gpu for gpu in gpus if runs_on([architecture], Version(gpu))} == runs


@pytest.mark.parametrize(
    ("torch", "capability", "expected"),
    [
        ("2.7.0+cu128", "12.0", (True,)),
        ("2.7.1+cu128", "10.0,12.1", (True, True)),
        ("2.9.0+cu130", "9.0", (True,)),
        ("2.7.0+cu128", "7.0", "unknown"),
        ("2.7.0+cu128", "9.0,7.0", "unknown"),
        ("2.9.0+cu130", "11.0", "unknown"),
        ("2.7.0+cu126", "12.0", "unknown"),
        ("2.7.0.dev20250210+cu128", "12.0", "unknown"),
        ("2.8.0", "12.0", "unknown"),
        ("2.8.0a0+5228986.nv25.6", "12.0", "unknown"),
    ],
)
def test_a_build_of_torch_that_names_a_cuda_version_for_blackwell_has_kernels_for_it(
    torch: str, capability: str, expected: FactValue
) -> None:
    assert derived("torch.has_kernels", packages__torch=torch, gpu__compute_capability=capability) == expected


def test_the_architectures_of_an_installed_torch_count_more_than_what_its_build_is_named() -> None:
    here = {"packages__torch": "2.7.0+cu128", "torch__architectures": "sm_80,sm_90"}
    assert derived("torch.has_kernels", **here, gpu__compute_capability="12.0") == (False,)


def test_each_recorded_wheel_of_torch_for_such_a_cuda_version_has_kernels_for_blackwell() -> None:
    declares = load_record("torch").declares
    built = [version for version, cuda in declares["cuda"].items() if Version(cuda) >= Version("12.8")]
    assert Version("2.8.0") in built
    for version in built:
        architectures = declares["architectures"][version].split(",")
        assert {"sm_90", "sm_100", "sm_120"} <= set(architectures), version
