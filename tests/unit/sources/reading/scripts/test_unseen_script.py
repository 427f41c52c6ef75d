"""What the options of a command state whose script is not found."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.facts.presumption import CALLER, OPTIONS
from vcompat.facts.value import FactValue
from vcompat.sources.gather import Sources, collect


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def read(command: str) -> Facts:
    Path("run.sh").write_text(command + "\n")
    return collect(Sources(["run.sh"], probe=False)).facts


#: The facts that the launcher states, whatever the script is.
LAUNCHED = {"plan.mixed_precision", "plan.num_machines", "plan.deepspeed_stage"}


def likely(command: str) -> dict[str, FactValue]:
    facts = read(command)
    return {
        name.removeprefix("plan."): one.value
        for name, one in facts.all_likely()
        if name not in LAUNCHED and name not in ("plan.configuration", "plan.trainer")
    }


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--use_vllm True --num_generations 8", {"use_vllm": True, "num_generations": 8}),
        ("--use_vllm --bf16 --beta=0.5", {"use_vllm": True, "bf16": True, "beta": 0.5}),
        ("--vllm-mode colocate --num-generations 8", {"vllm_mode": "colocate", "num_generations": 8}),
        ("--num_generations 8 --num_generations 4", {"num_generations": 4}),
        ("--use_vllm true --model_name_or_path a/b", {"use_vllm": True, "model": "a/b"}),
        # The script's own options are no short forms of TRL's, and take their values with them.
        ("--use_vllm --lr 3 --model x --own true --bf16", {"use_vllm": True, "bf16": True}),
        ("--num_generations 8 --beta_start 3 --per_device 2 --learning 1", {"num_generations": 8}),
        ("--reward_funcs a b --own 8 --beta 0.5", {"beta": 0.5}),
        # What the launch script computes is not known.
        ("--use_vllm true --num_generations $1", {"use_vllm": True}),
        # Nor is anything if TRL's parser would refuse the command.
        ("--use_vllm true --num_generations eight", {}),
        # Options that any script can have do not tell that GRPO runs.
        ("--beta 0.5 --bf16 --learning_rate 1e-6", {}),
        ("trainer.num_generations=8", {}),
        ("", {}),
    ],
)
def test_options_of_grpo_mean_what_they_mean_in_trls_scripts(options: str, expected: dict[str, FactValue]) -> None:
    stated = likely(f"accelerate launch gone.py {options}")
    stated = {name: value for name, value in stated.items() if name in expected or value is not None}
    assert stated == expected


def test_what_the_options_state_is_likely_and_presumes_what_they_mean() -> None:
    facts = read("python gone.py --num_generations 8 $@")
    found = facts.likely("plan.num_generations")
    assert found is not None and facts.get("plan.num_generations") is None
    assert found.reason == "run.sh:1:1 starts gone.py, which was not found"
    assert [(one.kind, one.text) for one in found.presumes] == [
        (CALLER, "the caller adds no arguments"),
        (OPTIONS, "gone.py takes --num_generations and alike as TRL's scripts do"),
    ]
    for name, value in (("configuration", "GRPOConfig"), ("trainer", "GRPOTrainer")):
        stated = facts.likely(f"plan.{name}")
        assert stated is not None and stated.value == value and facts.get(f"plan.{name}") is None


def test_what_the_options_leave_out_has_no_default_since_the_script_may_set_it() -> None:
    facts = read("python gone.py --num_generations 8")
    assert facts.whole is None
    assert facts.likely("plan.use_vllm") is None and facts.get("plan.use_vllm") is None


def test_a_module_that_is_not_found_is_named() -> None:
    found = read("python -m pkg.gone --use_vllm").likely("plan.use_vllm")
    assert found is not None and found.presumes[-1].text == "pkg.gone takes --use_vllm and alike as TRL's scripts do"


def test_a_script_that_is_there_decides_itself_what_its_options_mean() -> None:
    Path("train.py").write_text("from trl import GRPOTrainer\nGRPOTrainer(model='a/b')\n")
    facts = read("python train.py --num_generations 8")
    assert facts.likely("plan.num_generations") is None


def test_the_model_that_the_options_name_is_likely_where_the_script_loads_it_in_another_way() -> None:
    Path("train.py").write_text(
        "import sys\nfrom trl import GRPOConfig, GRPOTrainer\nfrom own import load\n"
        "GRPOTrainer(model=load(sys.argv), args=GRPOConfig(use_vllm=True))\n"
    )
    facts = read("python train.py --model_name_or_path a/b --num_generations 8")
    found = facts.likely("plan.model")
    assert found is not None and found.value == "a/b"
    assert facts.likely("plan.num_generations") is None and facts.value("plan.use_vllm") is True
