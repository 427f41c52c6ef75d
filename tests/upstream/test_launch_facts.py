"""The facts of launch commands, compared with what the real launchers do with the same words."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from tests.upstream.releases import release
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.commands.started import read_started
from vcompat.sources.reading.document import read_document
from vcompat.sources.reading.invocation import Environment, Invocation
from vcompat.sources.reading.launchers.launch_facts import launch_facts

CONFIGURATIONS: list[dict[str, Any] | None] = [
    None,
    {"distributed_type": "NO", "num_processes": 3},
    {"distributed_type": "NO", "use_cpu": True},
    {"distributed_type": "MULTI_GPU", "num_processes": 4, "mixed_precision": "bf16"},
    {"distributed_type": "MULTI_GPU", "mixed_precision": False},
    {"distributed_type": "MULTI_GPU", "num_processes": 6, "num_machines": 3, "main_process_ip": "h",
     "main_process_port": 1, "gpu_ids": "1,2"},
    {"distributed_type": "DEEPSPEED", "num_processes": 4,
     "deepspeed_config": {"zero_stage": 3, "offload_optimizer_device": "cpu", "gradient_accumulation_steps": 4}},
    {"distributed_type": "DEEPSPEED", "num_processes": 2, "mixed_precision": "fp16"},
    {"distributed_type": "FSDP", "num_processes": 4,
     "fsdp_config": {"fsdp_version": 2, "fsdp_reshard_after_forward": False, "fsdp_offload_params": True}},
    {"distributed_type": "FSDP", "num_processes": 4, "fsdp_config": {"sharding_strategy": "SHARD_GRAD_OP"}},
]  # fmt: skip
OPTIONS = """
--num_processes 4
--num-processes=2
--num_machines 2 --main_process_ip h --main_process_port 1 --machine_rank 0
--multi_gpu
--cpu
--use_deepspeed
--use_fsdp
--mixed_precision bf16
--mixed-precision=fp16
--gpu_ids 0,3
--gpu_ids all
--zero_stage 1
--offload_optimizer_device nvme
--gradient_accumulation_steps 8
--fsdp_version 2
--fsdp_sharding_strategy NO_SHARD
--fsdp_reshard_after_forward false
--fsdp_offload_params true
-m
-q
--debug
--deepspeed_multinode_launcher standard
""".strip().split("\n")


def really_launched(words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any] | None:
    """Return what accelerate would start on a machine with eight GPUs; None if it refuses the words."""
    launch = pytest.importorskip("accelerate.commands.launch")
    torch = pytest.importorskip("torch")
    # Imported before sys.modules is patched, which forgets what is imported in between.
    run = pytest.importorskip("torch.distributed.run")
    seen: dict[str, Any] = {}
    runner = mock.MagicMock(DEEPSPEED_ENVIRONMENT_NAME=os.devnull)
    deepspeed = {
        "deepspeed": mock.MagicMock(),
        "deepspeed.launcher": mock.MagicMock(),
        "deepspeed.launcher.runner": runner,
    }
    with monkeypatch.context() as patch, mock.patch.dict(sys.modules, deepspeed):
        patch.setattr(launch, "default_config_file", "/nonexistent")
        patch.setattr(torch.cuda, "device_count", lambda: 8)
        patch.setattr(torch.cuda, "is_available", lambda: True)
        patch.setattr(launch, "is_bf16_available", lambda *_: True)
        patch.setattr(launch, "is_deepspeed_available", lambda: True)
        patch.setattr(launch, "check_cuda_p2p_ib_support", lambda: True)
        patch.setattr("accelerate.utils.launch.is_port_in_use", lambda _: False)
        patch.setattr(launch, "patch_environment", lambda **variables: seen.update(env=variables) or mock.MagicMock())
        patch.setattr(run, "run", lambda arguments: seen.update(run=arguments))
        patch.setattr(
            "subprocess.Popen", lambda words, env: seen.update(alone=env, words=words) or mock.MagicMock(returncode=0)
        )
        try:
            launch.launch_command(launch.launch_command_parser().parse_args(words))
        except (Exception, SystemExit):
            return None
    # DeepSpeed's own launcher would start processes on several machines.
    return None if seen.get("words", [""])[0] == "deepspeed" else seen


def expected(seen: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of what accelerate started."""
    variables = {name.upper(): value for name, value in seen.get("env", seen.get("alone", {})).items()}
    facts: dict[str, Any] = {"plan.mixed_precision": variables.get("ACCELERATE_MIXED_PRECISION")}
    if "run" in seen:
        machines, each = int(str(seen["run"].nnodes).split(":")[0]), int(seen["run"].nproc_per_node)
        facts |= {"plan.world_size": machines * each, "plan.num_machines": machines, "plan.processes_per_machine": each}
    else:
        facts |= {"plan.world_size": 1, "plan.use_cpu": variables["ACCELERATE_USE_CPU"] == "True"}
    deepspeed = variables.get("ACCELERATE_USE_DEEPSPEED") == "true"
    facts["plan.deepspeed_stage"] = int(variables.get("ACCELERATE_DEEPSPEED_ZERO_STAGE", 2)) if deepspeed else 0
    if deepspeed:
        steps = variables.get("ACCELERATE_GRADIENT_ACCUMULATION_STEPS")
        facts["plan.deepspeed_accumulation_steps"] = int(steps) if steps else None
        facts["plan.optimizer_offload"] = variables.get("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "none")
    fsdp = variables.get("ACCELERATE_USE_FSDP") == "true"
    facts["plan.fsdp_version"] = int(variables["FSDP_VERSION"]) if fsdp else None
    if fsdp and facts["plan.fsdp_version"] == 1:
        names = {"FULL_SHARD": "full", "SHARD_GRAD_OP": "gradients", "NO_SHARD": "none"}
        facts["plan.fsdp_sharding"] = names[variables["FSDP_SHARDING_STRATEGY"]]
    elif fsdp:
        facts["plan.fsdp_sharding"] = {"true": "full", "false": "gradients"}[variables["FSDP_RESHARD_AFTER_FORWARD"]]
    if fsdp:
        facts["plan.parameter_offload"] = "cpu" if variables["FSDP_OFFLOAD_PARAMS"] == "true" else "none"
    if "CUDA_VISIBLE_DEVICES" in variables:
        facts["env.CUDA_VISIBLE_DEVICES"] = variables["CUDA_VISIBLE_DEVICES"]
    return facts


def claimed(words: list[str], file: Path | None) -> Facts:
    started = read_started(["accelerate", "launch", *words])
    assert started is not None
    document = read_document(str(file)) if file is not None else None
    invocation = Invocation(tuple(words), Place("run.sh", 1))
    return launch_facts(started, invocation, accelerate=document, defaults_known=True)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_facts_match_what_accelerate_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    chance = random.Random(seed)
    known = count = 0
    for _ in range(10):
        table = chance.choice(CONFIGURATIONS)
        words = [word for option in chance.sample(OPTIONS, chance.randint(0, 5)) for word in option.split()]
        file = tmp_path / "c.yaml" if table is not None else None
        if file is not None:
            file.write_text(yaml.safe_dump({**(table or {}), "compute_environment": "LOCAL_MACHINE"}))
            words = ["--config_file", str(file), *words]
        words += ["train.py", "--x", "1"]
        seen = really_launched(words, monkeypatch)
        if seen is None:
            continue
        facts = claimed(words, file)
        for name, value in expected(seen).items():
            count += 1
            if facts.get(name) is not None:
                known += 1
                assert facts.value(name) == value, (words, table, name)
    assert known > 0.6 * count


@pytest.mark.parametrize(
    "command",
    ["--nnodes 2 --nproc-per-node=4 train.py --a", "--nproc_p 3 --stand train.py", "--nnod=2:2 -m pkg --x", "-t 3 train.py",
     "--rdzv_en h:1 --rdzv-b c10d --nproc-per-node 2 -- train.py --nnodes 9", "--no-py python", "-t3 -r 1 train.py"],
)  # fmt: skip
def test_torchrun_reads_the_same_options(command: str) -> None:
    parser = pytest.importorskip("torch.distributed.run").get_args_parser()
    real = parser.parse_args(command.split())
    started = read_started(["torchrun", *command.split()])
    assert started is not None
    for name, value in started.launcher_options.items():
        assert str(getattr(real, name)) == str(value), name
    given = {action.dest for action in parser._actions if getattr(real, action.dest, None) != action.default}
    own = {"training_script", "training_script_args", "help"}
    assert given - own <= set(started.launcher_options)
    if started.launcher_options.get("no_python") is None:
        assert (started.script or started.module) == real.training_script
        assert list(started.arguments) == [word for word in real.training_script_args if word != "--"]


@pytest.mark.parametrize("version", ["0.16.4", "0.19.3"])
@pytest.mark.parametrize(
    ("words", "devices", "expected"),
    [
        ("train.py", "0,1", {"localhost": [0, 1]}),
        ("--num_gpus 3 train.py", "5", {"localhost": [0, 1, 2]}),
        ("--include localhost:2,5 train.py", "", {"localhost": [2, 5]}),
        ("--num_gpu 2 train.py", "", {"localhost": [0, 1]}),
    ],
)
def test_deepspeed_starts_the_same_processes(
    version: str, words: str, devices: str, expected: dict[str, list[int]]
) -> None:
    source = (release("deepspeed", version) / "deepspeed/launcher/runner.py").read_text(encoding="utf-8")
    assert 'args.include = f"localhost:{visible_devices}"' in source
    assert "updated_active_resources[hostname] = list(range(args.num_gpus))" in source
    started = read_started(["deepspeed", *words.split()])
    assert started is not None
    environment = Environment({"CUDA_VISIBLE_DEVICES": devices or None})
    facts = launch_facts(started, Invocation((), Place("run.sh", 1), environment))
    assert facts.value("plan.world_size") == len(expected["localhost"])
    assert facts.value("plan.trainer_devices") == tuple(map(str, expected["localhost"]))
