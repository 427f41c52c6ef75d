"""`vcompat fix --write` on run files that are put together at random never makes a run worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.fixes.editing.generated import Example, Generator, judge
from vcompat.rules.database import load_rules

RULES = load_rules(thorough=False)


@pytest.mark.parametrize("seed", range(40))
def test_a_fixed_run_has_no_new_finding_and_is_not_changed_again(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    judge(Generator(seed).example(), tmp_path, RULES, advice=seed % 4 == 0)


def test_the_generated_files_are_changed_in_every_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = {"set", "add", "rename", "remove", ".py", ".sh", ".toml", ".yaml"}
    for seed in range(100, 300):
        result = judge(Generator(seed).example(), tmp_path, RULES)
        wanted -= {edit.action for fixed in result.fixed for edit in fixed.edits}
        wanted -= {Path(file.path).suffix for file in result.changed}
        if not wanted:
            break
    assert not wanted


def test_a_finding_that_is_possible_in_another_run_is_not_called_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = " --model_name_or_path Qwen/Qwen2.5-32B --fp16 --max_completion_length 40000 --max_prompt_length 512\n"
    launch = f"#!/bin/bash\npython train.py --use_vllm --vllm_mode=colocate{options}python train.py --use_vllm false{options}"
    files = {"run.sh": launch.encode(), "train.py": Generator.PARSER.encode()}
    versions = {"packages.trl": "0.17.0", "packages.vllm": "0.10.0", "packages.transformers": "4.51.3"}
    versions |= {"plan.world_size": "1"}
    example = Example(files, ("run.sh",), "1xV100-32GB", versions)
    result = judge(example, tmp_path, RULES)
    assert "chunked-prefill-before-ampere" in {finding.name for finding in result.possible}
    assert [fixed.findings for fixed in result.fixed if "renamed-setting" in fixed.findings] == [("renamed-setting",)]
