"""Files that scripts and launchers name, and all that the plan says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.told import examples, read_files

#: The files that are handed over, perhaps accelerate's default configuration; all files; the plan.
PLANS = r"""
$ train.py a.yaml
> ## train.py
> GRPOConfig(use_vllm=True)
> ## a.yaml
> distributed_type: DEEPSPEED
> num_processes: 4
> deepspeed_config:
>   deepspeed_config_file: ds.json
> ## ds.json
> {"zero_optimization": {"stage": 3}}
run: train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 3 (ds.json:1:24)
distributed_type = 'DEEPSPEED' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (a.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
use_vllm = True (train.py:1:21)
world_size = 4 (a.yaml:2:1)
deepspeed_accumulation_steps ? a.yaml: set in DeepSpeed's configuration file
accelerate.ClusterConfig at a.yaml: own dynamo_backend fp16, is_complete
- distributed_type = 'DEEPSPEED' by option at a.yaml:1:1
- num_processes = 4 by option at a.yaml:2:1
- deepspeed_config = COMPUTED by option at a.yaml:3:1
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = COMPUTED by option at ds.json:1:2
deepspeed.DeepSpeedZeroConfig at ds.json:1:2: is_complete
- stage = 3 by option at ds.json:1:24
files: train.py: a.yaml: ds.json
configuration python GRPOConfig at train.py:1:1

$ run.sh a.yaml
> ## run.sh
> accelerate launch train.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## a.yaml
> distributed_type: MULTI_GPU
> num_processes: 4
> fp16: 1
run: run.sh:1:1: accelerate launch train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_stage = 0 (a.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (a.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:1:1)
mixed_precision = 'no' (a.yaml, accelerate's default)
processes_per_machine = 4 (a.yaml:2:1)
server_started = False (run.sh)
use_cpu = False (a.yaml, accelerate's default)
use_vllm = True (train.py:1:21)
world_size = 4 (a.yaml:2:1)
accelerate.ClusterConfig at a.yaml: own dynamo_backend fp16, is_complete
- distributed_type = 'MULTI_GPU' by option at a.yaml:1:1
- num_processes = 4 by option at a.yaml:2:1
- fp16 = 1 by option at a.yaml:3:1
accelerate.launch at run.sh:1:1: own help use_env, is_complete
files: run.sh: a.yaml: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh a.yaml b.yaml
> ## run.sh
> accelerate launch train.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## a.yaml
> distributed_type: MULTI_GPU
> num_processes: 4
> ## b.yaml
> distributed_type: MULTI_GPU
> num_processes: 2
run: run.sh:1:1: accelerate launch train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'accelerate' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
deepspeed_accumulation_steps deepspeed_stage distributed_type fsdp fsdp_sharding fsdp_version mixed_precision num_machines optimizer_offload parameter_offload processes_per_machine world_size ? run.sh:1:1: accelerate's default configuration file may set it
accelerate.launch at run.sh:1:1: own help use_env, is_complete
files: run.sh: a.yaml: b.yaml: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> accelerate launch --config_file a.yaml train.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## a.yaml
> distributed_type: DEEPSPEED
> num_processes: 4
> deepspeed_config:
>   deepspeed_config_file: ds.json
> ## ds.json
> {"zero_optimization": {"stage": 3}}
run: run.sh:1:1: accelerate launch --config_file a.yaml train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 3 (ds.json:1:24)
distributed_type = 'DEEPSPEED' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (a.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:1:1)
mixed_precision = 'no' (a.yaml, accelerate's default)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
processes_per_machine = 4 (a.yaml:2:1)
server_started = False (run.sh)
use_cpu = False (a.yaml, accelerate's default)
use_vllm = True (train.py:1:21)
world_size = 4 (a.yaml:2:1)
deepspeed_accumulation_steps ? run.sh:1:1: set in DeepSpeed's configuration file
accelerate.ClusterConfig at a.yaml: own dynamo_backend fp16, is_complete
- distributed_type = 'DEEPSPEED' by option at a.yaml:1:1
- num_processes = 4 by option at a.yaml:2:1
- deepspeed_config = COMPUTED by option at a.yaml:3:1
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- config_file = 'a.yaml' by option at run.sh:1:1
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = COMPUTED by option at ds.json:1:2
deepspeed.DeepSpeedZeroConfig at ds.json:1:2: is_complete
- stage = 3 by option at ds.json:1:24
files: run.sh: a.yaml: ds.json: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> accelerate launch --config_file a.yaml train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: accelerate launch --config_file a.yaml train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'accelerate' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
deepspeed_accumulation_steps deepspeed_stage distributed_type fsdp fsdp_sharding fsdp_version mixed_precision num_machines optimizer_offload parameter_offload processes_per_machine world_size ? run.sh:1:1: a.yaml is not known
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- config_file = 'a.yaml' by option at run.sh:1:1
files: run.sh: train.py
misses a.yaml (accelerate) at run.sh:1:1
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> cat > a.yaml <<E
> distributed_type: MULTI_GPU
> num_processes: 4
> E
> accelerate launch --config_file ./a.yaml train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:5:1: accelerate launch --config_file ./a.yaml train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_stage = 0 (a.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (a.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:5:1)
mixed_precision = 'no' (a.yaml, accelerate's default)
processes_per_machine = 4 (a.yaml:2:1)
server_started = False (run.sh)
use_cpu = False (a.yaml, accelerate's default)
use_vllm = True (train.py:1:21)
world_size = 4 (a.yaml:2:1)
accelerate.ClusterConfig at a.yaml: own dynamo_backend fp16, is_complete
- distributed_type = 'MULTI_GPU' by option at a.yaml:1:1
- num_processes = 4 by option at a.yaml:2:1
accelerate.launch at run.sh:5:1: own help use_env, is_complete
- config_file = './a.yaml' by option at run.sh:5:1
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> accelerate launch --num_processes 2 --use_deepspeed --deepspeed_config_file ds.json train.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## ds.json
> {"zero_optimization": {"stage": 3}}
run: run.sh:1:1: accelerate launch --num_processes 2 --use_deepspeed --deepspeed_config_file ds.json train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 3 (ds.json:1:24)
distributed_type = 'DEEPSPEED' (run.sh:1:1, --use_deepspeed)
fsdp = None (run.sh:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:1:1)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 2 (run.sh:1:1, --num_processes)
deepspeed_accumulation_steps ? run.sh:1:1: set in DeepSpeed's configuration file
mixed_precision num_machines ? run.sh:1:1: accelerate's default configuration file may set it
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- num_processes = '2' by option at run.sh:1:1
- use_deepspeed = True by option at run.sh:1:1
- deepspeed_config_file = 'ds.json' by option at run.sh:1:1
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = COMPUTED by option at ds.json:1:2
deepspeed.DeepSpeedZeroConfig at ds.json:1:2: is_complete
- stage = 3 by option at ds.json:1:24
files: run.sh: ds.json: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> accelerate launch --num_processes 2 --use_deepspeed --deepspeed_config_file ds.json train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: accelerate launch --num_processes 2 --use_deepspeed --deepspeed_config_file ds.json train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
distributed_type = 'DEEPSPEED' (run.sh:1:1, --use_deepspeed)
fsdp = None (run.sh:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 2 (run.sh:1:1, --num_processes)
deepspeed_accumulation_steps deepspeed_stage optimizer_offload parameter_offload ? run.sh:1:1: set in DeepSpeed's configuration file
deepspeed_bf16_optimizer_states ? run.sh:1:1 names ds.json, which was not found at run.sh:1:1
mixed_precision num_machines ? run.sh:1:1: accelerate's default configuration file may set it
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- num_processes = '2' by option at run.sh:1:1
- use_deepspeed = True by option at run.sh:1:1
- deepspeed_config_file = 'ds.json' by option at run.sh:1:1
files: run.sh: train.py
misses ds.json (deepspeed) at run.sh:1:1
configuration python GRPOConfig at train.py:1:1

$ run.sh
$ home home.yaml
> ## run.sh
> accelerate launch --num_processes 2 train.py
> ## train.py
> GRPOConfig(use_vllm=True)
> ## home.yaml
> distributed_type: MULTI_GPU
run: run.sh:1:1: accelerate launch --num_processes 2 train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_stage = 0 (home.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (home.yaml:1:1)
fsdp = None (home.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (home.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:1:1)
mixed_precision = 'no' (home.yaml, accelerate's default)
processes_per_machine = 2 (run.sh:1:1, --num_processes)
server_started = False (run.sh)
use_cpu = False (home.yaml, accelerate's default)
use_vllm = True (train.py:1:21)
world_size = 2 (run.sh:1:1, --num_processes)
accelerate.ClusterConfig at home.yaml: own dynamo_backend fp16, is_complete
- distributed_type = 'MULTI_GPU' by option at home.yaml:1:1
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- num_processes = '2' by option at run.sh:1:1
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
$ home home.yaml
> ## run.sh
> accelerate launch --num_processes 2 train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: accelerate launch --num_processes 2 train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_stage = 0 (run.sh:1:1, distributed_type is MULTI_GPU or NO)
fsdp = None (run.sh:1:1, distributed_type is MULTI_GPU or NO)
fsdp_version = None (run.sh:1:1, distributed_type is MULTI_GPU or NO)
launcher = 'accelerate' (run.sh:1:1)
mixed_precision = 'no' (run.sh:1:1, accelerate's default)
processes_per_machine = 2 (run.sh:1:1, --num_processes)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 2 (run.sh:1:1, --num_processes)
distributed_type ? run.sh:1:1: accelerate counts the GPUs
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- num_processes = '2' by option at run.sh:1:1
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ grpo.yaml
> ## grpo.yaml
> use_vllm: true
> model_name_or_path: tiny
> ## tiny/config.json
> {"architectures": ["A"], "dtype": "float16"}
run: takes defaults
model = 'tiny' (grpo.yaml:2:1)
model_architecture = 'A' (config.json:1:2)
model_bits = None (config.json)
model_dtype = 'float16' (config.json:1:26)
model_quantization = None (config.json)
use_vllm = True (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_vllm = True by file at grpo.yaml:1:1
- model_name_or_path = 'tiny' by file at grpo.yaml:2:1
files: grpo.yaml: tiny/config.json
configuration yaml  at grpo.yaml

$ grpo.yaml
> ## grpo.yaml
> use_vllm: true
> model_name_or_path: Qwen/Qwen3-4B-AWQ
> deepspeed: ds.json
run: takes defaults
deepspeed = 'ds.json' (grpo.yaml:3:1)
model = 'Qwen/Qwen3-4B-AWQ' (grpo.yaml:2:1)
model_parameters = 3680000000 (lower bound inferred from the model name Qwen/Qwen3-4B-AWQ (grpo.yaml:2:1)) at grpo.yaml:2:1
use_vllm = True (grpo.yaml:1:1)
vocabulary_size = 151643 (lower bound inferred from the model name Qwen/Qwen3-4B-AWQ (grpo.yaml:2:1)) at grpo.yaml:2:1
attention_heads key_value_heads model_architecture model_dtype ? config.json of Qwen/Qwen3-4B-AWQ was not found; pass its path as a run file at no position
deepspeed_bf16_optimizer_states deepspeed_stage optimizer_offload parameter_offload ? grpo.yaml:3:1 names ds.json, which was not found at grpo.yaml:3:1
model_quantization ? 'AWQ' in the name Qwen/Qwen3-4B-AWQ stands for quantized weights at grpo.yaml:2:1
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_vllm = True by file at grpo.yaml:1:1
- model_name_or_path = 'Qwen/Qwen3-4B-AWQ' by file at grpo.yaml:2:1
- deepspeed = 'ds.json' by file at grpo.yaml:3:1
files: grpo.yaml
misses ds.json (deepspeed) at grpo.yaml:3:1
configuration yaml  at grpo.yaml

$ grpo.yaml ds.json
> ## grpo.yaml
> use_vllm: true
> deepspeed: other.json
> ## ds.json
> {"zero_optimization": {"stage": 3}}
run: takes defaults
deepspeed = 'other.json' (grpo.yaml:2:1)
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 3 (ds.json:1:24)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
use_vllm = True (grpo.yaml:1:1)
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = COMPUTED by option at ds.json:1:2
deepspeed.DeepSpeedZeroConfig at ds.json:1:2: is_complete
- stage = 3 by option at ds.json:1:24
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_vllm = True by file at grpo.yaml:1:1
- deepspeed = 'other.json' by file at grpo.yaml:2:1
files: grpo.yaml: ds.json
configuration yaml  at grpo.yaml

$ grpo.yaml other.yaml
> ## grpo.yaml
> use_vllm: true
> ## other.yaml
> beta: 1
run: takes defaults
beta = 1 (other.yaml:1:1)
use_vllm = True (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_vllm = True by file at grpo.yaml:1:1
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at other.yaml: has_others
- beta = 1 by file at other.yaml:1:1
files: grpo.yaml: other.yaml

$ train.py grpo.yaml
> ## train.py
> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
> ## grpo.yaml
> use_vllm: true
run: train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:11)
use_vllm = True (grpo.yaml:1:1)
files: train.py: grpo.yaml
configuration python GRPOConfig at train.py:1:11

$ train.py grpo.yaml other.yaml
> ## train.py
> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
> ## grpo.yaml
> use_vllm: true
> ## other.yaml
> beta: 1
run: train.py
configuration = 'GRPOConfig' (train.py:1:11)
all settings ? train.py:1:11: read from the command line, which is not known at no position
files: train.py: grpo.yaml: other.yaml
configuration python GRPOConfig at train.py:1:11

$ config.json adapter_config.json
> ## config.json
> {"architectures": ["A"]}
> ## adapter_config.json
> {"peft_type": "LORA", "r": 4, "base_model_name_or_path": "a/b-7B"}
run
lora_rank = 4 (adapter_config.json:1:23)
model = 'a/b-7B' (adapter_config.json:1:31)
model_architecture = 'A' (config.json:1:2)
model_bits = None (config.json)
model_quantization = None (config.json)
modules_to_save = () (adapter_config.json)
peft = True (adapter_config.json:1:2)
files: config.json: adapter_config.json

$ run.sh
> ## run.sh
> export CUDA_VISIBLE_DEVICES=0,1
> python train.py
> ## train.py
> import os
> os.environ['CUDA_VISIBLE_DEVICES'] = '1'
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: python train.py: takes defaults
env.CUDA_VISIBLE_DEVICES = '1' (train.py:2:38)
configuration = 'GRPOConfig' (train.py:3:1)
launcher = 'python' (run.sh:2:1)
server_started = False (run.sh)
use_vllm = True (train.py:3:21)
world_size = 1 (run.sh:2:1)
trainer_devices ? train.py:2:38: the script sets CUDA_VISIBLE_DEVICES
files: run.sh: train.py
configuration python GRPOConfig at train.py:3:1

$ run.sh
$ home none.yaml
> ## run.sh
> accelerate launch --cpu train.py
> ## train.py
> import os
> os.environ.clear()
> GRPOConfig(use_vllm=True)
run: run.sh:1:1: accelerate launch --cpu train.py: takes defaults
configuration = 'GRPOConfig' (train.py:3:1)
launcher = 'accelerate' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (train.py:3:21)
world_size = 1 (run.sh:1:1, one process)
env ? train.py: the script clears it at no position
deepspeed_stage distributed_type fsdp fsdp_version mixed_precision use_cpu ? the script clears the environment, by which the launcher passes it on at no position
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- cpu = True by option at run.sh:1:1
files: run.sh: train.py
configuration python GRPOConfig at train.py:3:1

$ run.sh
$ home none.yaml
> ## run.sh
> accelerate launch --cpu train.py
> ## train.py
> GRPOConfig(use_vllm=True, use_cpu=True)
run: run.sh:1:1: accelerate launch --cpu train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed_stage = 0 (run.sh:1:1, distributed_type is NO)
distributed_type = 'NO' (run.sh:1:1, --cpu)
fsdp = None (run.sh:1:1, distributed_type is NO)
fsdp_version = None (run.sh:1:1, distributed_type is NO)
launcher = 'accelerate' (run.sh:1:1)
mixed_precision = 'no' (run.sh:1:1, accelerate's default)
server_started = False (run.sh)
use_cpu = True (train.py:1:35)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:1:1, one process)
accelerate.launch at run.sh:1:1: own help use_env, is_complete
- cpu = True by option at run.sh:1:1
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> bash missing.sh
> python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:2:1)
server_started = False (run.sh)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:2:1)
files: run.sh: train.py
misses missing.sh (launch) at run.sh:1:1
configuration python GRPOConfig at train.py:1:1

$ x.ipynb
> ## x.ipynb
> {"cells": [{"cell_type": "code", "source": ["GRPOConfig(use_vllm=True)"]}], "nbformat": 4}
run: x.ipynb: takes defaults
configuration = 'GRPOConfig' (x.ipynb:1)
notebook = True (the kind of file) at x.ipynb
use_vllm = True (x.ipynb:1)
files: x.ipynb
configuration python GRPOConfig at x.ipynb:1

$ x.ipynb
> ## x.ipynb
> {"cells": [{"cell_type": "code", "source": ["x = 1\n", "!python train.py"]}], "nbformat": 4}
> ## train.py
> GRPOConfig(use_vllm=True)
run: x.ipynb:1:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (x.ipynb:1:1)
server_started = False (x.ipynb)
use_vllm = True (train.py:1:21)
world_size = 1 (x.ipynb:1:1)
files: x.ipynb: train.py
configuration python GRPOConfig at train.py:1:1

$ Dockerfile
> ## Dockerfile
> FROM a
> ENV VLLM_USE_V1=0
> COPY train.py /app/train.py
> WORKDIR /app
> CMD ["env", "-u", "A", "NCCL_DEBUG=INFO", "torchrun", "--nproc_per_node", "2", "train.py"]
> ## train.py
> GRPOConfig(use_vllm=True)
run: Dockerfile:5: env -u A NCCL_DEBUG=INFO torchrun --nproc_per_node 2 train.py
env.NCCL_DEBUG = 'INFO' (Dockerfile:5)
env.VLLM_USE_V1 = '0' (Dockerfile:2)
launcher = 'torchrun' (Dockerfile:5)
processes_per_machine = 2 (Dockerfile:5)
server_started = False (Dockerfile)
env ? the base image a may set variables at no position
deepspeed model patched peft all settings ? Dockerfile:5 starts train.py, which was not found at Dockerfile:5
num_machines world_size ? Dockerfile:5: torchrun gets it at run time
torch.torchrun at Dockerfile:5: own help use_env, is_complete, abbreviates
- nproc_per_node = '2' by option at Dockerfile:5
files: Dockerfile: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> trl vllm-serve --model m &
> CUDA_VISIBLE_DEVICES=1 python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: python train.py: takes defaults
env.CUDA_VISIBLE_DEVICES = '1' (run.sh:2:1)
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:2:1)
server_data_parallel_size = 1 (run.sh:1:1)
server_started = True (run.sh:1:1)
trainer_devices = ('1',) (run.sh:2:1)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:2:1)
trl.vllm_serve.ScriptArguments at run.sh:1:1: own config help, abbreviates
- model = COMPUTED by option at run.sh:1:1
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> CUDA_VISIBLE_DEVICES=0,2 vllm serve m &
> python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:2:1)
server_devices = ('0', '2') (run.sh:1:1)
server_logprobs_mode = 'raw_logprobs' (run.sh:1:1)
server_port = 8000 (run.sh:1:1)
server_started = True (run.sh:1:1)
server_weight_transfer = False (run.sh:1:1)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:2:1)
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ run.sh
> ## run.sh
> if x; then vllm serve m & fi
> python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: run.sh:2:1: python train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'python' (run.sh:2:1)
use_vllm = True (train.py:1:21)
world_size = 1 (run.sh:2:1)
server_started ? run.sh:1:1: in a branch of if
files: run.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ job.sh
> ## job.sh
> #SBATCH --nodes=2 --ntasks-per-node=4
> srun python train.py
> ## train.py
> GRPOConfig(use_vllm=True)
run: job.sh:2:1: srun python train.py: takes defaults
env.SLURM_JOB_NUM_NODES = '2' (job.sh:1:1)
env.SLURM_NNODES = '2' (job.sh:1:1)
env.SLURM_NTASKS_PER_NODE = '4' (job.sh:1:1)
configuration = 'GRPOConfig' (train.py:1:1)
launcher = 'srun' (job.sh:2:1)
num_machines = 2 (job.sh:2:1)
processes_per_machine = 4 (job.sh:2:1)
server_started = False (job.sh)
use_vllm = True (train.py:1:21)
world_size = 8 (job.sh:2:1)
files: job.sh: train.py
configuration python GRPOConfig at train.py:1:1

$ train.py
> ## train.py
> GRPOConfig(deepspeed='ds.json')
> ## ds.json
> {"zero_optimization": {"stage": 3}}
run: train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed = 'ds.json' (train.py:1:22)
deepspeed_auto = () (ds.json)
deepspeed_bf16 = False (ds.json, DeepSpeed's default)
deepspeed_fp16 = False (ds.json, DeepSpeed's default)
deepspeed_gradient_clipping = None (ds.json, not in the file)
deepspeed_stage = 3 (ds.json:1:24)
optimizer_offload = 'none' (ds.json)
parameter_offload = 'none' (ds.json)
deepspeed.DeepSpeedConfig at ds.json: is_complete
- zero_optimization = COMPUTED by option at ds.json:1:2
deepspeed.DeepSpeedZeroConfig at ds.json:1:2: is_complete
- stage = 3 by option at ds.json:1:24
files: train.py: ds.json
configuration python GRPOConfig at train.py:1:1

$ train.py
> ## train.py
> GRPOConfig(deepspeed='ds.json')
run: train.py: takes defaults
configuration = 'GRPOConfig' (train.py:1:1)
deepspeed = 'ds.json' (train.py:1:22)
deepspeed_bf16_optimizer_states deepspeed_stage optimizer_offload parameter_offload ? train.py:1:22 names ds.json, which was not found at train.py:1:22
files: train.py
misses ds.json (deepspeed) at train.py:1:22
configuration python GRPOConfig at train.py:1:1

$ run.sh grpo.yaml
> ## run.sh
> python train.py $X
> ## train.py
> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
> ## grpo.yaml
> use_vllm: true
run: run.sh:1:1: python train.py ...
configuration = 'GRPOConfig' (train.py:1:11)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
all settings ? train.py:1:11: the command line may name a file of settings at no position
files: run.sh: grpo.yaml: train.py
configuration python GRPOConfig at train.py:1:11

$ run.sh grpo.yaml other.yaml
> ## run.sh
> python train.py $X
> ## train.py
> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
> ## grpo.yaml
> use_vllm: true
> ## other.yaml
> beta: 1
run: run.sh:1:1: python train.py ...
configuration = 'GRPOConfig' (train.py:1:11)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
all settings ? train.py:1:11: the command line may name a file of settings at no position
files: run.sh: grpo.yaml: other.yaml: train.py
configuration python GRPOConfig at train.py:1:11

$ run.sh grpo.yaml
> ## run.sh
> python train.py $X
> ## train.py
> import sys, yaml
> GRPOConfig(**yaml.safe_load(open(sys.argv[1])))
> ## grpo.yaml
> use_vllm: true
run: run.sh:1:1: python train.py ...: takes defaults
configuration = 'GRPOConfig' (train.py:2:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
use_vllm = True (grpo.yaml:1:1)
world_size = 1 (run.sh:1:1)
files: run.sh: grpo.yaml: train.py
configuration python GRPOConfig at train.py:2:1

$ run.sh grpo.yaml other.yaml
> ## run.sh
> python train.py $X
> ## train.py
> import sys, yaml
> GRPOConfig(**yaml.safe_load(open(sys.argv[1])))
> ## grpo.yaml
> use_vllm: true
> ## other.yaml
> beta: 1
run: run.sh:1:1: python train.py ...
configuration = 'GRPOConfig' (train.py:2:1)
launcher = 'python' (run.sh:1:1)
server_started = False (run.sh)
world_size = 1 (run.sh:1:1)
all settings ? train.py:2:1: computed at run time at no position
files: run.sh: grpo.yaml: other.yaml: train.py
configuration python GRPOConfig at train.py:2:1
"""


@pytest.mark.parametrize(("given", "files", "expected"), examples(PLANS))
def test_files_that_others_name_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, files: str, expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_files(given, files) == expected
