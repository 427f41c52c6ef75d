from __future__ import annotations

import shlex

import pytest

from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS
from vcompat.sources.plan.started import read_started


def words(text: str) -> list[str]:
    """Return the words of `text`, with ``?`` for UNKNOWN and ``*`` for UNKNOWN_WORDS."""
    return [word.replace("?", UNKNOWN).replace("*", UNKNOWN_WORDS) for word in shlex.split(text)]


@pytest.mark.parametrize(
    ("command", "launcher", "script", "module", "arguments"),
    [
        ("python train.py --a 1", "python", "train.py", "", "--a 1"),
        ("python3.11 -uB -X dev -W ignore train.py -m x", "python", "train.py", "", "-m x"),
        ("/opt/venv/bin/python -m pkg.mod --a", "python", "", "pkg.mod", "--a"),
        ("python -u -mpkg.mod --a", "python", "", "pkg.mod", "--a"),
        ("python -", "python", "-", "", ""),
        ("python", "python", "-", "", ""),
        ("./train.py --a", "python", "./train.py", "", "--a"),
        ("torchrun --nproc_per_node 2 train.py --a", "torchrun", "train.py", "", "--a"),
        ("torchrun --nproc-per-node=2 -m pkg.mod --a", "torchrun", "", "pkg.mod", "--a"),
        ("torchrun --stand --nnod 2 -- train.py", "torchrun", "train.py", "", ""),
        ("torchrun --no_python python train.py --a", "torchrun", "train.py", "", "--a"),
        ("python -m torch.distributed.run --standalone train.py", "torchrun", "train.py", "", ""),
        ("accelerate launch --config_file a.yaml train.py --a b", "accelerate", "train.py", "", "--a b"),
        ("accelerate-launch -m pkg.mod", "accelerate", "", "pkg.mod", ""),
        ("python -m accelerate.commands.launch --multi-gpu train.py", "accelerate", "train.py", "", ""),
        (
            "deepspeed --num_gpus 4 --module pkg.mod --deepspeed ds.json",
            "deepspeed",
            "",
            "pkg.mod",
            "--deepspeed ds.json",
        ),
        ("deepspeed -i localhost:0,1 train.py", "deepspeed", "train.py", "", ""),
        ("python -m deepspeed.launcher.runner train.py", "deepspeed", "train.py", "", ""),
        ("trl grpo --config c.yaml", "trl", "grpo", "", "--config c.yaml"),
        ("python -m trl.cli grpo --a", "trl", "grpo", "", "--a"),
        ("vllm serve model --port 1", "vllm", "serve", "", "model --port 1"),
        ("uv run --with trl train.py --a", "python", "train.py", "", "--a"),
        ("uv run --extra gpu -- python train.py", "python", "train.py", "", ""),
        ("uv run -m pkg.mod --a", "python", "", "pkg.mod", "--a"),
        ("poetry run torchrun train.py", "torchrun", "train.py", "", ""),
        ("conda run -n env --no-capture-output python train.py", "python", "train.py", "", ""),
        ("srun -N 2 --gres=gpu:8 torchrun train.py", "torchrun", "train.py", "", ""),
        ("mpirun -np 4 -x PATH --mca btl tcp,self -H a:2,b:2 python train.py", "python", "train.py", "", ""),
        ("docker run --rm --gpus all -e A=1 -v a:b image:1 python train.py --a", "python", "train.py", "", "--a"),
        ("docker run --entrypoint torchrun image train.py", "torchrun", "train.py", "", ""),
        ("singularity exec --nv -B /data image.sif python train.py", "python", "train.py", "", ""),
        ("apptainer exec --nv image.sif accelerate launch train.py", "accelerate", "train.py", "", ""),
        ("ray job submit --working-dir . -- python train.py", "python", "train.py", "", ""),
        ("env A=1 nohup nice -n 5 timeout 3600 python train.py", "python", "train.py", "", ""),
        ("numactl --cpunodebind=0 --membind=0 python train.py", "python", "train.py", "", ""),
        ("bash -c 'torchrun train.py --a'", "torchrun", "train.py", "", "--a"),
    ],
)
def test_the_script_and_its_words_are_found(
    command: str, launcher: str, script: str, module: str, arguments: str
) -> None:
    started = read_started(words(command))
    assert started is not None
    assert (started.launcher, started.script, started.module) == (launcher, script, module)
    assert started.arguments == tuple(arguments.split())
    assert not started.why_open


@pytest.mark.parametrize(
    "command",
    ["ls", "python -c 'import x'", "python --version", "accelerate config", "accelerate env", "torchrun --help", "trl",
     "conda activate x", "uv pip install x", "docker pull x", "srun hostname", "bash -c 'a; b'", "?", "* train.py"],
)  # fmt: skip
def test_other_programs_start_nothing(command: str) -> None:
    assert read_started(words(command)) is None


def test_the_options_of_a_launcher_are_read_in_every_spelling() -> None:
    started = read_started(
        words("torchrun --nnodes=2 --nproc-per-node 8 --rdzv_en host:1 -t3 -r 1 train.py --nnodes 9")
    )
    assert started is not None
    options = {"nnodes": "2", "nproc_per_node": "8", "rdzv_endpoint": "host:1", "tee": "3", "redirects": "1"}
    assert started.launcher_options == options
    assert started.arguments == ("--nnodes", "9")


def test_the_last_of_two_equal_options_counts() -> None:
    started = read_started(words("accelerate launch --num_processes 2 --num-processes=4 train.py"))
    assert started is not None and started.launcher_options == {"num_processes": "4"}


@pytest.mark.parametrize(
    ("command", "script", "opened"),
    [
        ("torchrun --nproc_per_node * train.py", "train.py", False),
        ("torchrun * train.py --a", "train.py", True),
        ("torchrun --nproc_per_node 2 ? --config x", UNKNOWN, True),
        ("torchrun --nproc_per_node 2 * --config x", UNKNOWN, True),
        ("torchrun *", UNKNOWN, True),
        ("accelerate launch --a-new-option 1 train.py", "train.py", True),
        ("accelerate launch --a-new-flag train.py", "train.py", True),
        ("python * train.py", "train.py", True),
    ],
)
def test_words_that_are_not_known_open_the_options(command: str, script: str, opened: bool) -> None:
    started = read_started(words(command))
    assert started is not None
    assert (started.script, bool(started.why_open)) == (script, opened)


def test_the_words_of_wrappers_are_kept() -> None:
    started = read_started(words("srun -n 4 uv run python train.py"))
    assert started is not None
    assert started.wrapped_by == ("srun", "-n", "4", "uv", "run")
