"""What scripts state that load their model with unsloth."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.scripts.script import read_source

SCRIPTS = r"""
> from unsloth import FastLanguageModel
> from trl import GRPOConfig, GRPOTrainer
> rank, modules = 32, ['q_proj', 'v_proj']
> model, tokenizer = FastLanguageModel.from_pretrained(model_name='a/b', max_seq_length=2048, load_in_4bit=False,
>     fast_inference=True, max_lora_rank=rank, gpu_memory_utilization=0.9)
> model = FastLanguageModel.get_peft_model(model, r=rank, target_modules=modules, lora_alpha=64)
> args = GRPOConfig(num_generations=4)
> trainer = GRPOTrainer(model=model, processing_class=tokenizer, args=args, reward_funcs=len)
env ? x.py: FastLanguageModel of unsloth may change it at no position
configuration = 'GRPOConfig' (x.py:7:8)
dtype ? x.py:4:20: unsloth chooses it by the GPU and the model
engine_lora = True (x.py:5:20)
fast_inference = True (x.py:5:20)
framework = 'unsloth' (x.py:1:1)
gpu_memory_utilization = 0.9 (x.py:5:69)
loaded_in_bits = None (x.py:4:106)
lora_options = () (x.py:6:9)
lora_rank = 32 (x.py:6:51)
lora_targets = ('q_proj', 'v_proj') (x.py:6:72)
max_lora_rank = 32 (x.py:5:40)
max_seq_length = 2048 (x.py:4:87)
model = 'a/b' (x.py:4:65)
model_by_name = False (x.py:8:29)
modules_to_save = () (x.py:6:9)
num_generations = 4 (x.py:7:35)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:6:9)
reward_kinds ? x.py:8:88: a reward function is not known
trainer = 'GRPOTrainer' (x.py:8:11)
takes_defaults
configuration python GRPOConfig at x.py:7:8

> from unsloth import FastModel
> from trl import GRPOTrainer
> model, tokenizer = FastModel.from_pretrained('a/b')
> GRPOTrainer(model=FastModel.get_peft_model(model), args=None)
env ? x.py: FastModel of unsloth may change it at no position
dtype ? x.py:3:20: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:3:20)
finetune_vision_layers = True (x.py:4:19)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits = 4 (x.py:3:20)
lora_options = () (x.py:4:19)
lora_rank = 16 (x.py:4:19)
model = 'a/b' (x.py:3:46)
model_by_name = False (x.py:4:19)
modules_to_save = () (x.py:4:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:4:19)
trainer = 'GRPOTrainer' (x.py:4:1)

> from unsloth import FastVisionModel
> model, processor = FastVisionModel.from_pretrained('a/b', 4096, None, False, load_in_8bit=True, full_finetuning=False)
> GRPOTrainer(model=model, peft_config=LoraConfig(r=4))
env ? x.py: FastVisionModel of unsloth may change it at no position
dtype ? x.py:2:20: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:20)
framework = 'unsloth' (x.py:1:1)
full_finetuning = False (x.py:2:113)
loaded_in_bits = 8 (x.py:2:71)
lora_dropout = 0.0 (x.py:3:38)
lora_rank = 4 (x.py:3:51)
lora_targets = () (x.py:3:38)
max_seq_length = 4096 (x.py:2:59)
model = 'a/b' (x.py:2:52)
model_by_name = False (x.py:3:19)
modules_to_save = () (x.py:3:38)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:3:38)
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastModel
> model, _ = FastModel.from_pretrained('a/b', load_in_4bit=True, full_finetuning=True)
> model = FastModel.get_peft_model(model)
> GRPOTrainer(model=model)
env ? x.py: FastModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:12)
framework = 'unsloth' (x.py:1:1)
full_finetuning = True (x.py:2:80)
loaded_in_bits ? x.py:2:58: other settings may decide how the model is loaded; it may be 4
model = 'a/b' (x.py:2:38)
model_by_name = False (x.py:4:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py:2:80)
trainer = 'GRPOTrainer' (x.py:4:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/B-bnb-4bit', dtype='float16')
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:12)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits = 4 (x.py:2:12)
model = 'a/B-bnb-4bit' (x.py:2:46)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/B-bnb-4bit', load_in_4bit=False)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:12)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:2:75: the name of the model may decide it
model = 'a/B-bnb-4bit' (x.py:2:46)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/b', load_in_4bit=True, load_in_8bit=True)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:12)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:2:66: load_in_4bit and load_in_8bit exclude each other; it may be 4
model = 'a/b' (x.py:2:46)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/b', load_in_fp8=True, fast_inference=True)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
engine_lora = True (x.py:2:86)
fast_inference = True (x.py:2:86)
framework = 'unsloth' (x.py:1:1)
gpu_memory_utilization = 0.5 (x.py:2:12)
loaded_in_bits ? x.py:2:12: other settings may decide how the model is loaded; it may be 4
model = 'a/b' (x.py:2:46)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/Vision', **settings())
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference ? x.py:2:12: computed at run time; it may be False
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:2:12: other settings may decide how the model is loaded
model = 'a/Vision' (x.py:2:46)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained(max_seq_length=512, fast_inference=True)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
engine_lora = True (x.py:2:81)
fast_inference = True (x.py:2:81)
framework = 'unsloth' (x.py:1:1)
gpu_memory_utilization = 0.5 (x.py:2:12)
loaded_in_bits ? x.py:2:12: the name of the model may decide it; it may be 4
max_seq_length = 512 (x.py:2:61)
model ? x.py:2:12: no name is given
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/Vision', 512, None, True, 'token', fast_inference=True)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = True (x.py:2:99)
framework = 'unsloth' (x.py:1:1)
gpu_memory_utilization ? x.py:2:12: positional arguments are given; it may be 0.5
loaded_in_bits ? x.py:2:69: other settings may decide how the model is loaded; it may be 4
max_seq_length = 512 (x.py:2:58)
model = 'a/Vision' (x.py:2:46)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel
> name = 'a/b' if small() else 'a/c'
> model, _ = FastLanguageModel.from_pretrained(name)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:3:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:3:12)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:3:12: the name of the model may decide it; it may be 4
model ? x.py:3:46: depends on a condition; it may be 'a/b' or 'a/c'
model_by_name = False (x.py:4:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:4:1)

> from unsloth import FastLanguageModel
> if small():
>     model, _ = FastLanguageModel.from_pretrained('a/b')
> else:
>     model, _ = FastLanguageModel.from_pretrained('a/b')
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
device_map ? x.py:6:19: the script may state a device_map while loading the model
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:6:19: the script may quantize the model while loading it
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:6:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/b')
> model = prepared(model)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel of unsloth may change it at no position
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:4:19: the script may quantize the model while loading it
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:4:1)

> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/b')
> model = FastLanguageModel.get_peft_model(other(), r=8)
> GRPOTrainer(model=model)
env ? x.py: FastLanguageModel.get_peft_model() may change it at no position
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:4:19: the script may quantize the model while loading it
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:4:1)

> from trl import GRPOConfig, GRPOTrainer
> from unsloth import FastLanguageModel
> model, _ = FastLanguageModel.from_pretrained('a/b')
> GRPOTrainer(model=model, args=GRPOConfig())
env ? x.py: FastLanguageModel of unsloth may change it at no position
configuration = 'GRPOConfig' (x.py:4:31)
dtype ? x.py:3:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:3:12)
framework ? x.py:2:1: trl is imported before unsloth, which replaces its classes; it may be 'trl' or 'unsloth'
loaded_in_bits = 4 (x.py:3:12)
model = 'a/b' (x.py:3:46)
model_by_name = False (x.py:4:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:4:1)
trl_before_unsloth = True (x.py:2:1)
takes_defaults
configuration python GRPOConfig at x.py:4:31

> import os
> from unsloth import FastLanguageModel
> os.environ['UNSLOTH_VLLM_STANDBY'] = '1'
> model, tokenizer = FastLanguageModel.from_pretrained('a/b', fast_inference=True)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:4:20: unsloth chooses it by the GPU and the model
engine_lora = True (x.py:4:76)
fast_inference = True (x.py:4:76)
framework = 'unsloth' (x.py:2:1)
gpu_memory_utilization = 0.5 (x.py:4:20)
loaded_in_bits = 4 (x.py:4:20)
model = 'a/b' (x.py:4:54)
patched = () (x.py does not call vcompat.patch()) at no position
standby = True (x.py:3:38)
standby_at_import = False (x.py:2:1)
does not train

> import os
> os.environ['UNSLOTH_VLLM_STANDBY'] = '0' if faster() else '1'
> from unsloth import FastLanguageModel
> model, tokenizer = FastLanguageModel.from_pretrained('a/b', fast_inference=True)
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:4:20: unsloth chooses it by the GPU and the model
engine_lora = True (x.py:4:76)
fast_inference = True (x.py:4:76)
framework = 'unsloth' (x.py:3:1)
gpu_memory_utilization = 0.5 (x.py:4:20)
loaded_in_bits = 4 (x.py:4:20)
model = 'a/b' (x.py:4:54)
patched = () (x.py does not call vcompat.patch()) at no position
standby ? x.py:2:38: UNSLOTH_VLLM_STANDBY is not known
standby_at_import ? x.py:2:38: UNSLOTH_VLLM_STANDBY is not known
does not train

> from unsloth import FastLanguageModel
> model, tokenizer = FastLanguageModel.from_pretrained('a/b', full_finetuning=True)
> if tokenizer.pad_token is None:
>     tokenizer.pad_token = tokenizer.eos_token
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:20: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:20)
framework = 'unsloth' (x.py:1:1)
full_finetuning = True (x.py:2:77)
loaded_in_bits ? x.py:2:20: other settings may decide how the model is loaded; it may be 4
model = 'a/b' (x.py:2:54)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py:2:77)
does not train

> from unsloth import FastLanguageModel
> model, tokenizer = FastLanguageModel.from_pretrained('a/b')
> tokenizer.pad_token_id = tokenizer.eos_token_id
env ? x.py: FastLanguageModel of unsloth may change it at no position
dtype ? x.py:2:20: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:20)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits = 4 (x.py:2:20)
model = 'a/b' (x.py:2:54)
pads_with_eos = True (x.py:3:1)
patched = () (x.py does not call vcompat.patch()) at no position
does not train

> if faster():
>     import unsloth
> GRPOTrainer(model='a/b')
framework ? x.py:2:5: depends on a condition; it may be 'trl' or 'unsloth'
loaded_in_bits ? x.py:3:19: the script may quantize the model while loading it
model = 'a/b' (x.py:3:19)
model_by_name = True (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> from unsloth import FastLanguageModel, is_bfloat16_supported
> model, _ = FastLanguageModel.from_pretrained('a/b')
> model = FastLanguageModel.get_peft_model(model, target_modules='all-linear', modules_to_save=['lm_head'], lora_dropout=0.1)
> c = GRPOConfig(beta=0.1)
> t = GRPOTrainer(model=model, args=c)
> t.train()
> FastLanguageModel.for_inference(model)
> c.beta = 0.2
> model, _ = FastLanguageModel.from_pretrained('lora_model')
env ? x.py: FastLanguageModel of unsloth may change it at no position
beta = 0.1 (x.py:4:21)
configuration = 'GRPOConfig' (x.py:4:5)
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:12)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits = 4 (x.py:2:12)
lora_dropout = 0.1 (x.py:3:120)
lora_options = () (x.py:3:9)
lora_rank = 16 (x.py:3:9)
lora_targets = ('all-linear',) (x.py:3:64)
model = 'a/b' (x.py:2:46)
model_by_name = False (x.py:5:23)
modules_to_save = ('lm_head',) (x.py:3:94)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:3:9)
resumes_checkpoint = False (x.py:6:1)
trainer = 'GRPOTrainer' (x.py:5:5)
takes_defaults
configuration python GRPOConfig at x.py:4:5

> from unsloth import FastModel
> model, _ = FastModel.from_pretrained(None, fast_inference=False)
> GRPOTrainer(model=model)
env ? x.py: FastModel of unsloth may change it at no position
dtype ? x.py:2:12: unsloth chooses it by the GPU and the model
fast_inference = False (x.py:2:59)
framework = 'unsloth' (x.py:1:1)
loaded_in_bits ? x.py:2:12: the name of the model may decide it; it may be 4
model ? x.py:2:12: no name is given
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:3:1)
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(SCRIPTS)])
def test_a_script_states_what_unsloth_makes_of_the_model(text: str, expected: list[str]) -> None:
    assert told_part(read_source("dir/x.py", text.encode())) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("load_in_4bit=False, load_in_16bit=True", "loaded_in_bits = None (x.py:2:58)"),
        ("load_in_4bit=False, full_finetuning=True", "loaded_in_bits = None (x.py:2:58)"),
        ("load_in_4bit=False, load_in_fp8=True", "loaded_in_bits ? x.py:2:58: other settings may decide"),
        ("load_in_16bit=True", "loaded_in_bits ? x.py:2:12: other settings may decide"),
    ],
)
def test_whole_weights_are_loaded_where_nothing_asks_for_another_number_of_bits(options: str, expected: str) -> None:
    code = f"from unsloth import FastModel\nmodel, _ = FastModel.from_pretrained('a/b', {options})\nGRPOTrainer(model=model)\n"
    told = told_part(read_source("dir/x.py", code.encode()))
    assert any(line.startswith(expected) for line in told), told
