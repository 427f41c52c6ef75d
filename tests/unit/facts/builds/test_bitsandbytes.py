"""Which library bitsandbytes loads, and the GPUs that it has kernels for."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.facts.builds.bitsandbytes import loaded
from vcompat.facts.derive import derive
from vcompat.facts.value import FactValue

HAS = [Version(text) for text in ("11.8", "12.1", "12.6", "12.8", "13.0")]


def derived(name: str, **given: str) -> FactValue | str:
    given = {"packages__torch": "2.8.0", "env__BNB_CUDA_VERSION": "none", "host__machine": "x86_64", **given}
    result = derive(facts(**given)).get(name)
    return "unknown" if result is None else result.value


@pytest.mark.parametrize(
    ("torch", "without_fallback", "with_fallback"),
    [
        ("12.1", "12.1", "12.1"),
        ("12.9", None, "12.8"),
        ("12.4", None, "12.1"),
        ("12.0", None, "12.1"),
        ("13.2", None, "13.0"),
        ("11.7", None, "11.8"),
        ("14.0", None, None),
    ],
)
def test_the_library_for_another_minor_version_is_loaded_only_by_releases_that_fall_back(
    torch: str, without_fallback: str | None, with_fallback: str | None
) -> None:
    for falls_back, expected in ((False, without_fallback), (True, with_fallback)):
        assert loaded(HAS, Version(torch), falls_back) == (expected and Version(expected))


@pytest.mark.parametrize(
    ("release", "torch", "library"),
    [
        ("0.45.2", "12.8", None),
        ("0.45.3", "12.8", Version("12.8")),
        ("0.46.0", "12.9", None),
        ("0.46.1", "12.9", Version("12.9")),
        ("0.47.0", "13.0", None),
        ("0.48.0", "13.0", Version("13.0")),
        ("0.49.2", "13.2", None),
        ("0.50.0", "13.2", Version("13.2")),
        ("0.49.2", "12.9", Version("12.9")),
        ("0.50.0", "12.9", Version("12.8")),
        ("0.49.2", "13.1", None),
        ("0.50.0", "13.1", Version("13.0")),
    ],
)
def test_a_release_loads_this_library(release: str, torch: str, library: Version | None) -> None:
    assert derived("bitsandbytes.cuda", packages__bitsandbytes=release, torch__cuda=torch) == library


def test_without_torch_s_cuda_version_or_with_an_override_the_library_is_unknown() -> None:
    assert derived("bitsandbytes.cuda", packages__bitsandbytes="0.45.2") == "unknown"
    here = {"packages__bitsandbytes": "0.45.2", "torch__cuda": "12.8"}
    assert derived("bitsandbytes.cuda", **here, env__BNB_CUDA_VERSION="126") == "unknown"
    assert derived("bitsandbytes.cuda", packages__bitsandbytes="900.0", torch__cuda="12.8") == "unknown"


def test_the_libraries_of_the_installed_files_count_and_not_those_of_the_release() -> None:
    built_here = {"packages__bitsandbytes": "0.45.2", "bitsandbytes__cuda_versions": "12.8"}
    assert derived("bitsandbytes.cuda", **built_here, torch__cuda="12.8") == Version("12.8")
    assert derived("bitsandbytes.cuda", **built_here, torch__cuda="12.6") is None
    here = {**built_here, "torch__cuda": "12.8", "gpu__compute_capability": "9.0"}
    assert derived("bitsandbytes.has_kernels", **here) == "unknown"


@pytest.mark.parametrize(
    ("release", "torch", "volta", "hopper"),
    [
        ("0.45.0", "11.8", True, False),
        ("0.45.1", "11.8", True, True),
        ("0.45.5", "12.8", True, True),
        ("0.46.0", "12.8", False, True),
        ("0.46.0", "12.6", True, True),
        ("0.46.1", "12.9", False, True),
        ("0.47.0", "12.8", True, True),
        ("0.50.2", "13.0", False, True),
    ],
)
def test_the_library_for_torch_s_cuda_version_has_kernels_for_these_gpus(
    release: str, torch: str, volta: bool, hopper: bool
) -> None:
    here = {"packages__bitsandbytes": release, "torch__cuda": torch, "gpu__compute_capability": "7.0,9.0"}
    assert derived("bitsandbytes.has_kernels", **here) == (volta, hopper)


def test_where_the_wheels_for_two_processors_differ_an_unknown_processor_leaves_the_answer_open() -> None:
    here = {"packages__bitsandbytes": "0.46.0", "torch__cuda": "12.8", "gpu__compute_capability": "12.0"}
    assert derived("bitsandbytes.has_kernels", **here) == (True,)
    assert derived("bitsandbytes.has_kernels", **here, host__machine="aarch64") == (False,)
    assert derived("bitsandbytes.has_kernels", **here, host__machine="unknown") == "unknown"
    assert derived("bitsandbytes.has_kernels", **here, host__machine="ppc64le") == "unknown"
