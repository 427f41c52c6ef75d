"""Data that a script loads: a list is no file of settings, and no reason to refuse the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.gather import Sources, collect

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


@pytest.mark.parametrize("text", ["[1, 2]", '"a"', "3", POINTER])
def test_a_script_that_loads_data_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(text)
    path = tmp_path / "train.py"
    path.write_text(
        "import json\nfrom trl import GRPOConfig, GRPOTrainer\nwith open('data.json') as file:\n"
        "    rows = json.load(file)\nargs = GRPOConfig(use_vllm=True)\nGRPOTrainer(model='a/b', args=args).train()\n"
    )
    assert collect(Sources([str(path)], probe=False)).runs[0].facts.value("plan.use_vllm") is True
