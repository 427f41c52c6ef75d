"""The CUDA toolkit is found where torch looks for it."""

from __future__ import annotations

import json
from pathlib import Path

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.sources.probe.toolkit import probe_toolkit


def toolkit(folder: Path, **files: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "nvcc").write_text("#!/bin/sh\n")
    (folder / "bin" / "nvcc").chmod(0o755)
    (folder / "include").mkdir()
    for name, text in files.items():
        (folder / {"json": "version.json", "header": "include/cuda.h"}[name]).write_text(text)
    return folder


def found(**environment: str) -> Facts:
    facts = Facts()
    probe_toolkit(facts, {"PATH": "/nowhere", **environment}, "/nowhere")
    return facts


def test_the_version_file_of_the_named_toolkit_decides(tmp_path: Path) -> None:
    folder = toolkit(
        tmp_path / "cuda", json=json.dumps({"cuda": {"version": "12.8.1"}}), header="#define CUDA_VERSION 11080 \n"
    )
    assert found(CUDA_HOME=str(folder)).value("host.cuda_toolkit") == Version("12.8.1")


def test_the_header_decides_where_there_is_no_version_file(tmp_path: Path) -> None:
    folder = toolkit(tmp_path / "cuda", header="/* */\n#define CUDA_VERSION 13010\n")
    assert found(PATH=str(folder / "bin")).value("host.cuda_toolkit") == Version("13.1")


def test_a_toolkit_without_a_version_leaves_the_fact_unknown(tmp_path: Path) -> None:
    facts = found(CUDA_PATH=str(toolkit(tmp_path / "cuda")))
    assert facts.get("host.cuda_toolkit") is None
    assert "no version found" in facts.why_unknown("host.cuda_toolkit")


def test_without_a_compiler_there_is_no_toolkit(tmp_path: Path) -> None:
    known = found(CUDA_HOME=str(tmp_path)).get("host.cuda_toolkit")
    assert known is not None and known.value is None
