"""Configuration files of accelerate that are handed over without a command."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told
from vcompat.sources.reading.document import parse_document
from vcompat.sources.reading.launchers.accelerate_config import read_accelerate_config

FILES = """
> debug: false
deepspeed_accumulation_steps ? a.yaml: computed at run time
deepspeed_stage ? a.yaml: computed at run time
distributed_type ? a.yaml: computed at run time
fsdp ? a.yaml: computed at run time
fsdp_sharding ? a.yaml: computed at run time
fsdp_version ? a.yaml: computed at run time
launcher = 'accelerate' (a.yaml)
optimizer_offload ? a.yaml: computed at run time
parameter_offload ? a.yaml: computed at run time
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> num_processes: 4
> num_machines: 2
> use_cpu: true
> mixed_precision: fp8
> gpu_ids: 0, 3
env.CUDA_VISIBLE_DEVICES = '0, 3' (a.yaml:5:1, gpu_ids)
deepspeed_accumulation_steps ? a.yaml: computed at run time
deepspeed_stage ? a.yaml: computed at run time
distributed_type ? a.yaml: computed at run time
fsdp ? a.yaml: computed at run time
fsdp_sharding ? a.yaml: computed at run time
fsdp_version ? a.yaml: computed at run time
launcher = 'accelerate' (a.yaml)
mixed_precision = 'fp8' (a.yaml:4:1)
num_machines = 2 (a.yaml:2:1)
optimizer_offload ? a.yaml: computed at run time
parameter_offload ? a.yaml: computed at run time
processes_per_machine = 2 (a.yaml:1:1)
trainer_devices = ('0', '3') (a.yaml:5:1)
use_cpu = True (a.yaml:3:1)
world_size = 4 (a.yaml:1:1)

> num_processes: many
> use_cpu: 1
> mixed_precision: 16
> gpu_ids: ALL
deepspeed_accumulation_steps ? a.yaml: computed at run time
deepspeed_stage ? a.yaml: computed at run time
distributed_type ? a.yaml: computed at run time
fsdp ? a.yaml: computed at run time
fsdp_sharding ? a.yaml: computed at run time
fsdp_version ? a.yaml: computed at run time
launcher = 'accelerate' (a.yaml)
mixed_precision ? a.yaml:3:1: plan.mixed_precision is 16; expected a text
optimizer_offload ? a.yaml: computed at run time
parameter_offload ? a.yaml: computed at run time
processes_per_machine ? a.yaml: accelerate starts one process per GPU
use_cpu ? a.yaml:2:1: plan.use_cpu is 1; expected a flag
world_size ? a.yaml: accelerate starts one process per GPU

> mixed_precision: no
> gpu_ids: 3
env.CUDA_VISIBLE_DEVICES = '3' (a.yaml:2:1, gpu_ids)
deepspeed_accumulation_steps ? a.yaml: computed at run time
deepspeed_stage ? a.yaml: computed at run time
distributed_type ? a.yaml: computed at run time
fsdp ? a.yaml: computed at run time
fsdp_sharding ? a.yaml: computed at run time
fsdp_version ? a.yaml: computed at run time
launcher = 'accelerate' (a.yaml)
mixed_precision = 'no' (a.yaml:1:1)
optimizer_offload ? a.yaml: computed at run time
parameter_offload ? a.yaml: computed at run time
processes_per_machine ? a.yaml: accelerate starts one process per GPU
trainer_devices = ('3',) (a.yaml:2:1)
world_size ? a.yaml: accelerate starts one process per GPU

> gpu_ids: '3'
env.CUDA_VISIBLE_DEVICES = '3' (a.yaml:1:1, gpu_ids)
deepspeed_accumulation_steps ? a.yaml: computed at run time
deepspeed_stage ? a.yaml: computed at run time
distributed_type ? a.yaml: computed at run time
fsdp ? a.yaml: computed at run time
fsdp_sharding ? a.yaml: computed at run time
fsdp_version ? a.yaml: computed at run time
launcher = 'accelerate' (a.yaml)
optimizer_offload ? a.yaml: computed at run time
parameter_offload ? a.yaml: computed at run time
processes_per_machine ? a.yaml: accelerate starts one process per GPU
trainer_devices = ('3',) (a.yaml:1:1)
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: 'NO'
deepspeed_stage = 0 (a.yaml:1:1, distributed_type is NO)
distributed_type = 'NO' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is NO)
fsdp_version = None (a.yaml:1:1, distributed_type is NO)
launcher = 'accelerate' (a.yaml)
world_size = 1 (a.yaml:1:1, one process)

> distributed_type: multi_gpu
deepspeed_stage = 0 (a.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (a.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (a.yaml)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: FSDP
deepspeed_stage = 0 (a.yaml:1:1, FSDP)
distributed_type = 'FSDP' (a.yaml:1:1)
fsdp = 'fsdp_config' (a.yaml:1:1)
fsdp_sharding = 'full' (a.yaml, accelerate's default)
fsdp_version = 1 (a.yaml, accelerate's default)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'none' (a.yaml, accelerate's default)
parameter_offload = 'none' (a.yaml, accelerate's default)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: fsdp
> fsdp_config:
>   fsdp_version: 2
>   fsdp_reshard_after_forward: false
>   fsdp_offload_params: true
deepspeed_stage = 0 (a.yaml:1:1, FSDP)
distributed_type = 'FSDP' (a.yaml:1:1)
fsdp = 'fsdp_config' (a.yaml:1:1)
fsdp_sharding = 'gradients' (a.yaml:4:3)
fsdp_version = 2 (a.yaml:3:3)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'cpu' (a.yaml:5:3)
parameter_offload = 'cpu' (a.yaml:5:3)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: FSDP
> fsdp_config:
>   fsdp_offload_params: 'true'
>   fsdp_reshard_after_forward: true
deepspeed_stage = 0 (a.yaml:1:1, FSDP)
distributed_type = 'FSDP' (a.yaml:1:1)
fsdp = 'fsdp_config' (a.yaml:1:1)
fsdp_sharding = 'full' (a.yaml, accelerate's default)
fsdp_version = 1 (a.yaml, accelerate's default)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'cpu' (a.yaml:3:3)
parameter_offload = 'cpu' (a.yaml:3:3)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: FSDP
> fsdp_config:
>   fsdp_reshard_after_forward: shard_grad_op
deepspeed_stage = 0 (a.yaml:1:1, FSDP)
distributed_type = 'FSDP' (a.yaml:1:1)
fsdp = 'fsdp_config' (a.yaml:1:1)
fsdp_sharding = 'full' (a.yaml, accelerate's default)
fsdp_version = 1 (a.yaml, accelerate's default)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'none' (a.yaml, accelerate's default)
parameter_offload = 'none' (a.yaml, accelerate's default)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: FSDP
> fsdp_config:
>   fsdp_sharding_strategy: new
>   fsdp_reshard_after_forward: true
deepspeed_stage = 0 (a.yaml:1:1, FSDP)
distributed_type = 'FSDP' (a.yaml:1:1)
fsdp = 'fsdp_config' (a.yaml:1:1)
fsdp_sharding ? a.yaml:3:3: new is not known
fsdp_version = 1 (a.yaml, accelerate's default)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'none' (a.yaml, accelerate's default)
parameter_offload = 'none' (a.yaml, accelerate's default)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: DEEPSPEED
deepspeed_stage = 2 (a.yaml, accelerate's default)
distributed_type = 'DEEPSPEED' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (a.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'none' (a.yaml, accelerate's default)
parameter_offload = 'none' (a.yaml, accelerate's default)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: deepspeed
> deepspeed_config:
>   deepspeed_config_file: ds.json
>   zero_stage: 1
deepspeed_accumulation_steps ? a.yaml: set in DeepSpeed's configuration file
deepspeed_stage ? a.yaml: set in DeepSpeed's configuration file
distributed_type = 'DEEPSPEED' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (a.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (a.yaml)
optimizer_offload ? a.yaml: set in DeepSpeed's configuration file
parameter_offload ? a.yaml: set in DeepSpeed's configuration file
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU
names ds.json (deepspeed) at a.yaml:3:3

> distributed_type: DEEPSPEED
> deepspeed_config:
>   zero_stage: 0
>   gradient_accumulation_steps: 4
>   offload_optimizer_device: cpu
>   offload_param_device: nvme
deepspeed_accumulation_steps = 4 (a.yaml:4:3)
deepspeed_stage = 0 (a.yaml:3:3)
distributed_type = 'DEEPSPEED' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (a.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (a.yaml)
optimizer_offload = 'cpu' (a.yaml:5:3)
parameter_offload = 'nvme' (a.yaml:6:3)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU

> distributed_type: DEEPSPEED
> deepspeed_config:
>   zero_stage: three
>   gradient_accumulation_steps: auto
>   offload_optimizer_device: 1
deepspeed_stage ? a.yaml:3:3: plan.deepspeed_stage is 'three'; expected a number
distributed_type = 'DEEPSPEED' (a.yaml:1:1)
fsdp = None (a.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (a.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (a.yaml)
optimizer_offload ? a.yaml:5:3: plan.optimizer_offload is 1; expected a text
parameter_offload = 'none' (a.yaml, accelerate's default)
processes_per_machine ? a.yaml: accelerate starts one process per GPU
world_size ? a.yaml: accelerate starts one process per GPU
"""


@pytest.mark.parametrize(("config", "facts"), [example[1:] for example in examples(FILES)])
def test_a_file_states_its_keys_but_no_defaults_of_what_commands_often_set(config: str, facts: list[str]) -> None:
    part = read_accelerate_config(parse_document("dir/a.yaml", config))
    names = [f"names {mention.path} ({mention.kind}) at {mention.place}" for mention in part.mentions]
    assert [*told(part.facts), *names] == facts
