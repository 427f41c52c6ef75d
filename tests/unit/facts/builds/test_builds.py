"""Which wheel of a vLLM release fits torch's CUDA version."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.facts.builds.cuda_builds import fits, load_builds, other_build
from vcompat.facts.records.wheels import VLLM_KERNELS, key_of, load_wheels


@pytest.mark.parametrize(
    ("release", "torch", "build"),
    [
        ("0.19.1", "12.8", None),
        ("0.20.0", "13.0", None),
        ("0.20.0", "12.8", "12.9"),
        ("0.32.0", "12.9", "12.9"),
        ("0.33.0", "12.9", None),
        ("0.19.1", "13.0", "13.0"),
        ("0.10.1.1", "11.8", "11.8"),
        ("0.10.2", "11.8", None),
        ("0.15.1", "13.0", None),
    ],
)
def test_the_build_to_take_is_for_the_same_major_version_and_only_where_the_index_has_another(
    release: str, torch: str, build: str | None
) -> None:
    here = facts(host__machine="x86_64")
    assert other_build(Version(release), Version(torch), here) == (build and Version(build))


def test_whether_the_wheel_of_an_unknown_release_fits_is_unknown() -> None:
    assert fits(Version("900.0"), Version("13.0"), facts()) is None
    assert fits(Version("0.31.0"), Version("13.0"), facts(host__machine="ppc64le")) is None
    assert fits(Version("0.31.0"), Version("13.0"), facts()) is True


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_wheel_on_the_index_is_for_a_cuda_version_that_the_pipeline_builds(machine: str) -> None:
    wheels = load_wheels()[key_of(VLLM_KERNELS, machine)]
    built = {release: {str(cuda.major) for cuda in versions} for release, versions in load_builds()[machine].items()}
    both = wheels.keys() & built.keys()
    assert len(both) > 25
    assert {release for release in both if wheels[release].cuda not in built[release]} == set()
