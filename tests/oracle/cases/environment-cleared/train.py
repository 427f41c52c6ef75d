import os

from trl import GRPOConfig, GRPOTrainer

os.environ.clear()
GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True), reward_funcs=len).train()
