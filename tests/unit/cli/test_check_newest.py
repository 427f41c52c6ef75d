"""A check of a project that leaves releases open: the next command, and what it then finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat

SCRIPT = "from trl import GRPOConfig, GRPOTrainer\n\nargs = GRPOConfig(use_vllm=True, vllm_mode='colocate')\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT + "GRPOTrainer(model='Qwen/Qwen3-0.6B', args=args)\n")
    Path("requirements.txt").write_text("trl>=0.18\nvllm==0.11.2\n")


def test_it_is_proposed_and_decides_what_was_possible() -> None:
    before = vcompat("check", "train.py", "--no-probe")
    printed = " ".join(before.stdout.split())
    assert "rules depend on the TRL version (requirements.txt:1:1): pass --newest" in printed
    assert before.stdout.endswith("Next: vcompat check train.py --no-probe --newest\n")
    after = vcompat("check", "train.py", "--no-probe", "--newest", "--fail-on-likely")
    assert after.code == 1
    assert "(the newest that requirements.txt allows), on unknown GPUs." in " ".join(after.stdout.split())
    assert "likely error: TRL cannot import NCCLTrainerSendWeightsArgs" in after.stdout
    assert "(the newest that requirements.txt:1:1 allows)" in " ".join(after.stdout.split())
    assert "presumes the environment is made anew: an installer takes the newest recorded releases" in after.stdout
    assert "--newest or" not in after.stdout


def test_what_no_release_fits_is_not_proposed_again() -> None:
    Path("requirements.txt").write_text("trl>=0.18\nvllm==0.11.2\ntorch<2.0\n")
    after = vcompat("check", "train.py", "--no-probe", "--newest")
    assert "pass --newest" not in after.stdout
    assert after.stdout.endswith("Next: vcompat check train.py --newest --no-probe --set packages.trl=<version>\n")


def test_a_script_that_states_no_release_allows_none_but_uses_packages() -> None:
    Path("requirements.txt").unlink()
    shown = " ".join(vcompat("check", "--no-probe", "--newest", "train.py").stdout.split())
    assert "(the newest for what train.py uses)" in shown
