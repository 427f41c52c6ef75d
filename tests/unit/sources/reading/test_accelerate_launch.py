"""Each command of accelerate and `trl`, with its configuration file, and all facts that follow."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.marked_words import word
from tests.unit.sources.reading.told import examples, told
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.commands.started import read_started
from vcompat.sources.reading.document import parse_document
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.launchers.launch_facts import launch_facts

#: A ``?`` in a command is UNKNOWN.
LAUNCHES = """
$ accelerate launch x.py
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU or NO)
distributed_type ? run.sh:3: accelerate counts the GPUs
fsdp = None (run.sh:3, distributed_type is MULTI_GPU or NO)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU or NO)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
processes_per_machine ? run.sh:3: accelerate starts one process per GPU
world_size ? run.sh:3: accelerate starts one process per GPU

$ accelerate launch --config_file c?.yaml x.py
deepspeed_accumulation_steps ? run.sh:3: c....yaml is not known
deepspeed_stage ? run.sh:3: c....yaml is not known
distributed_type ? run.sh:3: c....yaml is not known
fsdp ? run.sh:3: c....yaml is not known
fsdp_sharding ? run.sh:3: c....yaml is not known
fsdp_version ? run.sh:3: c....yaml is not known
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: c....yaml is not known
num_machines ? run.sh:3: c....yaml is not known
optimizer_offload ? run.sh:3: c....yaml is not known
parameter_offload ? run.sh:3: c....yaml is not known
processes_per_machine ? run.sh:3: c....yaml is not known
world_size ? run.sh:3: c....yaml is not known

$ accelerate launch --new-option 1 --num_processes 2 x.py
> num_processes: 4
> distributed_type: MULTI_GPU
deepspeed_accumulation_steps ? run.sh:3: accelerate is not known to have the option --new-option
deepspeed_stage ? run.sh:3: accelerate is not known to have the option --new-option
distributed_type ? run.sh:3: accelerate is not known to have the option --new-option
fsdp ? run.sh:3: accelerate is not known to have the option --new-option
fsdp_sharding ? run.sh:3: accelerate is not known to have the option --new-option
fsdp_version ? run.sh:3: accelerate is not known to have the option --new-option
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: accelerate is not known to have the option --new-option
num_machines ? run.sh:3: accelerate is not known to have the option --new-option
optimizer_offload ? run.sh:3: accelerate is not known to have the option --new-option
parameter_offload ? run.sh:3: accelerate is not known to have the option --new-option
use_cpu ? run.sh:3: accelerate is not known to have the option --new-option
world_size = 2 (run.sh:3, --num_processes)

$ accelerate launch --multi_gpu --num_processes 7 --num_machines 2 --mixed_precision bf16 --gpu_ids 1,3 x.py
env.CUDA_VISIBLE_DEVICES = '1,3' (run.sh:3, gpu_ids)
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (run.sh:3, --multi_gpu)
fsdp = None (run.sh:3, distributed_type is MULTI_GPU)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, --mixed_precision)
num_machines = 2 (run.sh:3, --num_machines)
processes_per_machine = 3 (run.sh:3, --num_processes)
trainer_devices = ('1', '3') (run.sh:3)
world_size = 6 (run.sh:3, --num_processes)

$ accelerate launch --num_processes=9 --num_machines ? --mixed-precision ? --gpu_ids ? --multi_gpu x.py
env.CUDA_VISIBLE_DEVICES ? run.sh:3: computed at run time
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (run.sh:3, --multi_gpu)
fsdp = None (run.sh:3, distributed_type is MULTI_GPU)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: computed at run time
num_machines ? run.sh:3: computed at run time
trainer_devices ? run.sh:3: computed at run time
world_size = 9 (run.sh:3, --num_processes)

$ accelerate launch --cpu --num_processes 4 x.py
deepspeed_stage = 0 (run.sh:3, distributed_type is NO)
distributed_type = 'NO' (run.sh:3, --cpu)
fsdp = None (run.sh:3, distributed_type is NO)
fsdp_version = None (run.sh:3, distributed_type is NO)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
processes_per_machine = 1 (run.sh:3, one process)
use_cpu = True (run.sh:3, --cpu)
world_size = 1 (run.sh:3, one process)

$ accelerate launch --cpu --mpirun_hostfile h --num_processes 4 x.py
deepspeed_stage = 0 (run.sh:3, distributed_type is NO)
distributed_type = 'NO' (run.sh:3, --cpu)
fsdp = None (run.sh:3, distributed_type is NO)
fsdp_version = None (run.sh:3, distributed_type is NO)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
use_cpu = True (run.sh:3, --cpu)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --cpu x.py
> use_cpu: false
deepspeed_stage = 0 (run.sh:3, distributed_type is NO)
distributed_type = 'NO' (run.sh:3, --cpu)
fsdp = None (run.sh:3, distributed_type is NO)
fsdp_version = None (run.sh:3, distributed_type is NO)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
processes_per_machine = 1 (run.sh:3, one process)
use_cpu = True (run.sh:3, --cpu)
world_size = 1 (run.sh:3, one process)

$ accelerate launch --tpu x.py
deepspeed_stage = 0 (run.sh:3, distributed_type is XLA)
distributed_type = 'XLA' (run.sh:3, --tpu)
fsdp = None (run.sh:3, distributed_type is XLA)
fsdp_version = None (run.sh:3, distributed_type is XLA)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
processes_per_machine ? run.sh:3: accelerate starts one process per GPU
world_size ? run.sh:3: accelerate starts one process per GPU

$ accelerate launch --use_megatron_lm --num_processes 4 x.py
deepspeed_stage = 0 (run.sh:3, distributed_type is MEGATRON_LM)
distributed_type = 'MEGATRON_LM' (run.sh:3, --use_megatron_lm)
fsdp = None (run.sh:3, distributed_type is MEGATRON_LM)
fsdp_version = None (run.sh:3, distributed_type is MEGATRON_LM)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --multi_gpu --num_processes 0 --num_machines 0 x.py
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (run.sh:3, --multi_gpu)
fsdp = None (run.sh:3, distributed_type is MULTI_GPU)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 0 (run.sh:3, --num_machines)
world_size = 0 (run.sh:3, --num_processes)

$ accelerate launch x.py
> distributed_type: 'no'
> num_processes: 4
deepspeed_stage = 0 (c.yaml:1:1, distributed_type is NO)
distributed_type = 'NO' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is NO)
fsdp_version = None (c.yaml:1:1, distributed_type is NO)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
processes_per_machine = 1 (c.yaml:1:1, one process)
use_cpu = False (c.yaml, accelerate's default)
world_size = 1 (c.yaml:1:1, one process)

$ accelerate launch --num_processes 2 x.py
> distributed_type: MULTI_GPU
> num_processes: 4
> num_machines: 2
> mixed_precision: no
> use_cpu: true
> gpu_ids: 0, 1
env.CUDA_VISIBLE_DEVICES = '0, 1' (c.yaml:6:1, gpu_ids)
deepspeed_stage = 0 (c.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (c.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml:4:1)
num_machines = 2 (c.yaml:3:1)
processes_per_machine = 1 (run.sh:3, --num_processes)
trainer_devices = ('0', '1') (c.yaml:6:1)
use_cpu = True (c.yaml:5:1)
world_size = 2 (run.sh:3, --num_processes)

$ accelerate launch --gpu_ids ALL x.py
> distributed_type: MULTI_GPU
> num_processes: 12345678901
> gpu_ids: 0
deepspeed_stage = 0 (c.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (c.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
processes_per_machine ? run.sh:3: accelerate starts one process per GPU
use_cpu = False (c.yaml, accelerate's default)
world_size ? run.sh:3: accelerate starts one process per GPU

$ accelerate launch x.py
> distributed_type: MULTI_GPU
> num_processes: true
> gpu_ids: all
> mixed_precision: fp16
> num_machines: ' 2 '
deepspeed_stage = 0 (c.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (c.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'fp16' (c.yaml:4:1)
num_machines = 2.0 (c.yaml:5:1)
processes_per_machine ? run.sh:3: accelerate starts one process per GPU
use_cpu = False (c.yaml, accelerate's default)
world_size ? run.sh:3: accelerate starts one process per GPU

$ accelerate launch x.py
> num_processes: 4
deepspeed_accumulation_steps ? run.sh:3: computed at run time
deepspeed_stage ? run.sh:3: computed at run time
distributed_type ? run.sh:3: computed at run time
fsdp ? run.sh:3: computed at run time
fsdp_sharding ? run.sh:3: computed at run time
fsdp_version ? run.sh:3: computed at run time
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload ? run.sh:3: computed at run time
parameter_offload ? run.sh:3: computed at run time
processes_per_machine = 4 (c.yaml:1:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:1:1)

$ accelerate launch --num_processes 4 --use_deepspeed x.py
deepspeed_stage = 2 (run.sh:3, accelerate's default)
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --offload_param_device nvme --gradient_accumulation_steps 2 x.py
deepspeed_accumulation_steps = 2 (run.sh:3, --gradient_accumulation_steps)
deepspeed_stage = 3 (run.sh:3, --zero_stage)
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'cpu' (run.sh:3, --offload_optimizer_device)
parameter_offload = 'nvme' (run.sh:3, --offload_param_device)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_deepspeed --zero_stage ? --offload_optimizer_device ? --gradient_accumulation_steps ? x.py
deepspeed_accumulation_steps ? run.sh:3: computed at run time
deepspeed_stage ? run.sh:3: computed at run time
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload ? run.sh:3: computed at run time
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_deepspeed --deepspeed_config_file ds.json x.py
deepspeed_accumulation_steps ? run.sh:3: set in DeepSpeed's configuration file
deepspeed_stage ? run.sh:3: set in DeepSpeed's configuration file
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload ? run.sh:3: set in DeepSpeed's configuration file
parameter_offload ? run.sh:3: set in DeepSpeed's configuration file
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_deepspeed --deepspeed_config_file ? x.py
deepspeed_accumulation_steps ? run.sh:3: set in DeepSpeed's configuration file
deepspeed_stage ? run.sh:3: set in DeepSpeed's configuration file
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload ? run.sh:3: set in DeepSpeed's configuration file
parameter_offload ? run.sh:3: set in DeepSpeed's configuration file
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_deepspeed --deepspeed_inclusion_filter a:0 x.py
deepspeed_stage = 2 (run.sh:3, accelerate's default)
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
world_size ? run.sh:3: DeepSpeed selects the devices

$ accelerate launch --num_processes 4 --use_deepspeed --deepspeed_exclusion_filter a:0 x.py
deepspeed_stage = 2 (run.sh:3, accelerate's default)
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
world_size ? run.sh:3: DeepSpeed selects the devices

$ accelerate launch --use_deepspeed --zero_stage 1 x.py
> num_processes: 4
> distributed_type: FSDP
> deepspeed_config:
>   zero_stage: 3
>   offload_param_device: cpu
deepspeed_stage = 1 (run.sh:3, --zero_stage)
distributed_type = 'DEEPSPEED' (run.sh:3, --use_deepspeed)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'cpu' (c.yaml:5:3)
processes_per_machine = 4 (c.yaml:1:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:1:1)

$ accelerate launch x.py
> distributed_type: DEEPSPEED
> num_processes: 4
> deepspeed_config:
>   zero_stage: 3
>   gradient_accumulation_steps: 4
>   offload_optimizer_device: cpu
deepspeed_accumulation_steps = 4 (c.yaml:5:3)
deepspeed_stage = 3 (c.yaml:4:3)
distributed_type = 'DEEPSPEED' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (c.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'cpu' (c.yaml:6:3)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch x.py
> distributed_type: DEEPSPEED
> num_processes: 4
> deepspeed_config:
>   gradient_accumulation_steps: auto
>   deepspeed_config_file: ds.json
deepspeed_accumulation_steps ? run.sh:3: set in DeepSpeed's configuration file
deepspeed_stage ? run.sh:3: set in DeepSpeed's configuration file
distributed_type = 'DEEPSPEED' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (c.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload ? run.sh:3: set in DeepSpeed's configuration file
parameter_offload ? run.sh:3: set in DeepSpeed's configuration file
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch x.py
> distributed_type: DEEPSPEED
> num_processes: 4
> deepspeed_config:
>   gradient_accumulation_steps: auto
deepspeed_stage = 2 (run.sh:3, accelerate's default)
distributed_type = 'DEEPSPEED' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (c.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch x.py
> distributed_type: DEEPSPEED
> num_processes: 4
> deepspeed_config: none
deepspeed_stage = 2 (run.sh:3, accelerate's default)
distributed_type = 'DEEPSPEED' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is DEEPSPEED)
fsdp_version = None (c.yaml:1:1, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch --num_processes 4 --use_fsdp x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding = 'full' (run.sh:3, accelerate's default)
fsdp_version = 1 (run.sh:3, accelerate's default)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_version ? --fsdp_offload_params ? x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding ? run.sh:3: computed at run time
fsdp_version ? run.sh:3: computed at run time
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload ? run.sh:3: computed at run time
parameter_offload ? run.sh:3: computed at run time
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_sharding_strategy ? x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding ? run.sh:3: computed at run time
fsdp_version = 1 (run.sh:3, accelerate's default)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_sharding_strategy new x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding ? run.sh:3: new is not known
fsdp_version = 1 (run.sh:3, accelerate's default)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_version 2 --fsdp_sharding_strategy NO_SHARD x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding = 'full' (run.sh:3, accelerate's default)
fsdp_version = 2 (run.sh:3, --fsdp_version)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward TRUE --fsdp_offload_params Yes x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding = 'full' (run.sh:3, --fsdp_reshard_after_forward)
fsdp_version = 2 (run.sh:3, --fsdp_version)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
parameter_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward FULL_SHARD --fsdp_offload_params 1 x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding ? run.sh:3: FULL_SHARD is not known
fsdp_version = 2 (run.sh:3, --fsdp_version)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
parameter_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch --num_processes 4 --use_fsdp --fsdp_version 3 --fsdp_offload_params on x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding ? run.sh:3: computed at run time
fsdp_version = 3 (run.sh:3, --fsdp_version)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
parameter_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
processes_per_machine = 4 (run.sh:3, --num_processes)
world_size = 4 (run.sh:3, --num_processes)

$ accelerate launch x.py
> distributed_type: FSDP
> num_processes: 4
> fsdp_config:
>   fsdp_version: 2
>   fsdp_reshard_after_forward: false
>   fsdp_offload_params: true
deepspeed_stage = 0 (c.yaml:1:1, FSDP)
distributed_type = 'FSDP' (c.yaml:1:1)
fsdp = 'fsdp_config' (c.yaml:1:1)
fsdp_sharding = 'gradients' (c.yaml:5:3)
fsdp_version = 2 (c.yaml:4:3)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'cpu' (c.yaml:6:3)
parameter_offload = 'cpu' (c.yaml:6:3)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch x.py
> distributed_type: FSDP
> num_processes: 4
> fsdp_config:
>   version: 2
>   reshard_after_forward: true
>   offload_params: false
deepspeed_stage = 0 (c.yaml:1:1, FSDP)
distributed_type = 'FSDP' (c.yaml:1:1)
fsdp = 'fsdp_config' (c.yaml:1:1)
fsdp_sharding = 'full' (c.yaml:5:3)
fsdp_version = 2 (c.yaml:4:3)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'none' (c.yaml:6:3)
parameter_offload = 'none' (c.yaml:6:3)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch x.py
> distributed_type: FSDP
> num_processes: 4
> fsdp_config:
>   fsdp_reshard_after_forward: SHARD_GRAD_OP
>   fsdp_sharding_strategy: hybrid_shard
deepspeed_stage = 0 (c.yaml:1:1, FSDP)
distributed_type = 'FSDP' (c.yaml:1:1)
fsdp = 'fsdp_config' (c.yaml:1:1)
fsdp_sharding = 'full' (c.yaml:5:3)
fsdp_version = 1 (run.sh:3, accelerate's default)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch --fsdp_offload_params true --fsdp_version 1 x.py
> distributed_type: FSDP
> num_processes: 4
> fsdp_config:
>   fsdp_version: 2
>   offload_params: false
deepspeed_stage = 0 (c.yaml:1:1, FSDP)
distributed_type = 'FSDP' (c.yaml:1:1)
fsdp = 'fsdp_config' (c.yaml:1:1)
fsdp_sharding = 'full' (run.sh:3, accelerate's default)
fsdp_version = 1 (run.sh:3, --fsdp_version)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
optimizer_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
parameter_offload = 'cpu' (run.sh:3, --fsdp_offload_params)
processes_per_machine = 4 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 4 (c.yaml:2:1)

$ accelerate launch --num_processes ² --use_fsdp --fsdp_offload_params maybe --fsdp_sharding_strategy 5 x.py
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3, --use_fsdp)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding = 'gradients' (run.sh:3, --fsdp_sharding_strategy)
fsdp_version = 1 (run.sh:3, accelerate's default)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
optimizer_offload ? run.sh:3: maybe is not known
parameter_offload ? run.sh:3: maybe is not known
processes_per_machine ? run.sh:3: accelerate starts one process per GPU
world_size ? run.sh:3: accelerate starts one process per GPU

$ trl grpo --accelerate_config single_gpu
deepspeed_stage = 0 (run.sh:3, distributed_type is NO)
distributed_type = 'NO' (run.sh:3)
fsdp = None (run.sh:3, distributed_type is NO)
fsdp_version = None (run.sh:3, distributed_type is NO)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 1 (run.sh:3, TRL's configuration)
processes_per_machine = 1 (run.sh:3, one process)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 1 (run.sh:3, one process)

$ trl grpo --accelerate_config multi_gpu
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (run.sh:3)
fsdp = None (run.sh:3, distributed_type is MULTI_GPU)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 1 (run.sh:3, TRL's configuration)
processes_per_machine = 8 (run.sh:3, TRL's configuration)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 8 (run.sh:3, TRL's configuration)

$ trl grpo --accelerate_config zero1
deepspeed_accumulation_steps = 1 (run.sh:3, TRL's configuration)
deepspeed_stage = 1 (run.sh:3, TRL's configuration)
distributed_type = 'DEEPSPEED' (run.sh:3)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 1 (run.sh:3, TRL's configuration)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 8 (run.sh:3, TRL's configuration)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 8 (run.sh:3, TRL's configuration)

$ trl grpo --accelerate-config=zero2 --num_processes 3 --num_machines 3 --gradient_accumulation_steps 4
deepspeed_stage = 2 (run.sh:3, TRL's configuration)
distributed_type = 'DEEPSPEED' (run.sh:3)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 3 (run.sh:3, --num_machines)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 1 (run.sh:3, --num_processes)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 3 (run.sh:3, --num_processes)

$ trl grpo --accelerate_config zero3 --gpu_ids 0,1 --debug --help
env.CUDA_VISIBLE_DEVICES = '0,1' (run.sh:3, gpu_ids)
deepspeed_stage = 3 (run.sh:3, TRL's configuration)
distributed_type = 'DEEPSPEED' (run.sh:3)
fsdp = None (run.sh:3, distributed_type is DEEPSPEED)
fsdp_version = None (run.sh:3, distributed_type is DEEPSPEED)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 1 (run.sh:3, TRL's configuration)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 8 (run.sh:3, TRL's configuration)
trainer_devices = ('0', '1') (run.sh:3)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 8 (run.sh:3, TRL's configuration)

$ trl grpo --accelerate_config fsdp1
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding = 'full' (run.sh:3, accelerate's default)
fsdp_version = 1 (run.sh:3, TRL's configuration)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 1 (run.sh:3, TRL's configuration)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 8 (run.sh:3, TRL's configuration)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 8 (run.sh:3, TRL's configuration)

$ trl grpo --accelerate_config fsdp2
> num_processes: 2
deepspeed_stage = 0 (run.sh:3, FSDP)
distributed_type = 'FSDP' (run.sh:3)
fsdp = 'fsdp_config' (run.sh:3)
fsdp_sharding = 'full' (run.sh:3, accelerate's default)
fsdp_version = 2 (run.sh:3, TRL's configuration)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'bf16' (run.sh:3, TRL's configuration)
num_machines = 1 (run.sh:3, TRL's configuration)
optimizer_offload = 'none' (run.sh:3, accelerate's default)
parameter_offload = 'none' (run.sh:3, accelerate's default)
processes_per_machine = 8 (run.sh:3, TRL's configuration)
use_cpu = False (run.sh:3, TRL's configuration)
world_size = 8 (run.sh:3, TRL's configuration)

$ trl grpo --accelerate_config own.yaml
> distributed_type: MULTI_GPU
> num_processes: 2
deepspeed_stage = 0 (c.yaml:1:1, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (c.yaml:1:1)
fsdp = None (c.yaml:1:1, distributed_type is MULTI_GPU)
fsdp_version = None (c.yaml:1:1, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (c.yaml, accelerate's default)
num_machines = 1 (c.yaml, accelerate's default)
processes_per_machine = 2 (c.yaml:2:1)
use_cpu = False (c.yaml, accelerate's default)
world_size = 2 (c.yaml:2:1)

$ trl grpo --accelerate_config own.yaml --num_processes 2 --num_machines 1
deepspeed_accumulation_steps ? run.sh:3: own.yaml is not known
deepspeed_stage ? run.sh:3: own.yaml is not known
distributed_type ? run.sh:3: own.yaml is not known
fsdp ? run.sh:3: own.yaml is not known
fsdp_sharding ? run.sh:3: own.yaml is not known
fsdp_version ? run.sh:3: own.yaml is not known
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: own.yaml is not known
num_machines = 1 (run.sh:3, --num_machines)
optimizer_offload ? run.sh:3: own.yaml is not known
parameter_offload ? run.sh:3: own.yaml is not known
processes_per_machine = 2 (run.sh:3, --num_processes)
world_size = 2 (run.sh:3, --num_processes)

$ trl grpo --accelerate_config
deepspeed_accumulation_steps ? run.sh:3: ... is not known
deepspeed_stage ? run.sh:3: ... is not known
distributed_type ? run.sh:3: ... is not known
fsdp ? run.sh:3: ... is not known
fsdp_sharding ? run.sh:3: ... is not known
fsdp_version ? run.sh:3: ... is not known
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: ... is not known
num_machines ? run.sh:3: ... is not known
optimizer_offload ? run.sh:3: ... is not known
parameter_offload ? run.sh:3: ... is not known
processes_per_machine ? run.sh:3: ... is not known
world_size ? run.sh:3: ... is not known

$ trl grpo --config grpo.yaml
deepspeed_accumulation_steps ? run.sh:3: TRL's configuration file can set it
deepspeed_stage ? run.sh:3: TRL's configuration file can set it
distributed_type ? run.sh:3: TRL's configuration file can set it
fsdp ? run.sh:3: TRL's configuration file can set it
fsdp_sharding ? run.sh:3: TRL's configuration file can set it
fsdp_version ? run.sh:3: TRL's configuration file can set it
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: TRL's configuration file can set it
num_machines ? run.sh:3: TRL's configuration file can set it
optimizer_offload ? run.sh:3: TRL's configuration file can set it
parameter_offload ? run.sh:3: TRL's configuration file can set it
processes_per_machine ? run.sh:3: TRL's configuration file can set it
world_size ? run.sh:3: TRL's configuration file can set it

$ trl grpo --config grpo.yaml --multi_gpu --num_processes 2
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (run.sh:3, --multi_gpu)
fsdp = None (run.sh:3, distributed_type is MULTI_GPU)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision ? run.sh:3: TRL's configuration file can set it
num_machines ? run.sh:3: TRL's configuration file can set it
world_size = 2 (run.sh:3, --num_processes)

$ trl grpo --multi_gpu
deepspeed_stage = 0 (run.sh:3, distributed_type is MULTI_GPU)
distributed_type = 'MULTI_GPU' (run.sh:3, --multi_gpu)
fsdp = None (run.sh:3, distributed_type is MULTI_GPU)
fsdp_version = None (run.sh:3, distributed_type is MULTI_GPU)
launcher = 'accelerate' (run.sh:3)
mixed_precision = 'no' (run.sh:3, accelerate's default)
num_machines = 1 (run.sh:3, accelerate's default)
processes_per_machine ? run.sh:3: accelerate starts one process per GPU
world_size ? run.sh:3: accelerate starts one process per GPU
"""


def launched(command: str, config: str = "", *, is_only: bool = True) -> Facts:
    words = tuple(map(word, command.split()))
    started = read_started(words)
    assert started is not None
    document = parse_document("c.yaml", config) if config else None
    return launch_facts(started, Invocation(words, Place("run.sh", 3)), accelerate=document, defaults_known=is_only)


@pytest.mark.parametrize(("command", "config", "facts"), examples(LAUNCHES))
def test_a_command_and_its_configuration_determine_the_facts(command: str, config: str, facts: list[str]) -> None:
    assert told(launched(command, config)) == facts


def test_a_default_configuration_that_is_not_known_can_set_everything() -> None:
    names = (
        "deepspeed_accumulation_steps deepspeed_stage distributed_type fsdp fsdp_sharding fsdp_version launcher "
        "mixed_precision num_machines optimizer_offload parameter_offload processes_per_machine world_size"
    )
    why = "run.sh:3: accelerate's default configuration file may set it"
    expected = [
        "launcher = 'accelerate' (run.sh:3)" if name == "launcher" else f"{name} ? {why}" for name in names.split()
    ]
    assert told(launched("accelerate launch x.py", is_only=False)) == expected
    assert told(launched("trl grpo --accelerate_config zero1", is_only=False)) == told(
        launched("trl grpo --accelerate_config zero1")
    )
    assert told(launched("accelerate launch --cpu x.py", is_only=False)) == told(
        launched("accelerate launch --cpu x.py")
    )


@pytest.mark.parametrize(
    ("strategy", "sharding"),
    [
        ("FULL_SHARD", "full"),
        ("1", "full"),
        ("shard_grad_op", "gradients"),
        ("2", "gradients"),
        ("No_Shard", "none"),
        ("3", "none"),
        ("HYBRID_SHARD", "full"),
        ("4", "full"),
        ("HYBRID_SHARD_ZERO2", "gradients"),
        ("5", "gradients"),
        ("6", None),
        ("0", None),
    ],
)
def test_fsdp_1_shards_by_its_strategy(strategy: str, sharding: str | None) -> None:
    read = launched(f"accelerate launch --use_fsdp --fsdp_sharding_strategy {strategy} x.py")
    assert read.value("plan.fsdp_sharding") == sharding
    assert (read.get("plan.fsdp_sharding") is None) is (sharding is None)


@pytest.mark.parametrize("word", "y yes Yes t true TRUE on 1 n no f false False off 0 maybe".split())
def test_flags_are_words_that_accelerate_takes(word: str) -> None:
    options = f"--fsdp_version 2 --fsdp_reshard_after_forward {word} --fsdp_offload_params {word}"
    read = launched(f"accelerate launch --use_fsdp {options} x.py")
    is_true = word.lower() in ("y", "yes", "t", "true", "on", "1")
    expected = ("full", "cpu", "cpu") if is_true else ("gradients", "none", "none")
    names = ("plan.fsdp_sharding", "plan.parameter_offload", "plan.optimizer_offload")
    assert tuple(map(read.value, names)) == ((None, None, None) if word == "maybe" else expected)
