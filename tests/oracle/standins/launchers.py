"""The launchers: torchrun, accelerate and trl with their real parsers and environments, DeepSpeed's with its options.

What would start processes starts the first and the last process of the launch, one after the other.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tests.oracle.standins import machine, recorder

#: A variable by which srun and mpirun tell the processes that they start about the launch.
OUTER = "ORACLE_OUTER_LAUNCH"


class Starts(Protocol):
    """What starts the processes of a launch."""

    names: dict[str, dict[str, Any]]

    def python(self, words: list[str]) -> None: ...
    def processes(self, ranks: list[dict[str, str]], start: Callable[[int], None]) -> None: ...


_REAL: dict[str, Any] = {}


def prepare() -> None:
    """Import the real launchers, once in the worker."""
    names = {
        "run": "torch.distributed.run",
        "old": "torch.distributed.launch",
        "launch": "accelerate.commands.launch",
        "environments": "accelerate.utils.launch",
        "arguments": "accelerate.commands.config.config_args",
        "trl": "trl.cli.main",
    }
    _REAL.update({key: importlib.import_module(name) for key, name in names.items()})
    # What the trl command imports when it runs.
    for name in ("trl.cli.accelerate_launcher", "trl.accelerate_configs", "trl.scripts.grpo", "trl.scripts.sft"):
        importlib.import_module(name)
    _REAL["run"].logger.disabled = True


def torchrun(words: list[str], starts: Starts) -> None:
    """Parse as torchrun does, and start its processes."""
    _set_torch(starts, "torchrun")
    _REAL["run"].main(words)


def torch_launch(words: list[str], starts: Starts) -> None:
    """The older ``torch.distributed.launch``, which adds ``--local-rank``."""
    _set_torch(starts, "torchrun")
    _REAL["old"].main(words)


def _set_torch(starts: Starts, launcher: str) -> None:
    _REAL["run"].run = _REAL["old"].run = lambda args: _start_elastic(args, starts, launcher)


def _start_elastic(args: Any, starts: Starts, launcher: str) -> None:
    """Start what torch's elastic agent would start on this machine."""
    run = _REAL["run"]
    if args.standalone:
        args.rdzv_backend, args.rdzv_endpoint, args.rdzv_id = "c10d", "localhost:0", "1"
    config, command, words = run.config_from_args(args)
    local = config.nproc_per_node
    nodes = config.max_nodes
    if config.min_nodes != config.max_nodes:
        nodes = random.choice((config.min_nodes, config.max_nodes))
    if os.environ.get("OMP_NUM_THREADS") is None and local > 1:
        os.environ["OMP_NUM_THREADS"] = "1"
    recorder.LAUNCH.update(launcher=launcher, world_size=local * nodes, processes_per_machine=local, num_machines=nodes)
    static = config.rdzv_backend == "static"
    shared = {
        "MASTER_ADDR": (args.master_addr or "127.0.0.1") if static else machine.state()["host"],
        "MASTER_PORT": str(args.master_port) if static else str(random.randint(20000, 60000)),
        "WORLD_SIZE": str(local * nodes),
        "LOCAL_WORLD_SIZE": str(local),
        "GROUP_WORLD_SIZE": str(nodes),
        "GROUP_RANK": str(max(args.node_rank, 0)),
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_MAX_RESTARTS": str(config.max_restarts),
        "TORCHELASTIC_RUN_ID": config.run_id,
    }
    first = max(args.node_rank, 0) * local
    places = sorted({0, local - 1})
    ranks = [{**shared, "RANK": str(first + place), "LOCAL_RANK": str(place)} for place in places]
    words = [str(word) for word in words]

    def start(number: int) -> None:
        filled = [word.replace("${LOCAL_RANK}", str(places[number])) for word in words]
        if isinstance(command, str) and command == (os.getenv("PYTHON_EXEC", sys.executable)):
            starts.python(filled)
        else:
            raise SystemExit(subprocess.call([command, *filled]))

    starts.processes(ranks, start)


def accelerate(words: list[str], starts: Starts) -> None:
    """``accelerate launch``; the other commands do nothing."""
    if words[:1] == ["launch"]:
        accelerate_launch(words[1:], starts)


def accelerate_launch(words: list[str], starts: Starts) -> None:
    """Parse as accelerate does, with its own reading of configurations and environments."""
    _set_accelerate(starts, "accelerate")
    launch = _REAL["launch"]
    launch.launch_command(launch.launch_command_parser().parse_args(words))


def _set_accelerate(starts: Starts, launcher: str) -> None:
    launch = _REAL["launch"]
    _set_torch(starts, launcher)
    home = os.environ.get(
        "HF_HOME", os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "huggingface")
    )
    folder = os.path.join(os.path.expanduser(home), "accelerate")
    candidates = [os.path.join(folder, f"default_config.{ending}") for ending in ("yaml", "json")]
    launch.default_config_file = _REAL["arguments"].default_config_file = next(
        filter(os.path.isfile, candidates), candidates[0]
    )
    _REAL["arguments"].cache_dir = folder
    launch.is_deepspeed_available = lambda: True
    launch.check_cuda_p2p_ib_support = _REAL["environments"].check_cuda_p2p_ib_support = lambda: True
    for name in ("deepspeed", "deepspeed.launcher", "deepspeed.launcher.runner"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["deepspeed.launcher.runner"].DEEPSPEED_ENVIRONMENT_NAME = ".deepspeed_env"  # type: ignore[attr-defined]
    real_validate = launch._validate_launch_command
    if getattr(real_validate, "__name__", "") != "validate":

        def validate(args: Any) -> Any:
            found = real_validate(args)
            _state_accelerate(found[0], launcher)
            return found

        launch._validate_launch_command = validate
    launch.subprocess = types.SimpleNamespace(
        Popen=lambda command, env: _start_simple(command, env, starts),
        CalledProcessError=subprocess.CalledProcessError,
    )


def _state_accelerate(args: Any, launcher: str) -> None:
    """State what accelerate decided, as facts."""
    processes, machines = int(args.num_processes or 1), int(args.num_machines or 1)
    kind = "NO"
    for flag, name in (
        ("multi_gpu", "MULTI_GPU"),
        ("use_fsdp", "FSDP"),
        ("use_deepspeed", "DEEPSPEED"),
        ("tpu", "XLA"),
    ):
        kind = name if getattr(args, flag, False) and not args.cpu else kind
    if kind == "NO":
        # Its simple launcher starts one process, whatever number is given.
        processes = machines = 1
    recorder.LAUNCH.update(
        launcher=launcher,
        world_size=processes,
        num_machines=machines,
        processes_per_machine=processes // machines,
        mixed_precision=args.mixed_precision,
        distributed_type=kind,
        fsdp_version=int(args.fsdp_version or 1) if kind == "FSDP" else None,
    )


class _Finished:
    returncode = 0

    def wait(self) -> None:
        """Everything is over already."""


def _start_simple(command: list[str], env: dict[str, str], starts: Starts) -> Any:
    os.environ.clear()
    os.environ.update(env)
    if command[0] == sys.executable:
        # One process, whatever --num_processes is.
        recorder.LAUNCH.update(world_size=1, processes_per_machine=1)
        starts.python(command[1:])
    elif command[0] == "deepspeed":
        stated = dict(recorder.LAUNCH)
        deepspeed(command[1:], starts, stated)
    else:
        raise SystemExit(subprocess.call(command))
    return _Finished()


def trl(words: list[str], starts: Starts) -> None:
    """The command of TRL: a training starts accelerate, ``vllm-serve`` starts a server."""
    _set_accelerate(starts, "accelerate")
    if words[:1] == ["vllm-serve"]:
        vllm_serve(words[1:], starts)
        return
    for name, configuration in starts.names["trl"].items():
        if name.endswith("Config"):
            setattr(sys.modules["trl"], name, configuration)
    _REAL["trl"].main(words)


def vllm_serve(words: list[str], starts: Starts) -> None:
    """TRL's server."""
    recorder.record("server", words=words)


def deepspeed(words: list[str], starts: Starts, stated: dict[str, Any] | None = None) -> None:
    """DeepSpeed's launcher on one machine, or with a hostfile."""
    args = _deepspeed_parser().parse_args(words)
    machines, devices = _slots(args)
    world = len(devices) * machines
    recorder.LAUNCH.update(
        launcher="deepspeed", world_size=world, processes_per_machine=len(devices), num_machines=machines
    )
    recorder.LAUNCH.update(stated or {})
    shared = {
        "CUDA_VISIBLE_DEVICES": ",".join(map(str, devices)),
        "MASTER_ADDR": args.master_addr or "127.0.0.1",
        "MASTER_PORT": str(args.master_port),
        "WORLD_SIZE": str(world),
        "LOCAL_SIZE": str(len(devices)),
        "CROSS_RANK": "0",
        "CROSS_SIZE": str(machines),
    }
    places = sorted({0, len(devices) - 1})
    ranks = [{**shared, "RANK": str(place), "LOCAL_RANK": str(place)} for place in places]

    def start(number: int) -> None:
        local_rank = [] if args.no_local_rank else [f"--local_rank={places[number]}"]
        if args.no_python:
            raise SystemExit(subprocess.call([args.user_script, *local_rank, *args.user_args]))
        module = ["-m"] * args.module
        starts.python(["-u", *module, args.user_script, *local_rank, *args.user_args])

    starts.processes(ranks, start)


def _slots(args: argparse.Namespace) -> tuple[int, list[int]]:
    """Return the number of machines, and the devices of each."""
    hosts = _hostfile(args.hostfile)
    slots = next(iter(hosts.values()), 0) or machine.gpu_count()
    machines = args.num_nodes if args.num_nodes > 0 else max(len(hosts), 1)
    chosen = args.include.partition(":")[2] if args.include else ""
    excluded = [item for item in args.exclude.partition(":")[2].split(",") if item]
    devices = (
        [int(item) for item in chosen.split(",")]
        if chosen
        else list(range(args.num_gpus if args.num_gpus > 0 else slots))
    )
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible and not chosen and args.num_gpus <= 0 and not hosts:
        devices = [int(item) for item in visible.split(",")]
    devices = [device for device in devices if str(device) not in excluded]
    return machines, devices


def _hostfile(path: str) -> dict[str, int]:
    if not path or not Path(path).is_file():
        return {}
    lines = [line.split() for line in Path(path).read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {words[0]: int(words[1].partition("=")[2]) for words in lines}


def _deepspeed_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="deepspeed")
    parser.add_argument("-H", "--hostfile", default="/job/hostfile")
    parser.add_argument("-i", "--include", default="")
    parser.add_argument("-e", "--exclude", default="")
    parser.add_argument("--num_nodes", type=int, default=-1)
    parser.add_argument("--num_gpus", "--num_accelerators", type=int, default=-1)
    for name in ("--min_elastic_nodes", "--max_elastic_nodes", "--node_rank"):
        parser.add_argument(name, type=int, default=-1)
    parser.add_argument("--master_port", type=int, default=29500)
    parser.add_argument("--master_addr", default="")
    for name in (
        "--launcher",
        "--launcher_args",
        "--autotuning",
        "--enable_each_rank_log",
        "--venv_script",
        "--bind_core_list",
    ):
        parser.add_argument(name, default="")
    for name in (
        "--module",
        "--no_python",
        "--no_local_rank",
        "--no_ssh_check",
        "--force_multi",
        "--save_pid",
        "--no_ssh",
        "--bind_cores_to_rank",
        "--elastic_training",
    ):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--ssh_port", type=int)
    parser.add_argument("user_script")
    parser.add_argument("user_args", nargs=argparse.REMAINDER)
    return parser


def outer(launcher: str, world_size: int, machines: int) -> dict[str, str]:
    """Return the variable that tells an inner program about srun or mpirun."""
    facts = {"launcher": launcher, "world_size": world_size, "num_machines": machines}
    return {OUTER: json.dumps({**facts, "processes_per_machine": world_size // machines})}


#: The launchers by the name of their program.
LAUNCHERS: dict[str, Callable[..., None]] = {
    "torchrun": torchrun,
    "torch.distributed.launch": torch_launch,
    "accelerate": accelerate,
    "accelerate-launch": accelerate_launch,
    "deepspeed": deepspeed,
    "trl": trl,
    "trl-vllm-serve": vllm_serve,
}
