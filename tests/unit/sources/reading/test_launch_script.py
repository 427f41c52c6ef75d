from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, collect


def facts(tmp_path: Path, text: str, name: str = "run.sh") -> Facts:
    (tmp_path / name).write_text(text)
    return collect(Sources([str(tmp_path / name)], probe=False)).facts


@pytest.mark.parametrize(
    ("command", "launcher", "processes", "machines"),
    [
        ("accelerate launch --num_processes 8 train.py", "accelerate", 8, None),
        ("accelerate launch --multi_gpu --num_processes=16 --num_machines 2 train.py --beta 0.1", "accelerate", 16, 2),
        ("python -m accelerate.commands.launch --num_processes 4 train.py", "accelerate", 4, None),
        ("torchrun --standalone --nproc_per_node 4 train.py", "torchrun", 4, 1),
        ("torchrun --nproc-per-node=8 --nnodes=2 train.py", "torchrun", 16, 2),
        ("python -m torch.distributed.run --nproc_per_node=2 train.py", "torchrun", 2, 1),
        ("deepspeed --num_gpus 4 --num_nodes 1 train.py --deepspeed ds.json", "deepspeed", 4, 1),
        ("python3.11 -u train.py --x 1", "python", 1, 1),
        ("srun --nodes 2 --ntasks-per-node 8 python train.py", "srun", 16, 2),
        ("nohup env A=1 torchrun --nproc_per_node 2 train.py > log 2>&1 &", "torchrun", 2, 1),
        ("srun bash -c 'accelerate launch --num_processes 8 train.py'", "accelerate", 8, None),
        ("uv run accelerate launch --num_processes 2 train.py", "accelerate", 2, None),
        ("N=4; torchrun --nproc_per_node $N train.py", "torchrun", 4, 1),
        ("unset GPUS; N=${GPUS:-4}\ntorchrun --nproc_per_node ${N} train.py", "torchrun", 4, 1),
        ("A=2\nB=8\ntorchrun --nnodes $A --nproc_per_node $((B / 2)) train.py", "torchrun", 8, 2),
        ('L="accelerate launch --num_processes 3"\nsrun $L train.py', "accelerate", 3, None),
        ("accelerate launch \\\n  --num_processes 8 \\\n  train.py", "accelerate", 8, None),
    ],
)
def test_launcher_processes_and_machines_are_read_from_the_command(
    tmp_path: Path, command: str, launcher: str, processes: int, machines: int | None
) -> None:
    read = facts(tmp_path, f"#!/bin/bash\nset -e\n{command}\n")
    assert read.value("plan.launcher") == launcher
    assert read.value("plan.world_size") == processes
    assert read.value("plan.num_machines") == machines


def test_slurm_directives_set_the_machines_and_slurm_s_variables(tmp_path: Path) -> None:
    text = """#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1 --gres=gpu:h100:8
export NCCL_DEBUG=INFO
NP=$((SLURM_NNODES * SLURM_GPUS_ON_NODE))
srun accelerate launch --num_machines $SLURM_NNODES --num_processes $NP \\
  --machine_rank $SLURM_PROCID train.py
"""
    read = facts(tmp_path, text, "job.slurm")
    assert read.value("plan.world_size") == 32
    assert read.value("plan.num_machines") == 4
    assert read.known["env.NCCL_DEBUG"].source == "job.slurm:4:1"


def test_a_script_is_read_with_the_options_of_its_command_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "p = argparse.ArgumentParser()\np.add_argument('--tp', type=int, default=1)\na = p.parse_args()\n"
        "GRPOConfig(use_vllm=True, vllm_tensor_parallel_size=a.tp)\n"
    )
    read = facts(tmp_path, "torchrun --nproc_per_node 4 train.py --tp 2")
    assert read.value("plan.vllm_tensor_parallel_size") == 2
    assert "--tp in run.sh:1:1" in read.known["plan.vllm_tensor_parallel_size"].source


def test_a_dataclass_parser_gets_its_settings_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "grpo.yaml").write_text("vllm_mode: server\nnum_generations: 4\n")
    (tmp_path / "train.py").write_text("a, b = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()\n")
    text = "accelerate launch --num_processes 8 train.py --config grpo.yaml --use_vllm --vllm_mode colocate --beta $B"
    (tmp_path / "run.sh").write_text(text)
    gathered = collect(Sources([str(tmp_path / "run.sh")], probe=False))
    assert gathered.plan.takes_defaults
    assert gathered.facts.value("plan.use_vllm") is True
    assert gathered.facts.value("plan.vllm_mode") == "colocate"
    assert gathered.facts.value("plan.num_generations") == 4


def test_the_trl_command_sets_the_trainer(tmp_path: Path) -> None:
    text = "trl grpo --config c.yaml --use_vllm true --num_processes 4 --accelerate_config zero3 --num_generations $G\n"
    (tmp_path / "c.yaml").write_text("use_vllm: false\nvllm_mode: colocate\n")
    read = facts(tmp_path, text)
    assert read.value("plan.trainer") == "GRPOTrainer"
    assert read.value("plan.use_vllm") is True
    assert read.value("plan.vllm_mode") == "colocate"
    assert read.value("plan.world_size") == 4
    assert read.value("plan.deepspeed_stage") == 3
    assert "the launch script computes it" in read.why_unknown("plan.num_generations")


def test_devices_of_server_and_trainer_are_read_separately(tmp_path: Path) -> None:
    text = (
        "CUDA_VISIBLE_DEVICES=0,1 trl vllm-serve --model m --tensor_parallel_size 2 &\n"
        "CUDA_VISIBLE_DEVICES=1,2,3 torchrun --nproc_per_node 3 train.py\n"
    )
    read = facts(tmp_path, text)
    assert read.value("plan.server_devices") == ("0", "1")
    assert read.value("plan.trainer_devices") == ("1", "2", "3")
    assert read.value("plan.server_started") is True
    assert read.value("env.CUDA_VISIBLE_DEVICES") == "1,2,3"


@pytest.mark.parametrize("words", ["", "--multi_gpu", "$EXTRA_ARGS --gpu_ids all"])
def test_the_gpu_ids_of_a_configuration_that_is_not_known_outweigh_the_variable(tmp_path: Path, words: str) -> None:
    text = f"CUDA_VISIBLE_DEVICES=1,2,3 accelerate launch {words} --num_processes 3 train.py\n"
    read = facts(tmp_path, text)
    known = "gpu_ids" in words
    assert read.value("env.CUDA_VISIBLE_DEVICES") == ("1,2,3" if known else None)
    assert read.value("plan.trainer_devices") == (("1", "2", "3") if known else None)


def test_values_that_the_shell_computes_are_unknown(tmp_path: Path) -> None:
    text = """
export VLLM_USE_V1=$(decide)
if [ -n "$X" ]; then
  export NCCL_P2P_DISABLE=1
fi
cat <<EOF > other.sh
export MASTER_PORT=1
EOF
export MASTER_ADDR='$HOST'
torchrun --nproc_per_node $(nvidia-smi -L | wc -l) train.py
"""
    read = facts(tmp_path, text)
    assert "computed at run time" in read.why_unknown("env.VLLM_USE_V1")
    assert "run.sh:4" in read.why_unknown("env.NCCL_P2P_DISABLE")
    assert read.get("env.MASTER_PORT") is None
    assert read.value("env.MASTER_ADDR") == "$HOST"
    assert read.get("plan.world_size") is None
    assert read.value("plan.launcher") == "torchrun"


def test_variables_of_the_script_override_those_of_the_shell_except_setdefault(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os\nos.environ['VLLM_USE_V1'] = '0'\nos.environ.setdefault('NCCL_P2P_DISABLE', '1')\nGRPOConfig()\n"
    )
    read = facts(tmp_path, "export VLLM_USE_V1=1 NCCL_P2P_DISABLE=0\npython train.py\n")
    assert read.value("env.VLLM_USE_V1") == "0"
    assert read.value("env.NCCL_P2P_DISABLE") == "0"


def test_files_are_found_relative_to_the_repository_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("slurm", "recipes", "src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "recipes" / "zero3.yaml").write_text("distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3}\n")
    (tmp_path / "src" / "train.py").write_text("GRPOConfig(use_vllm=True)\n")
    (tmp_path / "slurm" / "run.sh").write_text("accelerate launch --config_file recipes/zero3.yaml src/train.py\n")
    read = collect(Sources([str(tmp_path / "slurm" / "run.sh")], probe=False)).facts
    assert (read.value("plan.deepspeed_stage"), read.value("plan.use_vllm")) == (3, True)


SLURM = r"""#!/bin/bash
#SBATCH --nodes=2 --gres=gpu:8
# a comment that doesn't close its quote
CONFIG_FILE=recipes/grpo.yaml
GRAD_ACC_STEPS=$(grep 'gradient_accumulation_steps' $CONFIG_FILE | awk '{print $2}')
WORLD_SIZE=$(($SLURM_NNODES*8))
export CMD=" \\
    train.py --config $CONFIG_FILE $OPTIONAL_ARGS
    "
export LAUNCHER="ACCELERATE_LOG_LEVEL=info accelerate launch \\
    --gradient_accumulation_steps $GRAD_ACC_STEPS \\
    --num_machines $SLURM_NNODES --num_processes $WORLD_SIZE \\
    --machine_rank \\$SLURM_PROCID \\
    "
clear; srun --jobid $SLURM_JOB_ID bash -c "$LAUNCHER $CMD" 2>&1 | tee log
""".replace("\\\\", "\\")


def test_a_launcher_in_variables_that_srun_passes_to_bash_is_read(tmp_path: Path) -> None:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "grpo.yaml").write_text("use_vllm: true\n")
    (tmp_path / "train.py").write_text("(a,) = TrlParser((GRPOConfig,)).parse_args_and_config()\n")
    read = facts(tmp_path, SLURM, "train.slurm")
    assert (read.value("plan.world_size"), read.value("plan.num_machines")) == (16, 2)
    assert read.value("plan.launcher") == "accelerate"
    # $OPTIONAL_ARGS may hold any option.
    assert "it may be True" in read.why_unknown("plan.use_vllm")


def test_the_launcher_is_known_even_if_the_script_is_a_variable(tmp_path: Path) -> None:
    read = facts(tmp_path, 'torchrun --nproc_per_node 4 "$SCRIPT" --config $X\n')
    assert (read.value("plan.launcher"), read.value("plan.processes_per_machine")) == ("torchrun", 4)
    read = facts(tmp_path, "torchrun --nproc_per_node 4 $SCRIPT --config $X\n")
    assert (read.value("plan.launcher"), read.value("plan.processes_per_machine")) == ("torchrun", None)


def test_sourced_scripts_are_read_even_if_they_are_circular(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("export VLLM_USE_V1=0\nsource run.sh\n")
    read = facts(tmp_path, '[ -n "$DONE" ] && return\nDONE=1\nsource env.sh\npython train.py\n')
    assert read.value("env.VLLM_USE_V1") == "0"


@pytest.mark.parametrize("text", ["echo hello\n", "", "# nothing\n"])
def test_a_script_without_a_training_command_is_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="no training command found"):
        facts(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "python 'train.py\n",
        "((((((\n",
        "`" * 10_001,
        "A=$A$A\n" * 60 + "python $A.py",
        "\\\n" * 100_000,
        "<<EOF\n" * 1_000,
        "$((1/0)) python train.py",
    ],
)
def test_malformed_shell_scripts_are_read_or_rejected_in_one_line(tmp_path: Path, text: str) -> None:
    try:
        facts(tmp_path, text)
    except InputError as error:
        assert "\n" not in str(error)


def test_accelerate_s_default_configuration_counts_on_this_machine_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "accelerate").mkdir(parents=True)
    file = tmp_path / "home" / "accelerate" / "default_config.yaml"
    (tmp_path / "train.py").write_text("GRPOConfig()\n")
    (tmp_path / "run.sh").write_text("accelerate launch --num_processes 2 train.py\n")
    run = [str(tmp_path / "run.sh")]
    unknown = collect(Sources(run, probe=False)).facts.why_unknown("plan.deepspeed_stage")
    assert "default configuration file may set it" in unknown
    assert collect(Sources(run)).facts.why_unknown("plan.deepspeed_stage") != unknown
    file.write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3}\n"
    )
    assert collect(Sources(run)).facts.value("plan.deepspeed_stage") == 3
    assert collect(Sources(run, target="8xH100")).facts.get("plan.deepspeed_stage") is None
