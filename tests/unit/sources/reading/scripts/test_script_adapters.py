"""Adapters in scripts, and all that is stated."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.scripts.script import read_source

SCRIPTS = r"""
> LoraConfig(r=4, target_modules=['q'], modules_to_save=['lm_head'])
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 4 (x.py:1:14)
lora_targets = ('q',) (x.py:1:32)
modules_to_save = ('lm_head',) (x.py:1:55)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig()
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 8 (x.py:1:1)
lora_targets = () (x.py:1:1)
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig(target_modules='all-linear', modules_to_save=None)
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 8 (x.py:1:1)
lora_targets = ('all-linear',) (x.py:1:27)
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig(trainable_token_indices={'embed_tokens': ids})
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 8 (x.py:1:1)
lora_targets = () (x.py:1:1)
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
trainable_tokens = True (x.py:1:36)
does not train

> LoraConfig(trainable_token_indices=None)
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 8 (x.py:1:1)
lora_targets = () (x.py:1:1)
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
trainable_tokens = False (x.py:1:36)
does not train

> LoraConfig(target_modules='q|v')
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 8 (x.py:1:1)
lora_targets ? x.py:1:27: a pattern
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig(target_modules=None)
lora_dropout = 0.0 (x.py:1:1)
lora_rank = 8 (x.py:1:1)
lora_targets = () (x.py:1:1)
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig(target_modules=t, r=n)
lora_dropout = 0.0 (x.py:1:1)
lora_rank ? x.py:1:32: computed at run time
lora_targets ? x.py:1:27: computed at run time
modules_to_save = () (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig(**kw)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> LoraConfig(r=4, **kw)
lora_rank ? x.py:1:14: computed at run time; it may be 4
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:1)
does not train

> IA3Config(target_modules=['q'])
patched = () (x.py does not call vcompat.patch()) at no position
does not train

> def main():
>     LoraConfig(r=4)
lora_dropout ? x.py:2:5: in a function that the script does not call; it may be 0.0
lora_rank ? x.py:2:18: in a function that the script does not call; it may be 4
lora_targets ? x.py:2:5: in a function that the script does not call; it may be ()
modules_to_save ? x.py:2:5: in a function that the script does not call; it may be ()
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:2:5: LoraConfig is not passed to the trainer here; it may be True
does not train

> GRPOTrainer(model='a', peft_config=LoraConfig(r=4))
loaded_in_bits = None (x.py:1:19)
lora_dropout = 0.0 (x.py:1:36)
lora_rank = 4 (x.py:1:49)
lora_targets = () (x.py:1:36)
model = 'a' (x.py:1:19)
model_by_name = True (x.py:1:19)
modules_to_save = () (x.py:1:36)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:36)
trainer = 'GRPOTrainer' (x.py:1:1)

> GRPOTrainer(model='a', peft_config=None)
loaded_in_bits = None (x.py:1:19)
model = 'a' (x.py:1:19)
model_by_name = True (x.py:1:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py:1:36)
trainer = 'GRPOTrainer' (x.py:1:1)

> p = LoraConfig()
> GRPOTrainer(model='a', peft_config=None)
loaded_in_bits = None (x.py:2:19)
lora_dropout = 0.0 (x.py:1:5)
lora_rank = 8 (x.py:1:5)
lora_targets = () (x.py:1:5)
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
modules_to_save = () (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:1:5: LoraConfig is not passed to the trainer here; it may be True
trainer = 'GRPOTrainer' (x.py:2:1)

> GRPOTrainer(model=m(), peft_config=None)
loaded_in_bits ? x.py:1:19: the script may quantize the model while loading it
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:1:1)

> p = None
> if x:
>     p = LoraConfig()
> GRPOTrainer(model='a', peft_config=p)
loaded_in_bits = None (x.py:4:19)
lora_dropout = 0.0 (x.py:3:9)
lora_rank = 8 (x.py:3:9)
lora_targets = () (x.py:3:9)
model = 'a' (x.py:4:19)
model_by_name = True (x.py:4:19)
modules_to_save = () (x.py:3:9)
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:4:36: depends on a condition; it may be True
trainer = 'GRPOTrainer' (x.py:4:1)

> GRPOTrainer(model='a', peft_config=p)
loaded_in_bits = None (x.py:1:19)
model = 'a' (x.py:1:19)
model_by_name = True (x.py:1:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:1:36: depends on a condition; it may be True
trainer = 'GRPOTrainer' (x.py:1:1)

> kw = {}
> if x:
>     kw['peft_config'] = LoraConfig()
> GRPOTrainer(model='a', **kw)
loaded_in_bits = None (x.py:4:19)
lora_dropout = 0.0 (x.py:3:25)
lora_rank = 8 (x.py:3:25)
lora_targets = () (x.py:3:25)
model = 'a' (x.py:4:19)
model_by_name = True (x.py:4:19)
modules_to_save = () (x.py:3:25)
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:3:25: depends on a condition; it may be True
trainer = 'GRPOTrainer' (x.py:4:1)

> p = LoraConfig()
> GRPOTrainer(model='a')
loaded_in_bits = None (x.py:2:19)
lora_dropout = 0.0 (x.py:1:5)
lora_rank = 8 (x.py:1:5)
lora_targets = () (x.py:1:5)
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
modules_to_save = () (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
peft ? x.py:1:5: LoraConfig is not passed to the trainer here; it may be True
trainer = 'GRPOTrainer' (x.py:2:1)

> p = LoraConfig()
> GRPOTrainer(model=get_peft_model(m, p))
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
lora_dropout = 0.0 (x.py:1:5)
lora_rank = 8 (x.py:1:5)
lora_targets = () (x.py:1:5)
modules_to_save = () (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
peft = True (x.py:1:5)
trainer = 'GRPOTrainer' (x.py:2:1)

> # lora
> GRPOTrainer(model='a')
loaded_in_bits = None (x.py:2:19)
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> # PEFT
> GRPOTrainer(model='a')
loaded_in_bits = None (x.py:2:19)
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:2:1)
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(SCRIPTS)])
def test_a_script_states_the_adapter_that_the_trainer_gets(text: str, expected: list[str]) -> None:
    assert told_part(read_source("dir/x.py", text.encode())) == expected
