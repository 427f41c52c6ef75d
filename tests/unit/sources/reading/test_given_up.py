"""Calls that take too many steps are calls that are not followed: the reading goes on after them, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_script

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
    assert gathered.plan.given_up == ("heavy() (train.py:9:5), which takes too many steps",)


def test_what_a_call_with_too_many_steps_has_written_or_stores_is_open(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAVY.replace("    heavy(cfg)\n", "    heavy(cfg)\n    heavy(cfg)\n"))
    facts = collect(Sources([str(path)], probe=False)).runs[0].facts
    assert facts.get("plan.beta") is None and facts.likely("plan.beta") is None
    assert "heavy() takes too many steps" in facts.why_unknown("plan.beta")


LOOP = """\
    n = 0
    for a in range(60):
        for b in range(60):
            for c in range(60):
                n += 1
                cfg.beta = n
                lengths.append(n)
                more["seed"] = n
"""
LOOPING = f"""\
from trl import GRPOConfig, GRPOTrainer
def main(words):
    lengths, more = [], {{"seed": 5}}
    cfg = GRPOConfig(use_vllm=True, vllm_mode="colocate", beta=0.5, temperature=0.7)
{LOOP}
    cfg.max_steps, cfg.num_generations, cfg.seed = n, len(lengths), more["seed"]
    GRPOTrainer(model="a/b", args=cfg, reward_funcs=len).train()
"""


@pytest.mark.parametrize("in_function", [True, False])
def test_a_statement_with_too_many_steps_is_one_that_is_not_followed(tmp_path: Path, in_function: bool) -> None:
    path = tmp_path / "train.py"
    lines = LOOPING.splitlines(keepends=True)
    module = "".join(line.removeprefix("    ") for line in lines if not line.startswith("def"))
    path.write_text(LOOPING + "main(None)\n" if in_function else module)
    gathered = collect(Sources([str(path)], probe=False))
    facts = gathered.runs[0].facts
    values = {name: facts.likely(f"plan.{name}") for name in ("use_vllm", "temperature", "trainer", "model")}
    assert {name: one and one.value for name, one in values.items()} == {
        "use_vllm": True,
        "temperature": 0.7,
        "trainer": "GRPOTrainer",
        "model": "a/b",
    }
    for name in ("beta", "max_steps", "num_generations", "seed"):
        assert facts.get(f"plan.{name}") is None and facts.likely(f"plan.{name}") is None, name
    assert [text for text in gathered.plan.given_up if "which takes too many steps" in text]


def test_each_statement_has_steps_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    many = "".join(f"x = sum(a * {index} for a in {list(range(50))})\n" for index in range(400))
    path.write_text(many + LOOPING.replace(LOOP, "    n = 3\n") + "main(None)\n")
    likely = collect(Sources([str(path)], probe=False)).runs[0].facts.likely("plan.num_generations")
    assert likely is not None and likely.value == 0


def test_nothing_is_given_up_in_a_script_that_can_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAVY.replace("range(60)", "range(2)"))
    gathered = collect(Sources([str(path)], probe=False))
    assert gathered.plan.given_up == ()
    assert gathered.runs[0].facts.value("plan.beta") == 1


REWARDS = """\
import os
from trl import GRPOConfig, GRPOTrainer
LENGTHS, NAMES = {"long": 1}, []
def score(n):
    total = 0
    for a in range(60):
        for b in range(60):
            for c in range(60):
                total += a * b * c
    return total
def rewards(options):
    STATEMENT
    return [score(1), score(2)]
def main():
    options = {"beta": 0.5}
    cfg = GRPOConfig(use_vllm=True, vllm_mode="colocate", max_prompt_length=LENGTHS["long"])
    functions = rewards(options)
    cfg.beta = options["beta"]
    cfg.temperature = 0.5
    GRPOTrainer(model="a/b", args=cfg, reward_funcs=functions).train()
main()
"""


def _plan(tmp_path: Path, statement: str) -> tuple[dict[str, object], tuple[str, ...]]:
    path = tmp_path / "train.py"
    path.write_text(REWARDS.replace("STATEMENT", statement))
    gathered = collect(Sources([str(path)], probe=False))
    return {name: known.value for name, known in gathered.runs[0].facts.all_known()}, gathered.plan.given_up


def test_what_a_call_with_too_many_steps_cannot_reach_is_known(tmp_path: Path) -> None:
    facts, given_up = _plan(tmp_path, "pass")
    assert given_up == ("score() (train.py:13:13), which takes too many steps",)
    assert facts["plan.use_vllm"] is True
    assert facts["plan.temperature"] == 0.5
    assert facts["plan.model"] == "a/b"


@pytest.mark.parametrize(
    "statement",
    [
        "GRPOConfig.beta = 4",
        "globals()['cfg'] = None",
        "GRPOTrainer(model='c/d', reward_funcs=len).train()",
        "from train_too import other; other()",
    ],
)
def test_a_script_is_given_up_if_its_heavy_call_may_configure(tmp_path: Path, statement: str) -> None:
    (tmp_path / "train_too.py").write_text("import trl\ndef other():\n    trl.GRPOConfig.beta = 4\n")
    path = tmp_path / "train.py"
    path.write_text(
        REWARDS.replace("STATEMENT", "pass").replace("    total = 0\n", f"    total = 0\n    {statement}\n")
    )
    gathered = collect(Sources([str(path)], probe=False))
    assert gathered.runs[0].facts.get("plan.use_vllm") is None
    whole = "train.py: the script is too complex to follow, so that its settings are likely at most"
    assert whole in gathered.plan.given_up


def test_what_takes_too_many_steps_in_one_run_is_not_tried_again_in_the_next(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(REWARDS.replace("STATEMENT", "pass"))
    (tmp_path / "run.sh").write_text("for seed in 1 2 3; do\n  python train.py --seed $seed\ndone\n")
    gathered = collect(Sources([str(tmp_path / "run.sh")], probe=False))
    assert [run.facts.value("plan.temperature") for run in gathered.runs] == [0.5, 0.5, 0.5]
    assert gathered.plan.given_up == ("score() (train.py:13:13), which takes too many steps",)


def test_a_script_that_takes_too_many_steps_is_read_with_certainty_once(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(LOOPING.replace("cfg.beta = n", "GRPOConfig(beta=n)") + "main(None)\n")
    heavy: set[tuple[str, int, str]] = set()
    first = read_script(str(path), Start(heavy=heavy))
    assert (str(path), 0, "") in heavy and first.given_up
    path.write_text(HEAVY.replace("range(60)", "range(2)"))
    assert read_script(str(path), Start(heavy=heavy)).given_up == first.given_up
    assert not read_script(str(path), Start()).given_up
