from __future__ import annotations

from pathlib import Path

from packaging.version import Version

from tests.unit.sources.probe.installed import install
from vcompat.facts.builds.bitsandbytes import VERSIONS
from vcompat.sources.probe.builds.bitsandbytes_build import probe_bitsandbytes
from vcompat.sources.reading.packages.installed import read_folder


def bitsandbytes_on_disk(site: Path, *files: str) -> None:
    install(site, "bitsandbytes", "0.46.0", top_level="bitsandbytes")
    for name in files:
        (site / "bitsandbytes" / name).write_bytes(b"")


def test_the_names_of_the_libraries_state_the_cuda_versions(tmp_path: Path) -> None:
    files = ("libbitsandbytes_cuda130.so", "libbitsandbytes_cuda118.so", "libbitsandbytes_cuda118_nocublaslt.so")
    bitsandbytes_on_disk(tmp_path, *files, "libbitsandbytes_cpu.so", "libbitsandbytes_rocm62.so", "nn.py")
    assert probe_bitsandbytes([str(tmp_path)]).value(VERSIONS) == (Version("11.8"), Version("13.0"))
    assert read_folder(str(tmp_path)).value(VERSIONS) == (Version("11.8"), Version("13.0"))


def test_a_build_without_cuda_has_no_versions(tmp_path: Path) -> None:
    bitsandbytes_on_disk(tmp_path, "libbitsandbytes_cpu.so")
    known = probe_bitsandbytes([str(tmp_path)]).get(VERSIONS)
    assert known is not None and known.value == ()


def test_metadata_without_the_package_state_nothing(tmp_path: Path) -> None:
    install(tmp_path, "bitsandbytes", "0.46.0")
    facts = probe_bitsandbytes([str(tmp_path)])
    assert facts.get(VERSIONS) is None and not facts.reasons


def test_an_editable_installation_leaves_the_versions_open(tmp_path: Path) -> None:
    install(tmp_path, "bitsandbytes", "0.46.0")
    folder = next(tmp_path.glob("bitsandbytes-*"))
    (folder / "direct_url.json").write_text('{"url": "file:///src/bitsandbytes", "dir_info": {"editable": true}}')
    assert "cannot be listed" in probe_bitsandbytes([str(tmp_path)]).why_unknown(VERSIONS)


def test_without_bitsandbytes_there_is_no_fact(tmp_path: Path) -> None:
    assert not probe_bitsandbytes([str(tmp_path)]).known
