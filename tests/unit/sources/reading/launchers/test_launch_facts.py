from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.reading.marked_words import word
from tests.unit.sources.reading.told import told
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.commands.started import Started, read_started
from vcompat.sources.reading.document import read_document
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.launchers.launch_facts import config_file, launch_facts
from vcompat.sources.reading.word import UNKNOWN

OPEN = "open"
INHERITED = Environment()


def facts(command: str, *, environment: Environment = INHERITED, config: Path | None = None, **options: Any) -> Facts:
    words = tuple(map(word, command.split()))
    started = read_started(words)
    assert started is not None
    document = read_document(str(config)) if config is not None else None
    return launch_facts(started, Invocation(words, Place("run.sh", 3), environment), accelerate=document, **options)


def values(read: Facts, names: str) -> list[Any]:
    return [OPEN if read.get(f"plan.{name}") is None else read.value(f"plan.{name}") for name in names.split()]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python train.py", [1, 1, 1]),
        ("torchrun train.py", [1, 1, 1]),
        ("torchrun --nproc_per_node 4 train.py", [1, 4, 4]),
        ("torchrun --nnodes 2 --nproc_per_node 4 train.py", [2, 4, 8]),
        ("torchrun --nnodes 2:2 --nproc_per_node 4 train.py", [2, 4, 8]),
        ("torchrun --nnodes 1:4 --nproc_per_node 4 train.py", [OPEN, 4, OPEN]),
        ("torchrun --nproc_per_node gpu train.py", [1, OPEN, OPEN]),
        ("torchrun --nproc_per_node auto train.py", [1, OPEN, OPEN]),
        ("torchrun --nproc_per_node ? train.py", [1, OPEN, OPEN]),
        ("deepspeed train.py", [1, OPEN, OPEN]),
        ("deepspeed --num_gpus 4 train.py", [1, 4, 4]),
        ("deepspeed --num_gpus 4 --num_nodes 2 --hostfile h train.py", [2, 4, 8]),
        ("deepspeed --hostfile h --num_gpus 4 train.py", [OPEN, 4, OPEN]),
        ("deepspeed --include localhost:1,3 train.py", [1, 2, 2]),
        ("deepspeed --include a:0@b:1 train.py", [OPEN, OPEN, OPEN]),
        ("deepspeed --exclude localhost:1 train.py", [1, OPEN, OPEN]),
        ("srun -N 2 --ntasks-per-node=4 python train.py", [2, 4, 8]),
        ("srun -n 8 python train.py", [OPEN, OPEN, 8]),
        ("srun -n8 -N2 python train.py", [2, 4, 8]),
        ("srun python train.py", [OPEN, OPEN, OPEN]),
        ("srun -N 2 torchrun --nnodes 2 --nproc_per_node 4 train.py", [2, 4, 8]),
        ("mpirun -np 8 python train.py", [OPEN, OPEN, 8]),
        ("mpirun -np 8 --npernode 4 python train.py", [2, 4, 8]),
        ("accelerate launch --num_processes 4 train.py", [OPEN, OPEN, 4]),
        ("accelerate launch --num_processes 4 --num_machines 2 train.py", [2, 2, 4]),
        ("accelerate launch train.py", [OPEN, OPEN, OPEN]),
        ("accelerate launch --cpu train.py", [1, 1, 1]),
        ("accelerate launch --config_file c.yaml train.py", [OPEN, OPEN, OPEN]),
    ],
)  # fmt: skip
def test_processes(command: str, expected: list[Any]) -> None:
    assert values(facts(command), "num_machines processes_per_machine world_size") == expected


def test_directives_of_slurm_count_for_srun() -> None:
    read = facts("srun python train.py", directives={"--nodes": "2", "--ntasks-per-node": "8"})
    assert values(read, "num_machines processes_per_machine world_size") == [2, 8, 16]


CONFIG = """
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
num_processes: 4
mixed_precision: fp16
gpu_ids: 0,1,2,3
deepspeed_config: {zero_stage: 3, offload_optimizer_device: cpu}
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [4, "fp16", 3, "cpu", ("0", "1", "2", "3")]),
        ("--num_processes 2 --mixed-precision=bf16", [2, "bf16", 3, "cpu", ("0", "1", "2", "3")]),
        ("--zero_stage 2 --offload_optimizer_device none --gpu_ids 6,7", [4, "fp16", 2, "none", ("6", "7")]),
        ("--multi_gpu", [4, "fp16", 0, OPEN, ("0", "1", "2", "3")]),
        ("--zero_stage ?", [4, "fp16", OPEN, "cpu", ("0", "1", "2", "3")]),
        ("--num_processes ?", [OPEN, "fp16", 3, "cpu", ("0", "1", "2", "3")]),
    ],
)
def test_the_command_line_outweighs_the_configuration_file(tmp_path: Path, options: str, expected: list[Any]) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(CONFIG)
    read = facts(f"accelerate launch --config_file {file} {options} train.py", config=file)
    names = "world_size mixed_precision deepspeed_stage optimizer_offload trainer_devices"
    assert values(read, names) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--use_fsdp", [1, "full", "none", 0]),
        ("--use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward false", [2, "gradients", "none", 0]),
        ("--use-fsdp --fsdp-sharding-strategy SHARD_GRAD_OP --fsdp-offload-params true", [1, "gradients", "cpu", 0]),
        ("--use_fsdp --fsdp_version ?", [OPEN, OPEN, "none", 0]),
    ],
)
def test_fsdp_of_the_command_line(options: str, expected: list[Any]) -> None:
    read = facts(f"accelerate launch {options} train.py", defaults_known=True)
    assert values(read, "fsdp_version fsdp_sharding parameter_offload deepspeed_stage") == expected


def test_without_a_configuration_file_accelerate_s_defaults_are_known_only_if_there_is_no_default_file() -> None:
    names = "mixed_precision num_machines"
    assert values(facts("accelerate launch --multi_gpu train.py"), names) == [OPEN, OPEN]
    assert values(facts("accelerate launch --multi_gpu train.py", defaults_known=True), names) == ["no", 1]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("trl grpo --accelerate_config zero3 --num_processes 2", [2, 3]),
        ("trl grpo --accelerate_config zero2", [8, 2]),
        ("trl grpo --accelerate_config single_gpu", [1, 0]),
        ("trl grpo --accelerate_config mine.yaml --num_processes 2", [2, OPEN]),
        ("trl grpo --config c.yaml --accelerate_config zero1", [8, 1]),
    ],
)
def test_the_configurations_of_trl(command: str, expected: list[Any]) -> None:
    assert values(facts(command), "world_size deepspeed_stage") == expected


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("accelerate launch --config-file a.yaml train.py", "a.yaml"),
        ("accelerate launch train.py --config_file a.yaml", None),
        ("trl grpo --accelerate_config a.yaml", "a.yaml"),
        ("trl grpo --accelerate_config zero3", None),
    ],
)
def test_the_configuration_file_that_a_command_names(command: str, file: str | None) -> None:
    started = read_started(command.split())
    assert started is not None and config_file(started) == file


def test_the_environment_of_the_command() -> None:
    variables = {"NCCL_DEBUG": "INFO", "NCCL_P2P_DISABLE": None, "VLLM_USE_V1": UNKNOWN, "X": "1"}
    read = facts("python train.py", environment=Environment(variables, places={"NCCL_DEBUG": Place("run.sh", 2, 1)}))
    assert read.known["env.NCCL_DEBUG"].source == "run.sh:2:1"
    assert read.get("env.NCCL_P2P_DISABLE") is not None and read.value("env.NCCL_P2P_DISABLE") is None
    assert read.get("env.VLLM_USE_V1") is None and read.get("env.X") is None


def test_an_environment_that_is_not_known() -> None:
    opened = facts("torchrun train.py", environment=Environment(others=Others.UNKNOWN, why_open="run.sh:1 runs env.sh"))
    assert opened.why_unknown("env.NCCL_DEBUG") == "run.sh:1 runs env.sh"
    assert values(opened, "world_size") == [OPEN]
    assert facts("python train.py", environment=Environment(others=Others.UNSET)).get("env.NCCL_DEBUG") is not None


@pytest.mark.parametrize(
    ("command", "variable", "devices"),
    [
        ("python train.py", "0,1", ("0", "1")),
        ("deepspeed train.py", "2,3", ("2", "3")),
        ("deepspeed --num_gpus 1 train.py", "2,3", ("0",)),
        ("accelerate launch --gpu_ids 1 train.py", "2,3", ("1",)),
        ("accelerate launch --gpu_ids all train.py", "2,3", ("2", "3")),
    ],
)
def test_devices(command: str, variable: str, devices: tuple[str, ...]) -> None:
    read = facts(command, environment=Environment({"CUDA_VISIBLE_DEVICES": variable}))
    assert read.value("plan.trainer_devices") == devices
    assert read.value("env.CUDA_VISIBLE_DEVICES") == ",".join(devices)


def test_variables_change_the_defaults_of_torchrun() -> None:
    read = facts("torchrun train.py", environment=Environment({"PET_NNODES": "2", "PET_NPROC_PER_NODE": "8"}))
    assert values(read, "num_machines world_size") == [2, 16]


@pytest.mark.parametrize(
    ("command", "directives", "expected"),
    [
        ("srun python x.py", {"--gres": "gpu:8"}, [1, 1, 1]),
        ("srun python x.py", {"--nodes": "2"}, [2, 1, 2]),
        ("srun python x.py", {"--nodes": "2", "--ntasks": "8"}, [2, 4, 8]),
        ("srun python x.py", {"--nodes": "2", "--ntasks": "7"}, [2, OPEN, 7]),
        ("srun python x.py", {"--ntasks": "4"}, [OPEN, OPEN, 4]),
        ("srun python x.py", {"--ntasks-per-node": "4"}, [1, 4, 4]),
        ("srun -N1 --ntasks 4 python x.py", {"--nodes": "2", "--ntasks-per-node": "8"}, [1, 4, 4]),
        ("srun --ntasks-per-node=2 python x.py", {"--nodes": "2", "--ntasks": "8"}, [2, 2, 4]),
        ("srun -N ? python x.py", {"--ntasks-per-node": "8"}, [OPEN, 8, OPEN]),
        ("srun -n=4 -N=2 python x.py", {}, [2, 2, 4]),
        ("/usr/bin/srun -N 2 python x.py", {}, [2, 1, 2]),
        ("srun --nodes 2 --ntasks", {}, None),
        ("mpirun -n 8 -ppn 2 python x.py", {}, [4, 2, 8]),
        ("mpirun -np 8 -N 3 python x.py", {}, [OPEN, 3, 8]),
        ("mpiexec -perhost 2 python x.py", {}, [OPEN, 2, OPEN]),
        ("mpirun -c 2 python x.py", {}, [OPEN, OPEN, 2]),
        ("mpirun --np 2 --ppn 1 python x.py", {}, [2, 1, 2]),
        ("mpirun --n 2 python x.py", {}, [OPEN, OPEN, 2]),
        ("deepspeed --num_gpus -1 x.py", {}, [1, OPEN, OPEN]),
        ("deepspeed --num_gpus 0 x.py", {}, [1, OPEN, OPEN]),
        ("deepspeed --num_nodes 2 --num_gpus 4 x.py", {}, [2, 4, 8]),
        ("deepspeed --num_nodes 0 --num_gpus 4 x.py", {}, [OPEN, 4, OPEN]),
        ("deepspeed --num_nodes 2 x.py", {}, [2, OPEN, OPEN]),
        ("deepspeed --include node1 x.py", {}, [1, OPEN, OPEN]),
        ("deepspeed --include ? x.py", {}, [OPEN, OPEN, OPEN]),
        ("deepspeed --include localhost:0-3 x.py", {}, [1, OPEN, OPEN]),
        ("deepspeed --a-new-flag --num_gpus 4 x.py", {}, [OPEN, 4, OPEN]),
        ("torchrun --nnodes 2:3 x.py", {}, [OPEN, 1, OPEN]),
        ("torchrun --nnodes 123456789 x.py", {}, [OPEN, 1, OPEN]),
        ("torchrun --a-new-flag --nproc_per_node 2 -- x.py", {}, [OPEN, 2, OPEN]),
    ],
)
def test_the_processes_of_each_launcher(
    command: str, directives: dict[str, str], expected: list[object] | None
) -> None:
    if expected is None:
        assert read_started(tuple(command.split())) is None
        return
    read = facts(command, directives=directives)
    assert values(read, "num_machines processes_per_machine world_size") == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (Environment({"PET_NPROC_PER_NODE": "4", "PET_NNODES": "2"}), [2, 4, 8]),
        (Environment({"PET_NPROC_PER_NODE": None}), [1, 1, 1]),
        (Environment({"PET_NPROC_PER_NODE": UNKNOWN}), [1, OPEN, OPEN]),
        (Environment({}, Others.UNKNOWN), [OPEN, OPEN, OPEN]),
        (Environment({}, Others.UNSET), [1, 1, 1]),
    ],
)
def test_torchrun_s_defaults_come_from_variables(environment: Environment, expected: list[object]) -> None:
    read = facts("torchrun x.py", environment=environment)
    assert values(read, "num_machines processes_per_machine world_size") == expected


@pytest.mark.parametrize(
    ("command", "visible", "devices", "variable"),
    [
        ("deepspeed --num_gpus 2 x.py", None, ("0", "1"), "0,1"),
        ("deepspeed --include localhost:1,3 x.py", None, ("1", "3"), "1,3"),
        ("deepspeed x.py", "2,3", ("2", "3"), "2,3"),
        ("deepspeed x.py", UNKNOWN, None, None),
        ("deepspeed --num_gpus 100 x.py", None, None, None),
        ("torchrun x.py", "2,3", ("2", "3"), "2,3"),
        ("torchrun x.py", UNKNOWN, None, None),
        ("accelerate launch --gpu_ids 0,1 x.py", None, ("0", "1"), "0,1"),
        ("accelerate launch --gpu_ids all --cpu x.py", None, None, None),
    ],
)
def test_devices_of_the_processes(
    command: str, visible: str | None, devices: tuple[str, ...] | None, variable: str | None
) -> None:
    environment = Environment({"CUDA_VISIBLE_DEVICES": visible} if visible else {})
    read = facts(command, environment=environment)
    assert read.value("plan.trainer_devices") == devices
    assert read.value("env.CUDA_VISIBLE_DEVICES") == variable


def test_a_world_size_in_the_environment_means_that_python_is_one_of_several() -> None:
    read = facts("python x.py", environment=Environment({"WORLD_SIZE": "4"}))
    assert values(read, "num_machines processes_per_machine world_size") == [OPEN, OPEN, OPEN]
    assert "WORLD_SIZE is set" in read.why_unknown("plan.world_size")
    read = facts("torchrun x.py", environment=Environment({"WORLD_SIZE": "4"}))
    assert read.value("plan.world_size") == 1


def test_the_environment_of_a_launch_is_stated_with_its_places() -> None:
    places = {"VLLM_USE_V1": Place("run.sh", 2), "NCCL_DEBUG": Place("run.sh", 1)}
    given = {"VLLM_USE_V1": "1", "NCCL_DEBUG": UNKNOWN, "OTHER": "x", "VLLM_LOGGING_LEVEL": None}
    read = facts("python x.py", environment=Environment(given, Others.UNSET, places))
    assert read.known["env.VLLM_USE_V1"][:3] == ("1", "run.sh:2", Place("run.sh", 2))
    assert read.known["env.VLLM_LOGGING_LEVEL"][:3] == (None, "launch script", None)
    assert read.reasons["env.NCCL_DEBUG"] == "run.sh:1: computed at run time"
    assert "env" in read.closed and "env.OTHER" not in read.known
    read = facts("python x.py", environment=Environment({}, Others.UNKNOWN, why_open="a reason"))
    assert (read.reasons["env"], read.closed) == ("a reason", set())
    assert facts("python x.py").closed == set() and "env" not in facts("python x.py").reasons


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("accelerate launch --config_file a.yaml x.py", "a.yaml"),
        ("accelerate launch x.py", None),
        ("trl grpo --accelerate_config zero3", None),
        ("trl grpo --accelerate_config own.yaml", "own.yaml"),
        ("trl grpo --accelerate-config=own.yaml", "own.yaml"),
        ("trl grpo --config_file a.yaml", "a.yaml"),
        ("trl grpo --accelerate_config", UNKNOWN),
    ],
)
def test_trl_names_a_configuration_of_its_own_or_a_file(command: str, file: str | None) -> None:
    started = read_started(tuple(command.split()))
    assert started is not None and config_file(started) == file


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("single_gpu", [1, 0, None, OPEN]),
        ("multi_gpu", [8, 0, None, OPEN]),
        ("zero1", [8, 1, None, 1]),
        ("zero2", [8, 2, None, OPEN]),
        ("zero3", [8, 3, None, OPEN]),
        ("fsdp1", [8, 0, "fsdp_config", OPEN]),
        ("fsdp2", [8, 0, "fsdp_config", OPEN]),
    ],
)
def test_the_configurations_that_trl_has_by_name(name: str, expected: list[object]) -> None:
    read = facts(f"trl grpo --accelerate_config {name}")
    assert values(read, "world_size deepspeed_stage fsdp deepspeed_accumulation_steps") == expected
    assert read.value("plan.mixed_precision") == "bf16"
    assert read.value("plan.launcher") == "accelerate"
    if name.startswith("fsdp"):
        assert read.value("plan.fsdp_version") == int(name[-1])


def test_a_launcher_that_is_not_known_leaves_everything_about_it_unknown() -> None:
    started = Started("", {}, "x.py", "", (), why_open="a reason")
    environment = Environment({"NCCL_DEBUG": "INFO", "CUDA_VISIBLE_DEVICES": "0"})
    read = launch_facts(started, Invocation((), Place("run.sh", 3), environment))
    names = "deepspeed_stage fsdp launcher num_machines processes_per_machine world_size"
    assert told(read) == [
        "env.CUDA_VISIBLE_DEVICES = '0' (launch script) at no position",
        "env.NCCL_DEBUG = 'INFO' (launch script) at no position",
        *(f"{name} ? run.sh:3: a reason" for name in names.split()),
    ]


def test_accelerate_sets_its_own_variables() -> None:
    given = {"ACCELERATE_MIXED_PRECISION": "bf16", "ACCELERATE_X": UNKNOWN, "NCCL_DEBUG": "1"}
    for command in ("accelerate launch --cpu x.py", "trl grpo --cpu"):
        read = facts(command, environment=Environment(given))
        assert read.reasons["env.ACCELERATE_MIXED_PRECISION"] == "run.sh:3: accelerate sets it for its processes"
        assert read.open_at("env.ACCELERATE_MIXED_PRECISION") == Place("run.sh", 3)
        assert read.reasons["env.ACCELERATE_X"] == "computed at run time"
        assert read.value("env.NCCL_DEBUG") == "1"
    assert facts("torchrun x.py", environment=Environment(given)).value("env.ACCELERATE_MIXED_PRECISION") == "bf16"


@pytest.mark.parametrize(
    "command", ["python x.py", "torchrun x.py", "accelerate launch --cpu x.py", "srun python x.py"]
)
def test_the_devices_of_the_environment_are_those_of_the_trainer(command: str) -> None:
    place = Place("run.sh", 1, 5)
    for given, places, expected in (
        ("2,3", {"CUDA_VISIBLE_DEVICES": place}, (("2", "3"), "run.sh:1:5", place)),
        ("2", {}, (("2",), "run.sh:3", Place("run.sh", 3))),
        ("", {}, None),
        (None, {}, None),
        ("2," + UNKNOWN, {}, None),
    ):
        read = facts(command, environment=Environment({"CUDA_VISIBLE_DEVICES": given}, places=places))
        assert read.known.get("plan.trainer_devices") == expected


def test_an_environment_without_a_reason_is_unknown_too() -> None:
    read = facts("python x.py", environment=Environment({"VLLM_X": UNKNOWN}, Others.UNKNOWN, {"VLLM_X": Place("a", 1)}))
    assert told(read)[:2] == [
        "env ? the environment is not known at no position",
        "env.VLLM_X ? a:1: computed at run time",
    ]


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("accelerate launch --num_processes 4 * train.py", False),
        ("accelerate launch * --num_processes 4 train.py", True),
        ("accelerate launch --num_processes 4 --config_file * train.py", True),
        ("trl grpo --num_processes 4 *", False),
        ("trl grpo --num_processes 4 ?", False),
        ("trl grpo --num_processes 4 --use_vllm *", False),
        ("trl grpo --num_processes 4 --model_name_or_path *", True),
        ("trl grpo --num_processes 4 --model_name_or_path ?", True),
        ("trl grpo --num_processes 4 --accelerate_config zero2 *", False),
        ("trl grpo * --num_processes 4 --accelerate_config zero2", True),
    ],
)
def test_words_that_are_not_known_may_set_the_options_before_them_again(command: str, known: bool) -> None:
    found = facts(command)
    assert found.value("plan.world_size") == (4 if known else None)
    assert ("plan.world_size" in found.reasons) != known
