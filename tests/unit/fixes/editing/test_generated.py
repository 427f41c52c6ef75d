"""`vcompat fix --write` on run files that are put together at random never makes a run worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.fixes.editing.generated import Example, Generator, judge
from tests.unit.rules_for_tests import rule_table
from vcompat.rules.database import load_rules
from vcompat.rules.rule import parse_rule

RULES = load_rules(thorough=False)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))])
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
    table = rule_table(
        id="a-rule",
        when={"plan.max_completion_length": ">30000", "plan.use_vllm": True},
        fixes=[{"kind": "config", "setting": "max_completion_length", "value": 256}],
    )
    options = " --model_name_or_path Qwen/Qwen2.5-32B --max_completion_length 40000\n"
    launch = f"#!/bin/bash\npython train.py --use_vllm true{options}python train.py --use_vllm $1{options}"
    files = {"run.sh": launch.encode(), "train.py": Generator.PARSER.encode()}
    example = Example(files, ("run.sh",), "1xV100-32GB", {"packages.trl": "0.17.0", "plan.world_size": "1"})
    result = judge(example, tmp_path, (parse_rule(table, "a-rule", "a-rule"),))
    assert not result.fixed and not result.changed
    assert [left.why for left in result.left] == ["max_completion_length=256 leaves it open, by plan.use_vllm"]
