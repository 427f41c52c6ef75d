"""The record of what tests saw on a GPU. These tests need none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import tomli

from tests.gpu import seen


def test_what_was_seen_is_in_a_file_named_after_the_gpu(tmp_path: Path) -> None:
    reports = [
        SimpleNamespace(nodeid="tests/gpu/test_a.py::test_b[x]", outcome="passed", user_properties=[("vllm 1", 0.5)]),
        SimpleNamespace(nodeid="tests/gpu/test_a.py::test_c", outcome="failed", user_properties=[]),
    ]
    file = seen.write(tmp_path / "gpu", {"gpu": 'NVIDIA "H200"', "driver": "580.1"}, reports)
    assert file.name == "nvidia-h200.toml"
    assert tomli.loads(file.read_text(encoding="utf-8")) == {
        "machine": {"gpu": 'NVIDIA "H200"', "driver": "580.1"},
        "tests": {
            "test_a.py::test_b[x]": {"outcome": "passed", "vllm 1": "0.5"},
            "test_a.py::test_c": {"outcome": "failed"},
        },
    }
