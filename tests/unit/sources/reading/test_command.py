"""A command line as the launch of a run, and where PYTHONPATH does not reach its Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, collect
from vcompat.sources.probe.shared_folder import is_shared
from vcompat.sources.reading.launchers import hook_reach

SCRIPT = """
import sys
from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(use_vllm=True, vllm_mode="colocate", num_generations=int(sys.argv[1]))
GRPOTrainer(model="m", args=config)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path


def facts_of(*command: str) -> Facts:
    return collect(Sources(command=command, patched=["a_patch"], hook="/hook", probe=False)).facts


@pytest.mark.parametrize(
    ("command", "processes"),
    [
        (["torchrun", "--nproc_per_node", "4", "train.py", "8"], 4),
        (["accelerate", "launch", "--num_processes", "2", "train.py", "8"], 2),
        (["bash", "-c", "torchrun --nproc_per_node=3 train.py 8"], 3),
        (["env", "X=1", "torchrun", "--nproc_per_node=2", "./train.py", "8"], 2),
    ],
)
def test_a_command_is_read_as_a_launch_script_with_that_line(folder: Path, command: list[str], processes: int) -> None:
    facts = facts_of(*command)
    assert facts.value("plan.world_size") == processes
    assert facts.value("plan.num_generations") == 8
    assert facts.value("host.patched") == ("a_patch",)


SERVER = "[ -f data.json ] || exit 1\ntrl vllm-serve --model a/b &\npython train.py 8\n"


@pytest.mark.parametrize(
    ("command", "known"),
    [
        (["bash", "run.sh"], True),
        (["env", "X=1", "sh", "./run.sh"], True),
        (["sbatch", "run.sh"], True),
        (["bash", "-c", SERVER], True),
        (["bash", "-c", "bash run.sh; python train.py 8"], None),
        (["eval", "bash run.sh; python train.py 8"], None),
        (["make", "train"], None),
    ],
)
def test_a_script_that_may_end_early_starts_a_server_if_it_starts_the_training(
    folder: Path, command: list[str], known: bool | None
) -> None:
    (folder / "run.sh").write_text(f"#!/bin/bash\n{SERVER}")
    (folder / "Makefile").write_text(
        "train:\n\t[ -f x ] || exit 0; trl vllm-serve --model a/b &\n\tpython train.py 8\n"
    )
    assert collect(Sources(command=command, probe=False)).facts.value("plan.server_started") is known


@pytest.mark.parametrize("command", [["make", "train"], ["true"], ["sh", "-c", ""], ["python", "-c", "pass"]])
def test_a_command_that_starts_no_training_states_nothing(folder: Path, command: list[str]) -> None:
    facts = facts_of(*command)
    assert not any(name.startswith("plan.") for name in facts.known)


@pytest.mark.parametrize(("script", "launcher"), [("import trainers\n", "python"), ("import subprocess\n", None)])
def test_the_one_script_that_is_asked_about_is_the_run(folder: Path, script: str, launcher: str | None) -> None:
    (folder / "pipeline.py").write_text(script)
    facts = facts_of("python", "pipeline.py")
    likely = facts.likely("plan.launcher")
    assert facts.get("plan.launcher") is None and (likely and likely.value) == launcher
    assert facts.value("plan.trainer") is None


def test_a_script_that_is_not_there_is_named(folder: Path) -> None:
    plan = collect(Sources(command=["python", "other.py"], probe=False)).plan
    assert [mention.path for mention in plan.missing] == ["other.py"]


def test_words_are_no_shell_code(folder: Path) -> None:
    facts = facts_of("python", "train.py", "4", ";", "$HOME", "`id`", "a b")
    assert facts.value("plan.num_generations") == 4


@pytest.mark.parametrize("word", ["X=a b", "X=$HOME/x", "X='", "X="])
def test_an_assignment_before_a_command_is_one_whatever_its_value_is(folder: Path, word: str) -> None:
    facts = facts_of(word, "python", "train.py", "4")
    assert facts.value("plan.num_generations") == 4


NOT_REACHED = [
    ["python", "-I", "train.py", "8"],
    ["python", "-uE", "train.py", "8"],
    ["python3.11", "-W", "ignore", "-S", "train.py", "8"],
    ["env", "-i", "python", "train.py", "8"],
    ["env", "-u", "PYTHONPATH", "python", "train.py", "8"],
    ["bash", "-c", "PYTHONPATH=src python train.py 8"],
    ["bash", "-c", "unset PYTHONPATH; python train.py 8"],
    ["sudo", "python", "train.py", "8"],
    ["docker", "run", "image", "python", "train.py", "8"],
    # The folder of the patches is on this machine only.
    ["srun", "-N", "2", "python", "train.py", "8"],
    ["srun", "python", "train.py", "8"],
    ["srun", "-N", "2", "torchrun", "--nproc_per_node", "2", "train.py", "8"],
    ["mpirun", "-H", "node1,node2", "-np", "2", "python", "train.py", "8"],
    ["deepspeed", "--hostfile", "hosts", "train.py", "8"],
    ["deepspeed", "--num_nodes", "2", "--num_gpus", "2", "train.py", "8"],
    ["accelerate", "launch", "--use_deepspeed", "--deepspeed_hostfile", "h", "--num_machines", "2", "train.py", "8"],
]
REACHED = [
    ["python", "train.py", "8"],
    ["python", "-u", "-X", "importtime", "-W", "error", "train.py", "8"],
    ["python", "-OO", "-W", "Error", "train.py", "8"],
    ["python", "train.py", "8", "-I", "-S"],
    ["bash", "-c", "export PYTHONPATH=src:$PYTHONPATH; python train.py 8"],
    ["bash", "-c", "export OTHER=1; python train.py 8"],
    ["env", "PYTHONUNBUFFERED=1", "python", "train.py", "8"],
    ["torchrun", "--nproc_per_node", "2", "train.py", "8"],
    ["torchrun", "--nnodes", "2", "--nproc_per_node", "2", "train.py", "8"],
    ["accelerate", "launch", "--num_machines", "2", "--num_processes", "4", "train.py", "8"],
    ["deepspeed", "--num_gpus", "2", "train.py", "8"],
    ["srun", "-N", "1", "python", "train.py", "8"],
    ["bash", "-c", "export SLURM_JOB_NUM_NODES=1; srun python train.py 8"],
    ["mpirun", "-np", "2", "python", "train.py", "8"],
]


@pytest.mark.parametrize("command", NOT_REACHED, ids=" ".join)
def test_where_pythonpath_does_not_reach_no_patch_of_the_run_counts(folder: Path, command: list[str]) -> None:
    assert facts_of(*command).get("host.patched") is None


def test_a_folder_that_all_machines_have_is_reached_on_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of mounts is a stand-in for a network file system."""
    monkeypatch.setattr(hook_reach, "is_shared", lambda hook: hook == "/hook")
    assert facts_of("srun", "-N", "2", "python", "train.py", "8").value("host.patched") == ("a_patch",)
    assert facts_of("deepspeed", "--num_nodes", "2", "train.py", "8").value("host.patched") == ("a_patch",)
    assert facts_of("mpirun", "-H", "a,b", "python", "train.py", "8").get("host.patched") is None


@pytest.mark.parametrize(("kind", "shared"), [("nfs4", True), ("lustre", True), ("ext4", False), ("fuse.sshfs", False)])
def test_the_innermost_mount_tells_whether_a_folder_is_shared(tmp_path: Path, kind: str, shared: bool) -> None:
    home = tmp_path / "my home" / "env"
    home.mkdir(parents=True)
    (tmp_path / "mounts").write_text(
        f"root / ext4 rw 0 0\nother {tmp_path}/my nfs rw 0 0\nserver:/a {tmp_path}/my\\040home {kind} rw 0 0\n"
    )
    assert is_shared(str(home), str(tmp_path / "mounts")) is shared
    assert not is_shared(str(home), str(tmp_path / "none"))


@pytest.mark.parametrize("command", REACHED, ids=" ".join)
def test_where_pythonpath_reaches_the_patches_of_the_run_count(folder: Path, command: list[str]) -> None:
    assert facts_of(*command).value("host.patched") == ("a_patch",)
