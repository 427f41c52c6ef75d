"""Variables that scripts set, and all that is stated."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.scripts.script import read_source

SCRIPTS = r"""
> os.environ['VLLM_USE_V1'] = '0'
> os.environ['NCCL_DEBUG'] = 5
> os.environ['OTHER'] = 'x'
> os.environ.setdefault('NCCL_P2P_DISABLE', '1')
> del os.environ['NCCL_IB_DISABLE']
> os.environ['NCCL_A'] = x
> GRPOConfig()
env.NCCL_A ? x.py:6:24: computed at run time
env.NCCL_DEBUG ? x.py:2:28: not a string
env.NCCL_IB_DISABLE = None (x.py)
env.NCCL_P2P_DISABLE = '1' (x.py:4:43)
env.VLLM_USE_V1 = '0' (x.py:1:29)
configuration = 'GRPOConfig' (x.py:7:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
overridable env.NCCL_P2P_DISABLE at x.py:4:43
configuration python GRPOConfig at x.py:7:1

> if x:
>     os.environ['VLLM_USE_V1'] = '0'
> if y:
>     os.environ.pop('NCCL_DEBUG')
> GRPOConfig()
env.NCCL_DEBUG ? x.py: not set
env.VLLM_USE_V1 ? x.py:2:33: set only under a condition; it may be '0'
configuration = 'GRPOConfig' (x.py:5:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:5:1

> if x:
>     os.environ.setdefault('NCCL_P2P_DISABLE', '1')
> GRPOConfig()
env.NCCL_P2P_DISABLE ? x.py:2:47: set only if it is not set yet; it may be '1'
configuration = 'GRPOConfig' (x.py:3:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:3:1

> os.environ[name] = '1'
> GRPOConfig()
env ? x.py: an unknown key is set at no position
configuration = 'GRPOConfig' (x.py:2:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:2:1

> os.environ.clear()
> os.environ['VLLM_USE_V1'] = '0'
> GRPOConfig()
env ? x.py: the script clears it at no position
env.VLLM_USE_V1 = '0' (x.py:2:29)
configuration = 'GRPOConfig' (x.py:3:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
clears_variables
configuration python GRPOConfig at x.py:3:1

> os.environ.update(load())
> GRPOConfig()
env ? x.py: computed at run time at no position
configuration = 'GRPOConfig' (x.py:2:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:2:1

> os.environ['VLLM_USE_V1'] = '0'
> GRPOTrainer(model='a', args=GRPOConfig())
> os.environ['VLLM_USE_V1'] = '1'
> os.environ['NCCL_DEBUG'] = 'INFO'
env.NCCL_DEBUG ? x.py:4:28: changed after the trainer is made; it may be 'INFO'
env.VLLM_USE_V1 ? x.py:3:29: changed after the trainer is made; it may be '1'
configuration = 'GRPOConfig' (x.py:2:29)
loaded_in_bits = None (x.py:2:19)
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)
takes_defaults
configuration python GRPOConfig at x.py:2:29

> os.environ['VLLM_USE_V1'] = '1'
> GRPOTrainer(model='a', args=GRPOConfig())
> os.environ['VLLM_USE_V1'] = '1'
env.VLLM_USE_V1 = '1' (x.py:3:29)
configuration = 'GRPOConfig' (x.py:2:29)
loaded_in_bits = None (x.py:2:19)
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)
takes_defaults
configuration python GRPOConfig at x.py:2:29
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(SCRIPTS)])
def test_a_script_states_the_variables_that_it_sets(text: str, expected: list[str]) -> None:
    assert told_part(read_source("dir/x.py", text.encode())) == expected
