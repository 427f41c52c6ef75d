"""Programs that start another program: Slurm's, MPI's, uv and the like."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.oracle.standins import launchers, machine

#: Options with a value of programs that only start the command behind them.
_WITH_VALUE = {
    "uv": "--with --with-editable --with-requirements --python -p --project --extra --group --env-file --directory --index",
    "conda": "-n --name -p --prefix --cwd",
    "mamba": "-n --name -p --prefix --cwd",
    "poetry": "-C --directory -P --project",
    "numactl": "",
    "nsys": "-t -o -w --trace --output --capture-range",
    "apptainer": "--bind -B --env --pwd",
    "singularity": "--bind -B --env --pwd",
}
#: The word between the program and the command.
_COMMANDS = {
    "uv": "run",
    "conda": "run",
    "mamba": "run",
    "poetry": "run",
    "nsys": "profile",
    "apptainer": "exec",
    "singularity": "exec",
}


def run(name: str, words: list[str]) -> None:
    """Run a wrapper. Raises SystemExit with the status of what it starts."""
    special: dict[str, Callable[[list[str]], int]] = {
        "srun": _srun,
        "mpirun": _mpirun,
        "sbatch": _sbatch,
        "docker": _docker,
    }
    if name in special:
        raise SystemExit(special[name](words))
    raise SystemExit(_plain(name, words))


def _plain(name: str, words: list[str]) -> int:
    command = _COMMANDS.get(name)
    if command and command not in words:
        return 0
    if command:
        words = words[: words.index(command)] + words[words.index(command) + 1 :]
    values = _WITH_VALUE.get(name, "").split()
    module: list[str] = []
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if name == "uv" and option in ("-m", "--module"):
            module = ["python", "-m"]
            break
        if option == "--":
            break
        if option in values:
            words.pop(0)
    if name in ("apptainer", "singularity"):
        words.pop(0)
    if name == "uv" and words and words[0].endswith(".py"):
        module = ["python"]
    return subprocess.call(module + words) if module + words else 0


#: Options of Slurm that change nothing here: with a value, with an optional value, and without one.
_SLURM_VALUES = (
    "--job-name -J --partition -p --time -t --output -o --error -e --account -A --nodelist -w --exclude -x --chdir -D --qos -q "
    "--array -a --mem --jobid --container-image --container-mounts --cpu-bind --mpi --mail-type --mail-user --constraint "
    "--gpus-per-task --wait --container-workdir"
).split()
_SLURM_FLAGS = "--label -l --unbuffered -u --overcommit -O --exclusive --overlap --requeue --wait-all-nodes".split()


def _slurm_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(allow_abbrev=True)
    parser.add_argument("-N", "--nodes")
    parser.add_argument("-n", "--ntasks", type=int)
    parser.add_argument("--ntasks-per-node", type=int)
    parser.add_argument("--gpus-per-node")
    parser.add_argument("--gres")
    parser.add_argument("-G", "--gpus")
    parser.add_argument("--export")
    parser.add_argument("-c", "--cpus-per-task")
    parser.add_argument("-K", "--kill-on-bad-exit", nargs="?")
    for name in _SLURM_VALUES:
        parser.add_argument(name, dest="ignored")
    for name in _SLURM_FLAGS:
        parser.add_argument(name, action="store_true", dest="ignored_flag")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def _nodes(text: str | None, otherwise: int) -> int:
    return int(text.rpartition("-")[2]) if text else otherwise


def _srun(words: list[str]) -> int:
    args = _slurm_parser().parse_args(words)
    nodes = _nodes(args.nodes, int(os.environ.get("SLURM_NNODES", "1")))
    per_node = args.ntasks_per_node or int(os.environ.get("SLURM_NTASKS_PER_NODE", "0"))
    if args.ntasks:
        tasks = args.ntasks
    elif per_node:
        tasks = per_node * nodes
    else:
        tasks = int(os.environ.get("SLURM_NTASKS", nodes)) if not args.nodes else nodes
    local = max(tasks // nodes, 1)
    status = 0
    for rank in sorted({0, tasks - 1}):
        variables = {
            "SLURM_PROCID": str(rank),
            "SLURM_LOCALID": str(rank % local),
            "SLURM_NODEID": str(rank // local),
            "SLURM_NTASKS": str(tasks),
            "SLURM_NNODES": str(nodes),
            "SLURM_STEP_NUM_TASKS": str(tasks),
        }
        variables |= launchers.outer("srun", tasks, nodes)
        status = max(status, subprocess.call(args.command, env={**os.environ, **variables}))
    return status


def _sbatch(words: list[str]) -> int:
    """Run a job script with the allocation that its directives and the command line ask for."""
    parser = _slurm_parser()
    args = parser.parse_args(words)
    script = args.command
    directives = [
        word
        for line in Path(script[0]).read_text().splitlines()
        if line.startswith("#SBATCH")
        for word in shlex.split(line[len("#SBATCH") :], comments=True)
    ]
    args = parser.parse_args([*directives, *words])
    nodes = _nodes(args.nodes, 1)
    gpus = (args.gpus_per_node or args.gres or "0").rpartition(":")[2]
    variables = {
        "SLURM_JOB_ID": "4711",
        "SLURM_JOBID": "4711",
        "SLURM_NNODES": str(nodes),
        "SLURM_JOB_NUM_NODES": str(nodes),
    }
    variables["SLURM_JOB_NODELIST"] = variables["SLURM_NODELIST"] = f"{machine.state()['host']}[0-{nodes - 1}]"
    variables["SLURM_SUBMIT_DIR"] = os.getcwd()
    if gpus != "0":
        variables |= {"SLURM_GPUS_ON_NODE": gpus}
    if args.gpus_per_node:
        variables["SLURM_GPUS_PER_NODE"] = args.gpus_per_node
    if args.ntasks_per_node:
        variables |= {
            "SLURM_NTASKS_PER_NODE": str(args.ntasks_per_node),
            "SLURM_NTASKS": str(args.ntasks_per_node * nodes),
        }
    if args.ntasks:
        variables["SLURM_NTASKS"] = str(args.ntasks)
    if args.cpus_per_task:
        variables["SLURM_CPUS_PER_TASK"] = args.cpus_per_task
    return subprocess.call(["bash", *script], env={**os.environ, **variables})


def _mpirun(words: list[str]) -> int:
    count, words = 1, list(words)
    variables: dict[str, str] = {}
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("-n", "-np", "--np", "-c"):
            count = int(words.pop(0))
        elif option == "-x":
            name, equals, value = words.pop(0).partition("=")
            if equals:
                variables[name] = value
        elif option in ("-mca", "--mca"):
            words[:2] = []
        elif option in (
            "-H",
            "--host",
            "-hostfile",
            "--hostfile",
            "-machinefile",
            "-N",
            "--map-by",
            "--bind-to",
            "-npernode",
            "-map-by",
            "-bind-to",
        ):
            words.pop(0)
    status = 0
    for rank in sorted({0, count - 1}):
        ranks = {
            "OMPI_COMM_WORLD_RANK": str(rank),
            "OMPI_COMM_WORLD_SIZE": str(count),
            "OMPI_COMM_WORLD_LOCAL_RANK": str(rank),
        }
        outer = launchers.outer("mpirun", count, 1)
        status = max(status, subprocess.call(words, env={**os.environ, **variables, **ranks, **outer}))
    return status


def _docker(words: list[str]) -> int:
    """``docker run``: a fresh environment with the variables of -e only."""
    if "run" not in words:
        return 0
    words = words[words.index("run") + 1 :]
    variables = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    while words and words[0].startswith("-"):
        option, equals, value = words.pop(0).partition("=")
        if option in ("-e", "--env"):
            name, given, text = (value if equals else words.pop(0)).partition("=")
            if given or name in os.environ:
                variables[name] = text if given else os.environ[name]
        elif not equals and option in (
            "-v",
            "--volume",
            "--gpus",
            "-w",
            "--workdir",
            "--name",
            "--shm-size",
            "--ipc",
            "--network",
            "--ulimit",
            "-p",
            "-u",
        ):
            words.pop(0)
    return subprocess.call(words[1:], env=variables) if words[1:] else 0
