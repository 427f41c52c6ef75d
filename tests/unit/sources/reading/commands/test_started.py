from __future__ import annotations

import shlex

import pytest

from tests.unit.sources.reading.marked_words import word
from vcompat.sources.reading.commands.started import read_started
from vcompat.sources.reading.launch_script import starts_unseen
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


def words(text: str) -> list[str]:
    """Return the words of `text`, with ``?`` for UNKNOWN and ``*`` for UNKNOWN_WORDS."""
    return list(map(word, shlex.split(text)))


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
        ("modal run --detach -e dev jobs.py::main --steps 4", "modal", "jobs.py", "", "--steps 4"),
        ("modal run -m pkg.jobs", "modal", "", "pkg.jobs", ""),
        ("python -m modal run jobs.py", "modal", "jobs.py", "", ""),
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
        (
            "docker run --entrypoint python3 -m 4g image -m verl.trainer.main_ppo a=1",
            "python",
            "",
            "verl.trainer.main_ppo",
            "a=1",
        ),
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


#: One word with a value of each group of options that the wrappers have.
WRAPPERS = """
srun --account a --bcast x --chdir /d --cluster-constraint c --comment t --cpus-per-task 8 --dependency a --exclude n --gres gpu:8 --gpus-per-node 8 --job-name j --mem 4G --mail-type ALL --nodes 2 --ntasks 2 --ntasks-per-node 1 --output o --partition p --time 1:00 --wckey k --container-image i --container-mounts /a:/b --mpi pmix
srun -n2 -N 2 --exclusive --label -p gpu -w node1 -J name
mpirun -np 4 -H a,b --hostfile h --map-by ppr:1:node --bind-to none -mca btl tcp --mca pml ob1 -x PATH --wdir /d -npernode 2 --timeout 5 --rankfile r --tune t
mpiexec -n 4 -ppn 2 -hosts a,b -genv A 1 -env B 2 -f hosts -perhost 1
docker run --rm -it --gpus all -v a:b -e A=1 --name n --network host --shm-size 1g --ulimit memlock=-1 -w /d --ipc host --user 0 --cpus 4 --cap-add x --device d --dns 1 --env-file f --hostname h --label l --log-opt o --memory 4g --mount m --pid host --platform p --publish 1 --restart no --runtime nvidia --security-opt s --volume v --workdir /w --attach a --health-cmd c --group-add g --stop-signal s --storage-opt s --tmpfs t --cpuset-cpus 1 --network-alias a --volume-driver d --cgroup-parent p --detach-keys k --log-driver d --volumes-from v --cpuset-mems 1 image
podman exec -e A=1 -w /d -u 0 --env B=2 --workdir /x name
singularity exec --nv -B /data -H /h --bind /a --home /h --pwd /p --env A=1 --env-file f --overlay o --network n --network-args a --cpus 2 --hostname h --dns 1 --app a image.sif
apptainer run --nv --workdir /w --memory 1 image.sif
uv run --with trl -p 3.11 --python 3.11 --extra gpu --group dev --no-group x --env-file f --index-url u --project p --directory d --package k --link-mode copy --color never --prerelease allow --find-links l --keyring-provider k --python-platform p --torch-backend auto --with-requirements r --no-binary-package b --index-strategy s --config-setting a --resolution highest
poetry run
poetry -C d run
pixi run -e gpu
pixi run --manifest-path p
hatch -e dev run
pipenv --python 3 run
pdm run -p d
conda run -n env
conda run --no-capture-output --prefix /p --cwd /d
micromamba run -p /p
ray job submit --address a --working-dir . --runtime-env-json {} --entrypoint-num-gpus 8 --submission-id s --log-style auto --metadata-json {} --
vglrun -d 0
env -u X A=1
env -C /d
env --chdir=/d
sudo -E
nohup nice -n 5 timeout -k 3 60
numactl --cpunodebind=0 -m 0
taskset -c 0-3
taskset 0xff
stdbuf -oL
nsys profile -o out --trace cuda
time -p
setsid -w
ionice -c 2 -n 3
chrt -f 1
""".strip().splitlines()


@pytest.mark.parametrize("before", WRAPPERS)
def test_the_program_behind_a_wrapper_and_its_options_is_found(before: str) -> None:
    started = read_started(words(f"{before} python train.py --n 1"))
    assert started is not None
    assert (started.launcher, started.script, started.arguments) == ("python", "train.py", ("--n", "1"))
    assert started.wrapped_by == tuple(words(before))
    assert started.wrapper_certain


@pytest.mark.parametrize(
    "command",
    ["docker run", "docker run image", "docker run --gpus all", "uv run", "uv", "srun -n 2", "ray job", "ray start", "poetry add x", "env", "env A=1", "nohup", "timeout 5", "conda run", "singularity pull x y", "python -V", "python -h", "accelerate launch -h", "accelerate launch", "deepspeed --help", "torchrun -h", "trl --help", "vllm", "vllm --version", "accelerate-launch", "bash -c ''", "bash -c", "bash -c 'a \"b'", "sh x.sh", "train.py", "-- python x.py"],
)  # fmt: skip
def test_a_wrapper_or_launcher_without_a_program_starts_nothing(command: str) -> None:
    started = read_started(words(command))
    assert started is None or started.script in ("", UNKNOWN)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("accelerate launch -m -q pkg", {"module": True, "quiet": True}),
        ("accelerate launch --cpu --num_machines=2 --gpu-ids 0,1 x.py", {"cpu": True, "num_machines": "2", "gpu_ids": "0,1"}),
        ("accelerate launch --gpu_ids=? --config_file * x.py", {"gpu_ids": UNKNOWN, "config_file": UNKNOWN}),
        ("torchrun -t=3 -r1 x.py", {"tee": "3", "redirects": "1"}),
        ("torchrun -r * x.py", {"redirects": UNKNOWN}),
        ("torchrun -t1=3 x.py", {"tee": "1=3"}),
        ("torchrun -t3= x.py", {"tee": "3="}),
        ("torchrun --nproc-per-node=a=b x.py", {"nproc_per_node": "a=b"}),
        ("deepspeed -q -H hosts --num_accelerators 2 x.py", {"quiet": True, "hostfile": "hosts", "num_gpus": "2"}),
        ("deepspeed -i localhost:0 --num_n 2 x.py", {"include": "localhost:0", "num_nodes": "2"}),
        ("torchrun -- x.py", {}),
        ("python -uBX dev -Wignore x.py", {"u": True, "B": True, "X": "dev", "W": "ignore"}),
        ("python -um pkg", {"u": True}),
    ],
)  # fmt: skip
def test_options_of_a_launcher_have_their_long_names(command: str, options: dict[str, object]) -> None:
    started = read_started(words(command))
    assert started is not None
    assert started.launcher_options == options
    assert started.why_open == ""


@pytest.mark.parametrize(
    ("command", "certain"),
    [("srun * python x.py", False), ("docker run * image python x.py", False), ("srun -n 2 python x.py *", True), ("uv run * python x.py", False)],
)  # fmt: skip
def test_unknown_words_of_a_wrapper_make_it_uncertain(command: str, certain: bool) -> None:
    started = read_started(words(command))
    assert started is not None and started.wrapper_certain is certain


@pytest.mark.parametrize(
    ("command", "launcher", "script", "module"),
    [
        ("python -m trl grpo", "trl", "grpo", ""),
        ("python -m trl.cli.main sft", "trl", "sft", ""),
        ("python -m vllm.entrypoints.openai.api_server --model m", "python", "", "vllm.entrypoints.openai.api_server"),
        ("python -m torch.distributed.launch --use_env x.py", "torchrun", "x.py", ""),
        ("python -m deepspeed x.py", "deepspeed", "x.py", ""),
        ("uv run --module pkg.mod", "python", "", "pkg.mod"),
        ("uv run -s script", "python", "script", ""),
        ("uv run x.pyw", "python", "x.pyw", ""),
        ("docker run --entrypoint=torchrun image x.py", "torchrun", "x.py", ""),
        ("pypy3 x.py", "python", "x.py", ""),
        ("python3 x.py", "python", "x.py", ""),
        ("dir/x.py", "python", "dir/x.py", ""),
        ("torchrun --no-python ./x.py", "torchrun", "./x.py", ""),
        ("trl ?", "trl", UNKNOWN, ""),
    ],
)
def test_modules_and_subcommands_are_launchers_too(command: str, launcher: str, script: str, module: str) -> None:
    started = read_started(words(command))
    assert started is not None
    assert (started.launcher, started.script, started.module) == (launcher, script, module)


@pytest.mark.parametrize(
    "module", ["pip install trl", "http.server 80", "json.tool x.json", "venv .venv", "nltk.downloader punkt"]
)
def test_a_module_that_is_a_tool_starts_nothing(module: str) -> None:
    assert read_started(words(f"python -m {module}")) is None
    assert read_started(words(f"uv run python3.11 -um {module}")) is None
    other = read_started(words(f"python -m src.{module}"))
    assert other is not None and other.module == f"src.{module.split(maxsplit=1)[0]}"


@pytest.mark.parametrize(
    ("command", "unseen"),
    [
        ("python -c 'import vllm'", True),
        ("python -c 'print(1)'", False),
        ("python -m pip install -c limits.txt vllm", False),
    ],
)
def test_only_code_of_python_may_start_a_server(command: str, unseen: bool) -> None:
    assert starts_unseen(shlex.split(command)) is unseen


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("accelerate launch --num_proceses 8 train.py", "num_proceses"),
        ("accelerate launch --num-proceses=8 train.py", "num-proceses"),
        ("accelerate launch --num_processes 8 train.py --odd", ""),
        ("accelerate launch -x train.py --odd", ""),
        ("torchrun --nproc_pernode=8 --other 1 train.py", "nproc_pernode"),
        ("torchrun --nproc_per_nod 8 train.py", ""),
        ("python -m torch.distributed.run --odd train.py", "odd"),
        ("torchrun --" + UNKNOWN + " 8 train.py", ""),
        ("torchrun " + UNKNOWN_WORDS + " --odd train.py", ""),
    ],
)
def test_the_first_option_that_no_release_of_the_launcher_has_is_kept(command: str, expected: str) -> None:
    started = read_started(command.split())
    assert started is not None and started.unknown_option == expected
