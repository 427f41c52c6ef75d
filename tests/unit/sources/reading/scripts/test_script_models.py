"""Models and the nested settings of scripts, and all that is stated."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.scripts.script import read_source

SCRIPTS = r"""
> import torch
> from peft import AutoPeftModelForCausalLM
> model = AutoPeftModelForCausalLM.from_pretrained('out/sft', torch_dtype=torch.bfloat16, attn_implementation='sdpa')
> GRPOTrainer(model)
attn_implementation = 'sdpa' (x.py:3:109)
device_map ? x.py:4:13: the script may state a device_map while loading the model
dtype = 'bfloat16' (x.py:3:73)
loaded_in_bits = None (x.py:4:13)
model_by_name = False (x.py:4:13)
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:3:9 loads an adapter, which may be merged into the model at no position
trainer = 'GRPOTrainer' (x.py:4:1)

> from transformers import AutoModelForCausalLM
> model = AutoModelForCausalLM.from_pretrained('a/b', dtype='float16')
> other = AutoModelForCausalLM.from_pretrained(model.config._name_or_path, dtype='float32')
> LLM(model=model.name_or_path)
> GRPOTrainer(model)
device_map = None (x.py:5:13)
distributed_executor_backend = None (x.py:4:1)
dtype = 'float16' (x.py:2:59)
enable_chunked_prefill = None (x.py:4:1)
enable_prefix_caching = None (x.py:4:1)
enable_sleep_mode = False (x.py:4:1)
engine_dtype = 'auto' (x.py:4:1)
kv_cache_dtype = None (x.py:4:1)
llm_seed = None (x.py:4:1)
loaded_in_bits = None (x.py:5:13)
model = 'a/b' (x.py:2:46)
model_by_name = False (x.py:5:13)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
speculative_config = False (x.py:4:1)
tensor_parallel_size = 1 (x.py:4:1)
trainer = 'GRPOTrainer' (x.py:5:1)
use_vllm ? x.py:4:1: the script makes an engine of its own; it may be True

> from transformers import AutoModelForCausalLM
> model = AutoModelForCausalLM.from_pretrained('a/b')
> model.config._name_or_path = name()
> LLM(model=model.config._name_or_path)
> GRPOTrainer(model)
device_map = None (x.py:5:13)
distributed_executor_backend = None (x.py:4:1)
enable_chunked_prefill = None (x.py:4:1)
enable_prefix_caching = None (x.py:4:1)
enable_sleep_mode = False (x.py:4:1)
engine_dtype = 'auto' (x.py:4:1)
kv_cache_dtype = None (x.py:4:1)
llm_seed = None (x.py:4:1)
loaded_in_bits = None (x.py:5:13)
model ? x.py:4:11: loaded by from_pretrained
model_by_name = False (x.py:5:13)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
speculative_config = False (x.py:4:1)
tensor_parallel_size = 1 (x.py:4:1)
trainer = 'GRPOTrainer' (x.py:5:1)
use_vllm ? x.py:4:1: the script makes an engine of its own; it may be True

> from transformers import AutoModelForCausalLM
> if x:
>     model = AutoModelForCausalLM.from_pretrained('a/b', dtype='float16')
> else:
>     model = AutoModelForCausalLM.from_pretrained('a/b', dtype='float32')
> GRPOTrainer(model)
device_map = None (x.py:6:13)
dtype ? x.py:5:63: depends on a condition; it may be 'float16' or 'float32'
loaded_in_bits = None (x.py:6:13)
model = 'a/b' (x.py:5:50)
model_by_name = False (x.py:6:13)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:6:1)

> from elsewhere import AutoModelForCausalLM
> LLM(model=AutoModelForCausalLM.from_pretrained('a/b').name_or_path)
distributed_executor_backend = None (x.py:2:1)
enable_chunked_prefill = None (x.py:2:1)
enable_prefix_caching = None (x.py:2:1)
enable_sleep_mode = False (x.py:2:1)
engine_dtype = 'auto' (x.py:2:1)
kv_cache_dtype = None (x.py:2:1)
llm_seed = None (x.py:2:1)
model ? x.py:2:11: computed at run time
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:2:1)
tensor_parallel_size = 1 (x.py:2:1)

> from transformers import AutoModelForCausalLM
> from peft import PeftModel, LoraConfig, get_peft_model
> model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained('a/b', load_in_8bit=True), 'c')
> GRPOTrainer(get_peft_model(model, LoraConfig()))
device_map = None (x.py:4:13)
loaded_in_bits = 8 (x.py:4:13)
lora_dropout = 0.0 (x.py:4:35)
lora_rank = 8 (x.py:4:35)
lora_targets = () (x.py:4:35)
model = 'a/b' (x.py:3:72)
model_by_name = False (x.py:4:13)
modules_to_save = () (x.py:4:35)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:4:35)
trainer = 'GRPOTrainer' (x.py:4:1)
peft.LoraConfig at x.py:4:35: is_complete

> class Mine(GRPOTrainer):
>     def __init__(self, model):
>         super(GRPOTrainer, self).__init__(model)
> Mine('a/b')
loaded_in_bits = None (x.py:3:43)
model = 'a/b' (x.py:3:43)
model_by_name = True (x.py:3:43)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer ? x.py:3:9: extends GRPOTrainer and skips its constructor; it may be 'GRPOTrainer'

> class Mine(GRPOTrainer):
>     def __init__(self, model):
>         Trainer.__init__(self, model)
> Mine('a/b')
loaded_in_bits = None (x.py:3:32)
model = 'a/b' (x.py:3:32)
model_by_name = True (x.py:3:32)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer ? x.py:3:9: extends GRPOTrainer and skips its constructor; it may be 'GRPOTrainer'

> class Mine(GRPOTrainer):
>     def __init__(self, model):
>         GRPOTrainer.__init__(self, model)
> Mine('a/b')
loaded_in_bits = None (x.py:3:36)
model = 'a/b' (x.py:3:36)
model_by_name = True (x.py:3:36)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:3:9)

> GRPOConfig(model_init_kwargs={'dtype': 'bfloat16', 'torch_dtype': torch.float16})
configuration = 'GRPOConfig' (x.py:1:1)
dtype = 'bfloat16' (x.py:1:40)
init_torch_dtype = 'float16' (x.py:1:67)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(model_init_kwargs=None)
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(model_init_kwargs=load())
configuration = 'GRPOConfig' (x.py:1:1)
dtype ? x.py:1:30: in model_init_kwargs
init_torch_dtype ? x.py:1:30: in model_init_kwargs
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(model_init_kwargs=dict(a=1, **kw))
configuration = 'GRPOConfig' (x.py:1:1)
dtype ? x.py:1:30: computed at run time
init_torch_dtype ? x.py:1:30: computed at run time
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(model_init_kwargs=5)
configuration = 'GRPOConfig' (x.py:1:1)
dtype ? x.py:1:30: in model_init_kwargs
init_torch_dtype ? x.py:1:30: in model_init_kwargs
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(deepspeed='ds.json')
configuration = 'GRPOConfig' (x.py:1:1)
deepspeed = 'ds.json' (x.py:1:22)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
names ds.json (deepspeed) at x.py:1:22
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(deepspeed=None)
configuration = 'GRPOConfig' (x.py:1:1)
deepspeed = None (x.py:1:22)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(deepspeed={'zero_optimization': {'stage': 2}})
configuration = 'GRPOConfig' (x.py:1:1)
deepspeed_auto = () (x.py:1:22)
deepspeed_bf16 = False (x.py:1:22, DeepSpeed's default)
deepspeed_fp16 = False (x.py:1:22, DeepSpeed's default)
deepspeed_gradient_clipping = None (x.py:1:22, not in the file)
deepspeed_stage = 2 (x.py:1:22)
optimizer_offload = 'none' (x.py:1:22)
parameter_offload = 'none' (x.py:1:22)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(deepspeed=load())
configuration = 'GRPOConfig' (x.py:1:1)
deepspeed ? x.py:1:22: computed at run time
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> def main():
>     GRPOConfig(deepspeed={'zero_optimization': {'stage': 2}})
configuration ? x.py:2:5: in a function that the script does not call; it may be 'GRPOConfig'
deepspeed ? x.py:2:26: in a function that the script does not call; it may be {'zero_optimization': {'stage': 2}}
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:2:5: in a function that the script does not call
configuration python GRPOConfig at x.py:2:5

> def main():
>     GRPOConfig(deepspeed='ds.json')
configuration ? x.py:2:5: in a function that the script does not call; it may be 'GRPOConfig'
deepspeed ? x.py:2:26: in a function that the script does not call; it may be 'ds.json'
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:2:5: in a function that the script does not call
names ds.json (deepspeed) at x.py:2:26
configuration python GRPOConfig at x.py:2:5

> GRPOConfig(deepspeed='a.json' if x else 'b.json')
configuration = 'GRPOConfig' (x.py:1:1)
deepspeed ? x.py:1:22: depends on a condition; it may be 'a.json' or 'b.json'
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:1

> m = 'a/b' if x else 'c/d'
> GRPOTrainer(model=m)
loaded_in_bits = None (x.py:2:19)
model ? x.py:2:19: depends on a condition; it may be 'a/b' or 'c/d'
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> m = AutoModelForCausalLM.from_pretrained('a/b', dtype='bfloat16')
> GRPOTrainer(model=m)
device_map = None (x.py:2:19)
dtype = 'bfloat16' (x.py:1:55)
loaded_in_bits = None (x.py:2:19)
model = 'a/b' (x.py:1:42)
model_by_name = False (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> m = AutoModelForCausalLM.from_pretrained('a/b', torch_dtype=torch.float16, load_in_4bit=True)
> GRPOTrainer(model=m)
device_map = None (x.py:2:19)
dtype = 'float16' (x.py:1:61)
loaded_in_bits = 4 (x.py:2:19)
model = 'a/b' (x.py:1:42)
model_by_name = False (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> r = AutoModelForSequenceClassification.from_pretrained('r', dtype='float16')
> m = AutoLigerKernelForCausalLM.from_pretrained('a/b', dtype=d)
> GRPOTrainer(model=m)
device_map ? x.py:3:19: the script may state a device_map while loading the model
dtype ? x.py:2:61: computed at run time
loaded_in_bits = None (x.py:3:19)
model = 'a/b' (x.py:2:48)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:3:1)

> r = AutoModelForTokenClassification.from_pretrained('r', dtype='float16')
> AutoTokenizer.from_pretrained('a/b')
patched = () (x.py does not call vcompat.patch()) at no position
does not train

> r = AutoModelForCausalLM.from_pretrained('r', dtype='float16')
> GRPOTrainer(model='a/b')
loaded_in_bits = None (x.py:2:19)
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> def main():
>     m = AutoModelForCausalLM.from_pretrained('a/b', dtype='float16')
>     GRPOTrainer(model=m)
device_map ? x.py:3:23: the script may state a device_map while loading the model
dtype ? x.py:2:59: in a function that the script does not call; it may be 'float16'
loaded_in_bits ? x.py:3:23: in a function that the script does not call; it may be None
model ? x.py:2:46: in a function that the script does not call; it may be 'a/b'
model_by_name ? x.py:3:23: in a function that the script does not call; it may be False
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer ? x.py:3:5: in a function that the script does not call; it may be 'GRPOTrainer'

> def main():
>     GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:23: in a function that the script does not call; it may be None
model ? x.py:2:23: in a function that the script does not call; it may be 'a/b'
model_by_name ? x.py:2:23: in a function that the script does not call; it may be True
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer ? x.py:2:5: in a function that the script does not call; it may be 'GRPOTrainer'

> if x:
>     m = AutoModelForCausalLM.from_pretrained('a/b', dtype='float16')
dtype ? x.py:2:59: depends on a condition; it may be 'float16'
model ? x.py:2:46: depends on a condition; it may be 'a/b'
patched = () (x.py does not call vcompat.patch()) at no position
does not train

> GRPOTrainer('a/b')
> GRPOTrainer('c/d')
loaded_in_bits = None (x.py:2:13)
model ? x.py:2:13 and x.py:1:13 set different values; it may be a/b or c/d at x.py:2:13
model_by_name = True (x.py:2:13)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> q = BitsAndBytesConfig(load_in_4bit=True)
> GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # quantization_config
> GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # LOAD_IN_
> GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # BitsAndBytes
> GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # quantize
> GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # bnb
> GRPOTrainer(model='a/b')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # quant
> GRPOTrainer(model='a/b')
loaded_in_bits = None (x.py:2:19)
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> r = AutoModelForSequenceClassification.from_pretrained('r')
> t = AutoTokenizer.from_pretrained('t')
> r = AutoModelForTokenClassification.from_pretrained('r')
> GRPOConfig()
> m = AutoModelForCausalLM.from_pretrained('a/b', dtype='float16')
> GRPOTrainer(model=m)
configuration = 'GRPOConfig' (x.py:4:1)
device_map = None (x.py:6:19)
dtype = 'float16' (x.py:5:55)
loaded_in_bits = None (x.py:6:19)
model = 'a/b' (x.py:5:42)
model_by_name = False (x.py:6:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:6:1)
takes_defaults
configuration python GRPOConfig at x.py:4:1

> t = AutoModel.from_pretrained('t')
> m = AutoModelForCausalLM.from_pretrained('a/b', dtype='float16')
> GRPOTrainer(model=m)
device_map = None (x.py:3:19)
dtype = 'float16' (x.py:2:55)
loaded_in_bits = None (x.py:3:19)
model = 'a/b' (x.py:2:42)
model_by_name = False (x.py:3:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:3:1)
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(SCRIPTS)])
def test_a_script_states_the_model_and_how_it_is_loaded(text: str, expected: list[str]) -> None:
    assert told_part(read_source("dir/x.py", text.encode())) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "GRPOTrainer(AutoModelForCausalLM.from_pretrained('r', device_map='auto'))",
            "device_map = 'auto' (x.py:1:13)",
        ),
        ("d = f()\nGRPOTrainer(AutoModelForCausalLM.from_pretrained('r', device_map=d))", "device_map ? x.py:2:13: "),
        ("GRPOTrainer('r', args=GRPOConfig(model_init_kwargs={'device_map': None}))", "device_map = None (x.py:1:13)"),
        ("GRPOTrainer('r', args=GRPOConfig(model_init_kwargs=f('device_map')))", "device_map ? x.py:1:13: "),
        ("GRPOTrainer('r')", "loaded_in_bits"),
    ],
)
def test_a_script_states_the_device_map_unless_trl_chooses_it(text: str, line: str) -> None:
    found = told_part(read_source("dir/x.py", text.encode()))
    assert next(one for one in found if one.startswith(("device_map", "loaded_in_bits"))).startswith(line)
