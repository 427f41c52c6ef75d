"""Commands that one place of a launch script starts many times."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.commands.repeated import MOST_SEPARATE
from vcompat.sources.reading.launch_script import runs_of
from vcompat.sources.reading.shell import run_shell
from vcompat.sources.reading.word import readable

TRAIN = """from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser
args, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()
GRPOTrainer(model=model.model_name_or_path, reward_funcs=[], args=args).train()
"""
FEW, MANY = "for i in 1 2; do for j in a b; do", "for i in 1 2 3 4; do for j in a b c d; do"


def commands(text: str) -> list[str]:
    """The commands of a script as they are read: words, and variables that are not known."""
    found = []
    for _, invocation in runs_of(run_shell(text, "run.sh")).runs:
        values = {name: value for name, value in invocation.environment.values.items() if name.isupper()}
        variables = [f"{name}={readable(value)}" for name, value in values.items() if value is not None]
        uncertain = ["?"] * bool(invocation.why_uncertain)
        found.append(" ".join([*uncertain, *variables, *map(readable, invocation.words)]))
    return found


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{FEW} python x.py $i; done; done", ["python x.py 1"] * 2 + ["python x.py 2"] * 2),
        (f"{MANY} python x.py $i; done; done", ["python x.py ..."]),
        (f"{MANY} python x.py --a $i -b=x_$j.yaml --c 1; done; done", ["python x.py --a ... -b=x_....yaml --c 1"]),
        (f"{MANY} X=$i Y=1 python x.py; done; done", ["X=... Y=1 python x.py"]),
        (f"{MANY} torchrun --nproc_per_node $i x.py --b; done; done", ["torchrun --nproc_per_node ... x.py --b"]),
        # What has other options, or is another script, is another run.
        (f"{MANY} if [ $i = 2 ]; then o=--z; else o=--y; fi; python x.py $o $j; done; done",
         ["python x.py --y ...", "python x.py --z ..."]),
        ("for i in 1 2 3 4; do for j in 1 2 3 4; do python x$i.py $j; done; done",
         [f"python x{i}.py ..." for i in (1, 2, 3, 4)]),
        (f"{MANY} python x.py $i\npython x.py $j\ndone; done", ["python x.py ...", "python x.py ..."]),
        (f"{MANY} if [ $i = 3 ] && maybe; then python x.py $i; fi; done; done", ["? python x.py 3"] * 4),
        # Which of the servers is asked depends on each.
        (f"{MANY} trl vllm-serve --port 800$i; done; done", [f"trl vllm-serve --port 800{i}" for i in (1, 2, 3, 4) for _ in range(4)]),
    ],
)  # fmt: skip
def test_many_commands_of_one_place_are_one_of_which_is_known_what_is_common(text: str, read: list[str]) -> None:
    assert commands(text) == read
    assert MOST_SEPARATE == 12


def test_a_loop_over_many_settings_is_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAIN)
    options = "--learning_rate ${i}e-6 --beta 0.$j --use_vllm true --model_name_or_path a/b"
    Path("run.sh").write_text(
        "source missing.sh\n"
        "for i in {1..16}; do for j in {1..24}; do\n"
        f"accelerate launch --num_processes 2 train.py {options}\n"
        "done; done\n"
    )
    for sources in (Sources(["run.sh"]), Sources(command=["bash", "run.sh"])):
        gathered = collect(sources._replace(probe=False))
        assert len(gathered.runs) == 1
        facts = gathered.facts.presumed()
        assert [facts.value(f"plan.{name}") for name in ("use_vllm", "model", "world_size")] == [True, "a/b", 2]
        assert facts.get("plan.learning_rate") is None and facts.get("plan.beta") is None


def test_of_more_commands_than_are_read_the_first_count_and_the_others_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAIN)
    lines = [f"python train.py --beta 0.{number:02} --model_name_or_path a/b\n" for number in range(50)]
    Path("run.sh").write_text("".join(lines))
    gathered = collect(Sources(["run.sh"], probe=False))
    assert len(gathered.runs) == 40
    assert gathered.plan.given_up == ("the training commands after the first 40, from run.sh:41:1 on",)
