"""TRL's configuration files."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.configurations.trl_config import read_trl_config
from vcompat.sources.reading.document import parse_document

FILES = r"""
> num_generations: 4
num_generations = 4 (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- num_generations = 4 by file at grpo.yaml:1:1
takes_defaults
configuration yaml at grpo.yaml

> use_vllm: true
> vllm_mode: colocate
> model_name_or_path: a/b
> torch_dtype: float16
> lora_modules_to_save: [a, b]
> modules_to_save: [c]
> deepspeed: ds.json
> new_name: 2020-01-01
> reward_funcs: [a]
> dataset: {a: 1}
deepspeed = 'ds.json' (grpo.yaml:7:1)
dtype = 'float16' (grpo.yaml:4:1)
model = 'a/b' (grpo.yaml:3:1)
modules_to_save = ('a', 'b') (grpo.yaml:5:1)
use_vllm = True (grpo.yaml:1:1)
vllm_mode = 'colocate' (grpo.yaml:2:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_vllm = True by file at grpo.yaml:1:1
- vllm_mode = 'colocate' by file at grpo.yaml:2:1
- model_name_or_path = 'a/b' by file at grpo.yaml:3:1
- torch_dtype = 'float16' by file at grpo.yaml:4:1
- lora_modules_to_save = COMPUTED by file at grpo.yaml:5:1
- modules_to_save = COMPUTED by file at grpo.yaml:6:1
- deepspeed = 'ds.json' by file at grpo.yaml:7:1
- new_name = '2020-01-01' by file at grpo.yaml:8:1
- reward_funcs = COMPUTED by file at grpo.yaml:9:1
- dataset = COMPUTED by file at grpo.yaml:10:1
takes_defaults
names ds.json (deepspeed) at grpo.yaml:7:1
configuration yaml at grpo.yaml

> deepspeed: {zero_optimization: {stage: 1}}
> beta: high
> use_vllm: 1
> launcher: torchrun
beta ? grpo.yaml:2:1: plan.beta is 'high'; expected a number
use_vllm ? grpo.yaml:3:1: plan.use_vllm is 1; expected a flag
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- deepspeed = COMPUTED by file at grpo.yaml:1:1
- beta = 'high' by file at grpo.yaml:2:1
- use_vllm = 1 by file at grpo.yaml:3:1
- launcher = 'torchrun' by file at grpo.yaml:4:1
takes_defaults
configuration yaml at grpo.yaml

> model_init_kwargs:
>   dtype: bfloat16
>   torch_dtype: float16
dtype = 'bfloat16' (grpo.yaml:2:3)
init_torch_dtype = 'float16' (grpo.yaml:3:3)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- model_init_kwargs = COMPUTED by file at grpo.yaml:1:1
takes_defaults
configuration yaml at grpo.yaml

> model_init_kwargs:
>   dtype: 1
>   torch_dtype: 2
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- model_init_kwargs = COMPUTED by file at grpo.yaml:1:1
takes_defaults
configuration yaml at grpo.yaml

> load_in_4bit: true
> load_in_8bit: false
loaded_in_bits = 4 (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- load_in_4bit = True by file at grpo.yaml:1:1
- load_in_8bit = False by file at grpo.yaml:2:1
takes_defaults
configuration yaml at grpo.yaml

> load_in_8bit: true
> load_in_4bit: false
loaded_in_bits = 8 (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- load_in_8bit = True by file at grpo.yaml:1:1
- load_in_4bit = False by file at grpo.yaml:2:1
takes_defaults
configuration yaml at grpo.yaml

> load_in_8bit: 'true'
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- load_in_8bit = 'true' by file at grpo.yaml:1:1
takes_defaults
configuration yaml at grpo.yaml

> use_peft: true
lora_dropout = 0.05 (grpo.yaml)
lora_rank = 16 (grpo.yaml)
lora_targets = () (grpo.yaml)
peft = True (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_peft = True by file at grpo.yaml:1:1
takes_defaults
configuration yaml at grpo.yaml

> use_peft: true
> lora_r: 4
> lora_target_modules: [q]
lora_dropout = 0.05 (grpo.yaml)
lora_rank = 4 (grpo.yaml:2:1)
lora_targets = ('q',) (grpo.yaml:3:1)
peft = True (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_peft = True by file at grpo.yaml:1:1
- lora_r = 4 by file at grpo.yaml:2:1
- lora_target_modules = COMPUTED by file at grpo.yaml:3:1
takes_defaults
configuration yaml at grpo.yaml

> use_peft: true
> lora_r: four
> lora_target_modules: all-linear
lora_dropout = 0.05 (grpo.yaml)
lora_rank ? grpo.yaml:2:1: plan.lora_rank is 'four'; expected a number
lora_targets = ('all-linear',) (grpo.yaml:3:1)
peft = True (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_peft = True by file at grpo.yaml:1:1
- lora_r = 'four' by file at grpo.yaml:2:1
- lora_target_modules = 'all-linear' by file at grpo.yaml:3:1
takes_defaults
configuration yaml at grpo.yaml

> use_peft: false
> lora_r: 4
> lora_target_modules: [q]
peft = False (grpo.yaml:1:1)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_peft = False by file at grpo.yaml:1:1
- lora_r = 4 by file at grpo.yaml:2:1
- lora_target_modules = COMPUTED by file at grpo.yaml:3:1
takes_defaults
configuration yaml at grpo.yaml

> use_peft: 'yes'
> lora_r: 4
peft ? grpo.yaml:1:1: plan.peft is 'yes'; expected a flag
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
- use_peft = 'yes' by file at grpo.yaml:1:1
- lora_r = 4 by file at grpo.yaml:2:1
takes_defaults
configuration yaml at grpo.yaml

> env:
>   VLLM_USE_V1: 0
>   NCCL_DEBUG: INFO
>   NCCL_X: 1.5
>   NCCL_Y: true
>   NCCL_Z:
>   NCCL_L: [1]
>   OTHER: 1
>   XNCCL_DEBUG: 1
env.NCCL_DEBUG = 'INFO' (grpo.yaml:3:3)
env.NCCL_X = '1.5' (grpo.yaml:4:3)
env.NCCL_Y = 'True' (grpo.yaml:5:3)
env.VLLM_USE_V1 = '0' (grpo.yaml:2:3)
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
takes_defaults
configuration yaml at grpo.yaml

> env: VLLM_USE_V1=0
trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.yaml: has_others
takes_defaults
configuration yaml at grpo.yaml
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(FILES)])
def test_a_file_states_settings_of_the_trainer_the_model_and_the_environment(text: str, expected: list[str]) -> None:
    assert told_part(read_trl_config(parse_document("dir/grpo.yaml", text))) == expected


def test_a_file_in_toml_is_read_like_one_in_yaml() -> None:
    text = 'use_vllm = true\n[env]\nVLLM_USE_V1 = "1"'
    assert told_part(read_trl_config(parse_document("dir/grpo.toml", text))) == [
        "env.VLLM_USE_V1 = '1' (grpo.toml:3:1)",
        "use_vllm = True (grpo.toml:1:1)",
        "trl.GRPOConfig trl.ModelConfig trl.ScriptArguments at grpo.toml: has_others",
        "- use_vllm = True by file at grpo.toml:1:1",
        "takes_defaults",
        "configuration toml at grpo.toml",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("gradient_checkpointing: true\nactivation_checkpointing: false\n", False),
        ("activation_checkpointing: false\ngradient_checkpointing: true\n", False),
        ("activation_checkpointing: true\n", True),
        ("gradient_checkpointing: true\nactivation_checkpointing: null\n", True),
    ],
)
def test_activation_checkpointing_counts_instead_of_its_former_name_if_it_has_a_value(text: str, value: bool) -> None:
    assert read_trl_config(parse_document("grpo.yaml", text)).facts.value("plan.gradient_checkpointing") is value
