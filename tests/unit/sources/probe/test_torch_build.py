from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.sources.probe.installed import install
from vcompat.sources.probe.builds.torch_build import probe_torch, vendor_of_torch

#: The bytes around the list in libtorch_python.so of torch 2.6.0 and 2.11.0, shortened.
AROUND = b"\0_cuda_getArchFlags\0asm_volatile\0sm_\0%s\0some other text\0"


def torch_on_disk(site: Path, cuda: str, flags: bytes | None, before: int = 0) -> None:
    install(site, "torch", "2.6.0", top_level="torch")
    (site / "torch" / "lib").mkdir()
    (site / "torch" / "version.py").write_text(
        f"from typing import Optional\n\n__version__ = '2.6.0'\ncuda: Optional[str] = {cuda}\nhip: Optional[str] = None\n"
    )
    if flags is not None:
        (site / "torch" / "lib" / "libtorch_python.so").write_bytes(b"x" * before + AROUND.replace(b"%s", flags))


def test_cuda_version_and_architectures_are_read_from_torch_s_files(tmp_path: Path) -> None:
    torch_on_disk(tmp_path, "'12.4'", b"sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90")
    facts = probe_torch([str(tmp_path)])
    assert facts.value("torch.cuda") == Version("12.4")
    assert facts.value("torch.architectures") == (
        "sm_50",
        "sm_60",
        "sm_70",
        "sm_75",
        "sm_80",
        "sm_86",
        "sm_90",
    )


@pytest.mark.parametrize("before", [(1 << 20) - 60, (1 << 20) - 70, (1 << 20) - 100])
def test_an_architecture_list_across_two_chunks_is_found_completely(tmp_path: Path, before: int) -> None:
    torch_on_disk(tmp_path, "'13.0'", b"sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120", before)
    assert probe_torch([str(tmp_path)]).value("torch.architectures") == (
        "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120",
    )  # fmt: skip


def test_an_architecture_list_directly_after_another_string_is_found(tmp_path: Path) -> None:
    # As in torch 2.8 and 2.9.
    torch_on_disk(tmp_path, "'12.8'", b"std::string ipc_hsm_70 sm_75 sm_120")
    assert probe_torch([str(tmp_path)]).value("torch.architectures") == ("sm_70", "sm_75", "sm_120")


def test_a_cpu_build_has_no_cuda_and_no_architectures(tmp_path: Path) -> None:
    torch_on_disk(tmp_path, "None", None)
    facts = probe_torch([str(tmp_path)])
    known = facts.get("torch.cuda")
    assert known is not None
    assert known.value is None
    assert facts.get("torch.architectures") is None


def test_missing_build_files_leave_the_facts_unknown_with_a_reason(tmp_path: Path) -> None:
    torch_on_disk(tmp_path, "'12.4'", None)
    assert "no architecture list found in" in probe_torch([str(tmp_path)]).why_unknown("torch.architectures")
    (tmp_path / "torch" / "version.py").unlink()
    assert "no CUDA version found in" in probe_torch([str(tmp_path)]).why_unknown("torch.cuda")


@pytest.mark.parametrize(
    ("line", "vendor"),
    [
        ("hip: Optional[str] = '6.3.42133-1b9c17779'", "amd"),
        ("hip = '5.7.31921'", "amd"),
        ("xpu: Optional[str] = '20250101'", "intel"),
        ("hip: Optional[str] = None\nxpu: Optional[str] = None", None),
        ("cuda: Optional[str] = '12.4'", None),
    ],
)
def test_the_vendor_is_the_one_that_torch_is_built_for(tmp_path: Path, line: str, vendor: str | None) -> None:
    install(tmp_path, "torch", "2.7.0a0+git295f2ed", top_level="torch")
    (tmp_path / "torch" / "version.py").write_text(f"__version__ = '2.7.0a0+git295f2ed'\n{line}\n")
    assert vendor_of_torch([str(tmp_path)]) == vendor


def test_without_torch_its_vendor_is_not_known(tmp_path: Path) -> None:
    assert vendor_of_torch([str(tmp_path)]) is None
