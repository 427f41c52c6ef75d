import sys

import yaml
from trl import GRPOConfig, GRPOTrainer

cfg = yaml.safe_load(open(sys.argv[2]))
names = ("num_generations", "use_vllm", "vllm_mode")
GRPOTrainer(model="a/b", args=GRPOConfig(**{name: cfg[name] for name in names}), reward_funcs=len).train()
