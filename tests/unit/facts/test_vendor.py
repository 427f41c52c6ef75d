"""The vendor of the GPUs, and what GPUs that are not NVIDIA's do not have."""

from __future__ import annotations

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.derive import derive
from vcompat.facts.value import show
from vcompat.facts.vendor import vendor_of
from vcompat.rules.database import find_rule, load_rules


def derived(name: str, **known: str) -> str:
    result = derive(facts(**known)).get(name)
    return "unknown" if result is None else show(result.value)


@pytest.mark.parametrize(
    ("known", "vendor"),
    [
        ({"gpu__name": "NVIDIA H100 80GB HBM3"}, "nvidia"),
        ({"gpu__name": "AMD Instinct MI300X,AMD Instinct MI300X"}, "amd"),
        ({"gpu__name": "Intel(R) Data Center GPU Max 1550"}, "intel"),
        ({"gpu__name": "Tesla T4,AMD Instinct MI300X"}, "unknown"),
        ({"gpu__name": "Something new"}, "unknown"),
        ({"packages__torch": "2.8.0+rocm6.4"}, "amd"),
        ({"packages__torch": "2.8.0+xpu"}, "intel"),
        ({"packages__torch": "2.8.0+cu128"}, "nvidia"),
        ({"packages__torch": "2.8.0"}, "unknown"),
        ({"packages__torch": "2.8.0+rocm6.4", "gpu__compute_capability": "9.4"}, "amd"),
        ({"packages__vllm": "0.10.0+rocm641"}, "amd"),
        ({"packages__vllm": "0.10.0"}, "unknown"),
        ({"vllm__backend": "xpu"}, "intel"),
        ({"vllm__backend": "cpu"}, "none"),
        ({"plan__use_cpu": "true"}, "none"),
        ({"gpu__compute_capability": "9.0"}, "nvidia"),
        ({"gpu__driver": "550.54"}, "nvidia"),
        ({"gpu__vendor": "amd", "gpu__compute_capability": "9.4"}, "amd"),
    ],
)
def test_names_builds_and_the_driver_show_the_vendor(known: dict[str, str], vendor: str) -> None:
    assert derived("gpu.vendor", **known) == vendor


@pytest.mark.parametrize(
    ("names", "vendor"),
    [
        ("GeForce RTX 2080 Ti|NVIDIA H100 80GB HBM3|Tesla T4", "nvidia"),
        ("T4|H100|h100-PCIe|A100-64GB|A10G|RTX-4090|RTX4090|L40S|B200|GH200|V100-32GB|A6000", "nvidia"),
        ("Radeon PRO W7900|MI300X|mi250|MI325X|AMD Instinct MI300X", "amd"),
        ("Intel(R) Data Center GPU Max 1550", "intel"),
        ("A770|B580|MI|T400000|H1000|Mirror|Something new", None),
    ],
)
def test_the_name_of_a_gpu_begins_with_its_vendor_or_product(names: str, vendor: str | None) -> None:
    assert {name: vendor_of(name) for name in names.split("|")} == dict.fromkeys(names.split("|"), vendor)


@pytest.mark.parametrize("vendor", ["amd", "intel"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gpu.compute_capability", "none"),
        ("torch.has_kernels", "none"),
        ("vllm.has_kernels", "none"),
        ("gpu.driver", "none"),
        ("gpu.driver_cuda", "none"),
        ("gpu.nvml", "none"),
    ],
)
def test_other_gpus_have_no_compute_capability_and_no_nvidia_driver(vendor: str, name: str, value: str) -> None:
    known = {"gpu__vendor": vendor, "gpu__compute_capability": "7.0", "gpu__nvml": "library-not-found"}
    assert derived(name, **known, packages__torch="2.9.0", packages__vllm="0.11.0") == value


@pytest.mark.parametrize(
    ("vllm", "vendor", "backend"),
    [
        ("0.10.0", "amd", "rocm"),
        ("0.10.0", "intel", "xpu"),
        ("0.10.0", "nvidia", "cuda"),
        ("0.10.0+cpu", "amd", "cpu"),
        ("0.31.0+cu130", "amd", "cuda"),
    ],
)
def test_a_release_without_a_build_has_the_backend_of_the_vendor(vllm: str, vendor: str, backend: str) -> None:
    assert derived("vllm.backend", packages__vllm=vllm, gpu__vendor=vendor) == backend


def test_a_torch_for_cuda_on_other_gpus_makes_its_cuda_version_unknown() -> None:
    assert derived("torch.cuda", packages__torch="2.6.0", torch__cuda="12.4", gpu__vendor="amd") == "unknown"


@pytest.mark.parametrize(
    "rule", ["no-driver", "bfloat16-before-ampere", "not-built-for-blackwell", "torch-has-no-kernels-for-gpu"]
)
def test_rules_about_nvidia_gpus_do_not_apply_to_others(rule: str) -> None:
    known = {
        "packages__vllm": "0.8.2",
        "packages__torch": "2.6.0",
        "packages__trl": "0.20.0",
        "gpu__nvml": "library-not-found",
    }
    stated = facts(**known, gpu__vendor="amd", gpu__compute_capability="12.0", plan__use_vllm="true")
    assert evaluate([find_rule(load_rules(), rule)], derive(stated)) == []
