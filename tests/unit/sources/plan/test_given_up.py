"""Calls that take too many steps: the presuming reading goes on after them, and says so."""

from __future__ import annotations

from pathlib import Path

from vcompat.sources.gather import Sources, collect

HEAVY = """\
from trl import GRPOConfig, GRPOTrainer
def heavy(cfg):
    for a in range(60):
        for b in range(60):
            for c in range(60):
                cfg.beta = a * b * c
def main():
    cfg = GRPOConfig(use_vllm=True, vllm_mode="colocate")
    heavy(cfg)
    GRPOTrainer(model="a/b", args=cfg, reward_funcs=len).train()
main()
"""


def test_a_call_with_too_many_steps_is_one_that_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAVY)
    gathered = collect(Sources([str(path)], probe=False))
    facts = gathered.runs[0].facts
    assert facts.get("plan.use_vllm") is None
    likely = facts.likely("plan.use_vllm")
    assert likely is not None and likely.value is True
    assert "heavy(), which takes too many steps, changes no setting (train.py:9:5)" in map(str, likely.presumes)
    assert gathered.plan.given_up == (
        "heavy() (train.py:9:5), which takes too many steps",
        "train.py: the script is too complex to follow, so that its settings are likely at most",
    )


def test_nothing_is_given_up_in_a_script_that_can_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAVY.replace("range(60)", "range(2)"))
    gathered = collect(Sources([str(path)], probe=False))
    assert gathered.plan.given_up == ()
    assert gathered.runs[0].facts.value("plan.beta") == 1
