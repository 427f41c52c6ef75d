"""Files that only the end of their path leads to: what they state is likely, and presumes which files they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, collect

SCRIPT = """from trl import GRPOConfig, GRPOTrainer, TrlParser
(args,) = TrlParser(GRPOConfig).parse_args_and_config()
GRPOTrainer(model="a/b", args=args)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "src/r1/src/grpo.py": SCRIPT,
        "src/r1/configs/zero3.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nnum_processes: 8\n",
        "src/r1/recipes/demo.yaml": "num_generations: 6\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read(folder: Path, command: str) -> Facts:
    (folder / "run.sh").write_text(f"cd /root/clone\n{command}\n")
    return collect(Sources(["run.sh"], probe=False)).facts


def likely(facts: Facts, name: str) -> tuple[object, list[str]]:
    found = facts.likely(name)
    assert facts.value(name) is None
    assert found is not None
    return found.value, [one.text for one in found.presumes if one.kind == "file"]


def test_a_script_that_is_elsewhere_states_what_is_likely(folder: Path) -> None:
    facts = read(folder, "python src/grpo.py --num_generations 4")
    value, presumes = likely(facts, "plan.num_generations")
    assert value == 4
    assert presumes == ["/root/clone/src/grpo.py is the file at src/r1/src/grpo.py"]
    assert collect(Sources(["run.sh"], probe=False)).plan.missing == ()


def test_a_configuration_of_accelerate_that_is_elsewhere_is_likely(folder: Path) -> None:
    facts = read(folder, "accelerate launch --config_file configs/zero3.yaml src/grpo.py")
    assert likely(facts, "plan.world_size")[0] == 8
    assert (
        "/root/clone/configs/zero3.yaml is the file at src/r1/configs/zero3.yaml"
        in likely(facts, "plan.deepspeed_stage")[1]
    )


@pytest.mark.parametrize("name", ["recipes/demo.yaml", "$WHERE/recipes/demo.yaml"])
def test_a_file_of_settings_that_is_elsewhere_is_likely(folder: Path, name: str) -> None:
    facts = read(folder, f"python src/grpo.py --config {name}")
    value, presumes = likely(facts, "plan.num_generations")
    assert value == 6
    assert any(text.endswith("recipes/demo.yaml is the file at src/r1/recipes/demo.yaml") for text in presumes)


def test_one_of_two_files_with_the_same_end_is_not_presumed(folder: Path) -> None:
    (folder / "grpo.py").write_text(SCRIPT)
    facts = read(folder, "python src/other/grpo.py --num_generations 4")
    assert not any(one.kind == "file" for each in [facts.likely("plan.trainer")] if each for one in each.presumes)
