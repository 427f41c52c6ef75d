"""`vcompat fix --write` on run files that are put together at random never makes a run worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.fixes.editing.generated import Generator, judge
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
