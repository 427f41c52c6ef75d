"""Short scripts whose stated facts were reviewed by hand: one way to make a trainer, an engine or an adapter in each.

The functions that they call and do not define stand for what is not known.
"""

from __future__ import annotations

HEAD = "from trl import GRPOConfig, GRPOTrainer\n"

SCRIPTS = """
c = GRPOConfig(use_vllm=True)
GRPOTrainer(model='m/x-7B', args=c)
----
c = GRPOConfig(use_vllm=True)
GRPOTrainer(model=f(), args=c)
----
GRPOConfig(use_vllm=True)
GRPOConfig(use_vllm=False)
----
GRPOConfig(use_vllm=True, num_generations=4)
GRPOConfig(use_vllm=True)
----
def f():
    GRPOConfig(use_vllm=True)
----
from transformers import TrainingArguments
TrainingArguments(bf16=True)
GRPOConfig(fp16=True)
----
GRPOTrainer(model='m', args=None)
----
GRPOTrainer(model='m', args=f())
----
GRPOTrainer(model='m')
----
c = GRPOConfig(use_vllm=f())
GRPOTrainer(model='m', args=c)
----
import os
c = GRPOConfig(vllm_mode='colocate' if os.environ.get('X') else 'server')
GRPOTrainer(model='m', args=c)
----
c = GRPOConfig(model_init_kwargs={'dtype': 'float16'}, deepspeed='ds.json')
GRPOTrainer(model='m', args=c)
----
c = GRPOConfig(model_init_kwargs={'torch_dtype': 'bfloat16'}, deepspeed={'zero_optimization': {'stage': 2}})
GRPOTrainer(model='m', args=c)
----
c = GRPOConfig(model_init_kwargs=f(), deepspeed=f())
GRPOTrainer(model='m', args=c)
----
c = GRPOConfig(model_init_kwargs=None, deepspeed=None)
GRPOTrainer(model='m', args=c)
----
from peft import LoraConfig
c = GRPOConfig()
GRPOTrainer(model='m', args=c, peft_config=LoraConfig(r=8))
----
from peft import LoraConfig
c = GRPOConfig()
GRPOTrainer(model='m', args=c, peft_config=LoraConfig(modules_to_save=['lm_head']))
----
from peft import LoraConfig
c = GRPOConfig()
l = LoraConfig()
GRPOTrainer(model='m', args=c)
----
from peft import LoraConfig
GRPOConfig()
LoraConfig()
----
from peft import LoraConfig, get_peft_model
c = GRPOConfig()
m = get_peft_model(f(), LoraConfig())
GRPOTrainer(model=m, args=c)
----
c = GRPOConfig()
GRPOTrainer(model='m', args=c, peft_config=None)
----
c = GRPOConfig()
GRPOTrainer(model='m', args=c, peft_config=get(peft))
----
from transformers import AutoModelForCausalLM
m = AutoModelForCausalLM.from_pretrained('q/w', dtype='float16')
GRPOTrainer(model=m, args=GRPOConfig())
----
from transformers import AutoTokenizer
m = AutoTokenizer.from_pretrained('q/w', dtype='float16')
GRPOTrainer(model='m', args=GRPOConfig())
----
from vllm import LLM
LLM('q/w', tensor_parallel_size=2, seed=1)
----
from vllm import LLM
def f():
    LLM(model='q/w', max_model_len=7)
----
from vllm import LLM
LLM('q/w', max_model_len=7)
LLM('q/w')
----
import os
os.environ['VLLM_USE_V1'] = '1'
os.environ.setdefault('NCCL_DEBUG', 'INFO')
os.environ['NCCL_P2P_DISABLE'] = 1
os.environ.pop('VLLM_LOGGING_LEVEL', None)
os.environ['OTHER'] = 'x'
GRPOTrainer(model='m', args=GRPOConfig())
os.environ['VLLM_USE_V1'] = '0'
----
import os
os.environ.clear()
GRPOTrainer(model='m', args=GRPOConfig())
----
import os
if f():
    os.environ['VLLM_USE_V1'] = '1'
GRPOTrainer(model='m', args=GRPOConfig())
----
GRPOTrainer(model='m', args=GRPOConfig(use_vllm=True))
GRPOTrainer(model='n', args=GRPOConfig(use_vllm=False))
----
from trl import SFTTrainer, SFTConfig
SFTTrainer(model='s', args=SFTConfig(bf16=True))
GRPOTrainer(model='m', args=GRPOConfig(use_vllm=True))
----
c = GRPOConfig(use_vllm='yes', num_generations=2.5, vllm_mode=5)
GRPOTrainer(model='m', args=c)
----
import yaml
d = yaml.safe_load(open('nowhere.yaml'))
GRPOTrainer(model='m', args=GRPOConfig(**d))
----
c = GRPOConfig(use_vllm=True)
if f():
    c = GRPOConfig(use_vllm=True, bf16=True)
GRPOTrainer(model='m', args=c)
----
m = 'a' if f() else 'b'
GRPOTrainer(model=m, args=GRPOConfig())
----
from trl import RLOOConfig, RLOOTrainer
RLOOTrainer(model='m', args=RLOOConfig(use_vllm=True))
----
x = 1
""".strip("\n").split("\n----\n")
