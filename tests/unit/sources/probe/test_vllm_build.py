from __future__ import annotations

import os
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.libraries import CUBIN, PTX, container, entry, library
from tests.unit.sources.probe.installed import install
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.rules.database import find_rule, load_rules
from vcompat.sources.probe.builds.vllm_build import probe_vllm
from vcompat.sources.reading.packages.installed import read_folder

KERNELS = container(entry(CUBIN, 80), entry(CUBIN, 90), entry(PTX, 90))
NAMES = ("vllm.cuda", "vllm.architectures")


def vllm_on_disk(site: Path, version: str = "0.20.0", **files: bytes) -> None:
    install(site, "vllm", version, top_level="vllm")
    for name, content in files.items():
        (site / "vllm" / name.replace("__", ".")).write_bytes(content)


def test_cuda_version_and_architectures_are_read_from_vllm_s_libraries(tmp_path: Path) -> None:
    vllm_on_disk(tmp_path, _C__abi3__so=library(["libcudart.so.12"], KERNELS), _moe_C__abi3__so=b"not looked at")
    facts = probe_vllm([str(tmp_path)])
    assert facts.value("vllm.cuda") == Version("12")
    assert facts.value("vllm.architectures") == ("sm_80", "sm_90", "compute_90")
    known = facts.get("vllm.cuda")
    assert known is not None and known.source == "needed by _C.abi3.so"


def test_the_kernels_in_both_libraries_count(tmp_path: Path) -> None:
    first, second = library(["libcudart.so.13"], container(entry(CUBIN, 90))), library(["libcudart.so.13"], KERNELS)
    vllm_on_disk(tmp_path, _C__abi3__so=first, _C_stable_libtorch__abi3__so=second)
    assert probe_vllm([str(tmp_path)]).value("vllm.architectures") == ("sm_80", "sm_90", "compute_90")


def test_a_build_without_cuda_code_has_no_cuda_version(tmp_path: Path) -> None:
    vllm_on_disk(tmp_path, _C__abi3__so=library(["libc.so.6"]))
    facts = probe_vllm([str(tmp_path)])
    assert facts.get("vllm.cuda") == (None, "no CUDA code in _C.abi3.so", None)
    assert facts.get("vllm.architectures") is None


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "has no compiled libraries beside its modules"),
        ({"_C__abi3__so": library(["libcudart.so.12"], KERNELS)[:-70]}, "cannot be read: the file is truncated"),
    ],
)
def test_a_build_that_cannot_be_read_is_unknown_whatever_its_release(
    tmp_path: Path, files: dict[str, bytes], why: str
) -> None:
    vllm_on_disk(tmp_path, **files)
    facts = probe_vllm([str(tmp_path)])
    facts.set("packages.vllm", Version("0.20.0"), "test")
    for name in NAMES:
        assert derive(facts).get(name) is None
        assert why in facts.why_unknown(name)


def test_a_pipe_in_place_of_a_library_is_not_opened(tmp_path: Path) -> None:
    vllm_on_disk(tmp_path)
    os.mkfifo(tmp_path / "vllm" / "_C.abi3.so")
    assert "no compiled libraries" in probe_vllm([str(tmp_path)]).why_unknown("vllm.cuda")


def test_without_vllm_nothing_is_stated(tmp_path: Path) -> None:
    facts = probe_vllm([str(tmp_path)])
    assert not facts.known and not facts.reasons


@pytest.mark.parametrize(("from_elsewhere", "known"), [(False, True), (True, False)])
def test_metadata_alone_stand_for_the_wheel_unless_they_name_another_origin(
    tmp_path: Path, from_elsewhere: bool, known: bool
) -> None:
    install(tmp_path, "vllm", "0.20.0")
    if from_elsewhere:
        (tmp_path / "vllm-0.20.0.dist-info" / "direct_url.json").write_text(
            '{"url": "file:///src/vllm", "dir_info": {}}'
        )
    for facts in (probe_vllm([str(tmp_path)]), read_folder(str(tmp_path))):
        facts.set("packages.vllm", Version("0.20.0"), "test")
        facts.set("host.machine", "x86_64", "test")
        assert [derive(facts).get(name) is not None for name in NAMES] == [known, known]


@pytest.mark.parametrize(
    ("capability", "found"),
    [
        ("8.6", []),
        ("9.0", []),
        ("12.0", []),
        ("7.5", ["vllm-has-no-kernels-for-gpu"]),
        ("6.1", ["not-built-for-pascal"]),
    ],
)
def test_a_vllm_built_from_source_without_the_gpu_s_architecture_is_found(
    tmp_path: Path, capability: str, found: list[str]
) -> None:
    vllm_on_disk(tmp_path, "0.31.0", _C__abi3__so=library(["libcudart.so.13"], KERNELS))
    facts: Facts = read_folder(str(tmp_path))
    facts.set("gpu.compute_capability", (Version(capability),), "test")
    ids = ("vllm-has-no-kernels-for-gpu", "not-built-for-pascal", "volta-not-built", "not-built-for-blackwell")
    rules = [find_rule(load_rules(thorough=False), one) for one in ids]
    assert [finding.rule.id for finding in evaluate(rules, derive(facts))] == found
