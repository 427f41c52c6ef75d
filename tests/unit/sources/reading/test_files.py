"""Launch scripts and training scripts, and all that the plan says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.told import examples, read_files

#: The files that are handed over, perhaps accelerate's default configuration; all files; the plan.
PLANS = r"""
$ run.sh
> ## run.sh
> python train.py --a
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: python train.py --a: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:1:1)
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> cd sub
> python train.py
> ## sub/train.py
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:2:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:2:1)
files: run.sh: sub/train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> python train.py
run: run.sh:1:1: python train.py
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
deepspeed model patched peft all settings ? run.sh:1:1 starts train.py, which was not found at run.sh:1:1
files: run.sh
misses train.py (script) at run.sh:1:1

$ run.sh
> ## run.sh
> torchrun train.py
run: run.sh:1:1: torchrun train.py
launcher = 'torchrun' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
deepspeed model patched peft all settings ? run.sh:1:1 starts train.py, which was not found at run.sh:1:1
torch.torchrun at run.sh:1:1: own help use_env, is_complete, abbreviates
files: run.sh
misses train.py (script) at run.sh:1:1

$ run.sh
> ## run.sh
> torchrun $X
run: run.sh:1:1: torchrun ...
launcher = 'torchrun' (run.sh:1:1)
server_started = False (run.sh)
deepspeed model patched peft all settings ? run.sh:1:1: the script is not known
num_machines processes_per_machine world_size ? run.sh:1:1: words that are not known are options of torchrun
torch.torchrun at run.sh:1:1: own help use_env, abbreviates
files: run.sh

$ run.sh
> ## run.sh
> $X train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: ... train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
deepspeed_stage fsdp launcher num_machines processes_per_machine world_size ? run.sh:1:1: the launcher is not known
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> python prepare.py
> torchrun train.py
> ## prepare.py
> x = 1
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: torchrun train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'torchrun' (run.sh:2:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:2:1)
torch.torchrun at run.sh:2:1: own help use_env, is_complete, abbreviates
files: run.sh: prepare.py: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> python prepare.py
> ## prepare.py
> x = 1
run
files: run.sh: prepare.py

$ run.sh
> ## run.sh
> torchrun prepare.py
> ## prepare.py
> x = 1
run: run.sh:1:1: torchrun prepare.py
launcher = 'torchrun' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
torch.torchrun at run.sh:1:1: own help use_env, is_complete, abbreviates
files: run.sh: prepare.py

$ run.sh
> ## run.sh
> python train.py
> python other.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## other.py
> GRPOConfig(use_vllm=False, beta=0.1)
run: run.sh:1:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:1:1)
run: run.sh:2:1: python other.py: takes defaults
beta = 0.1 (other.py:1:33)
configuration = 'GRPOConfig' (other.py:1:1)
launcher = 'python' (run.sh:2:1)
server_started = False (run.sh)
use_vllm = False (other.py:1:21)
world_size = 1 (run.sh:2:1)
in common
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
beta ? the runs differ: unknown in run.sh:1:1, 0.1 in run.sh:2:1 at other.py:1:33
use_vllm ? the runs differ: true in run.sh:1:1, false in run.sh:2:1 at train.py:1:21
files: run.sh: train.py: other.py
configuration python GRPOConfig at train.py:1:1
configuration python GRPOConfig at other.py:1:1

$ run.sh
> ## run.sh
> cat > train.py <<'E'
> GRPOConfig(use_vllm=True)
> E
> python ./train.py
run: run.sh:4:1: python ./train.py: takes defaults
configuration = 'GRPOConfig' (run.sh:4)
launcher = 'python' (run.sh:4:1)
server_started = False (run.sh)
use_vllm = True (run.sh:4)
world_size = 1 (run.sh:4:1)
files: run.sh
configuration python GRPOConfig at run.sh:4

$ run.sh
> ## run.sh
> make > train.py
> python train.py
run: run.sh:2:1: python train.py
launcher = 'python' (run.sh:2:1)
server_started = False (run.sh)
world_size = 1 (run.sh:2:1)
deepspeed model patched peft all settings ? run.sh:2:1 starts train.py, which was not found at run.sh:2:1
files: run.sh
misses train.py (script) at run.sh:2:1

$ run.sh
> ## run.sh
> python -m pkg.train
> ## pkg/train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: python -m pkg.train: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:1:1)
files: run.sh: pkg/train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> python -m pkg
> ## src/pkg/__main__.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: python -m pkg: takes defaults
configuration = 'GRPOConfig' (__main__.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (__main__.py:1:21)
world_size = 1 (run.sh:1:1)
files: run.sh: src/pkg/__main__.py
configuration python GRPOConfig at __main__.py:1:1

$ run.sh
> ## run.sh
> python pkg
> ## pkg/__main__.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: python pkg: takes defaults
configuration = 'GRPOConfig' (__main__.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (__main__.py:1:21)
world_size = 1 (run.sh:1:1)
files: run.sh: pkg/__main__.py
configuration python GRPOConfig at __main__.py:1:1

$ run.sh
> ## run.sh
> python -m trl.scripts.grpo --use_vllm true
run: run.sh:1:1: python -m trl.scripts.grpo --use_vllm true: takes defaults
configuration = 'GRPOConfig' (run.sh:1)
launcher = 'python' (run.sh:1:1)
loaded_in_bits = None (run.sh:1)
server_started = False (run.sh)
trainer = 'GRPOTrainer' (run.sh:1)
use_vllm = True (run.sh:1:1, --use_vllm in run.sh:1:1)
world_size = 1 (run.sh:1:1)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:1:1: own accelerate_config, is_complete, is_command, abbreviates
- use_vllm = True by option at run.sh:1:1
files: run.sh
configuration python GRPOConfig at run.sh:1

$ run.sh
> ## run.sh
> trl sft
run: run.sh:1:1: trl sft
launcher = 'accelerate' (run.sh:1:1)
server_started = False (run.sh)
deepspeed model patched peft all settings ? run.sh:1:1 starts sft, which was not found at run.sh:1:1
deepspeed_accumulation_steps deepspeed_stage distributed_type fsdp fsdp_sharding fsdp_version mixed_precision num_machines optimizer_offload parameter_offload processes_per_machine world_size ? run.sh:1:1: accelerate's default configuration file may set it
files: run.sh

$ run.sh
> ## run.sh
> trl grpo --use_vllm true
run: run.sh:1:1: trl grpo --use_vllm true: takes defaults
configuration = 'GRPOConfig' (run.sh:1)
launcher = 'accelerate' (run.sh:1:1)
loaded_in_bits = None (run.sh:1)
server_started = False (run.sh)
trainer = 'GRPOTrainer' (run.sh:1)
use_vllm = True (run.sh:1:1, --use_vllm in run.sh:1:1)
deepspeed_accumulation_steps deepspeed_stage distributed_type fsdp fsdp_sharding fsdp_version mixed_precision num_machines optimizer_offload parameter_offload processes_per_machine world_size ? run.sh:1:1: accelerate's default configuration file may set it
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:1:1: own accelerate_config, is_complete, is_command, abbreviates
- use_vllm = True by option at run.sh:1:1
files: run.sh
configuration python GRPOConfig at run.sh:1

$ run.sh
> ## run.sh
> python - <<'E'
> GRPOConfig(use_vllm=True)
> E
run: run.sh:1:1: python -: takes defaults
configuration = 'GRPOConfig' (run.sh:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (run.sh:1)
world_size = 1 (run.sh:1:1)
files: run.sh
configuration python GRPOConfig at run.sh:1

$ run.sh train.py
> ## run.sh
> python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:1:1)
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh other.py
> ## run.sh
> python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## other.py
> GRPOConfig(use_vllm=False)
run: run.sh:1:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:1:1)
run: other.py: takes defaults
configuration = 'GRPOConfig' (other.py:1:1)
use_vllm = False (other.py:1:21)
in common
configuration = 'GRPOConfig' (train.py:1:1)
launcher ? the runs differ: python in run.sh:1:1, unknown in other.py at run.sh:1:1
num_machines processes_per_machine world_size ? the runs differ: 1 in run.sh:1:1, unknown in other.py at run.sh:1:1
server_started ? the runs differ: false in run.sh:1:1, unknown in other.py at run.sh
use_vllm ? the runs differ: true in run.sh:1:1, false in other.py at train.py:1:21
files: run.sh: other.py: train.py
configuration python GRPOConfig at train.py:1:1
configuration python GRPOConfig at other.py:1:1

$ env.sh train.py
> ## env.sh
> export VLLM_USE_V1=0
> ## train.py
> GRPOConfig(use_vllm=True)
run: train.py: takes defaults
env.VLLM_USE_V1 = '0' (env.sh:1:1)
configuration = 'GRPOConfig' (train.py:1:1)
use_vllm = True (train.py:1:21)
files: env.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ train.py helper.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## helper.py
> x = 1
run: train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
use_vllm = True (train.py:1:21)
files: train.py: helper.py
configuration python GRPOConfig at train.py:1:1

$ helper.py other.py
> ## helper.py
> x = 1
> ## other.py
> y = 1
run: helper.py
files: helper.py: other.py
"""


@pytest.mark.parametrize(("given", "files", "expected"), examples(PLANS))
def test_a_command_and_its_script_are_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, files: str, expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_files(given, files) == expected
