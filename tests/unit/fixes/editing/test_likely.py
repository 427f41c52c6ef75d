"""Likely findings are fixed after the certain ones, and the answer says that they are likely."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat
from vcompat.evaluation.config import Config
from vcompat.fixes.editing.tried_edits import FAILURES, Result, fix_files
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

RULE = "sleep-mode-generates-with-first-checkpoint"
SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer
from tracker import track
args = GRPOConfig(use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=True)
{call}
GRPOTrainer(model="a/b", args=args)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fixed(folder: Path, call: str, **settings: str) -> Result:
    (folder / "train.py").write_text(SCRIPT.format(call=call))
    stated = {"packages.trl": "1.9.0", **{name.replace("__", "."): value for name, value in settings.items()}}
    return fix_files(Sources(["train.py"], stated, probe=False), Config(), load_rules(thorough=False), FAILURES)


@pytest.mark.parametrize(("call", "told"), [("track(args)", f"{RULE} (likely)"), ("", RULE)])
def test_the_setting_of_a_likely_finding_is_changed_as_that_of_a_certain_one(
    folder: Path, call: str, told: str
) -> None:
    result = fixed(folder, call)
    (changed,) = result.changed
    assert changed.after.decode() == SCRIPT.format(call=call).replace("sleep_mode=True", "sleep_mode=False")
    assert [one.findings for one in result.fixed] == [(told,)]
    assert result.left == ()


def test_a_likely_finding_that_no_change_fixes_is_left_with_the_reason(folder: Path) -> None:
    result = fixed(folder, "args.vllm_enable_sleep_mode = bool(1)\ntrack(args)")
    assert result.changed == ()
    (left,) = [left for left in result.left if left.finding.rule.id == RULE]
    assert left.finding.is_likely and left.why


def test_a_finding_that_is_only_possible_is_not_changed_for(folder: Path) -> None:
    result = fixed(folder, "args = track(args)")
    assert result.changed == () and result.fixed == () and result.left == ()
    assert RULE in {finding.rule.id for finding in result.possible}


def test_the_command_says_that_the_finding_is_likely_and_writes_the_change(folder: Path) -> None:
    (folder / "train.py").write_text(SCRIPT.format(call="track(args)"))
    words = ["fix", "train.py", "--no-probe", "--no-config", "--set", "packages.trl=1.9.0"]
    done = vcompat(*words)
    assert done.code == 1 and f"{RULE} (likely):" in " ".join(done.stdout.split())
    assert vcompat(*words, "--write").code == 0
    assert "vllm_enable_sleep_mode=False" in (folder / "train.py").read_text()
