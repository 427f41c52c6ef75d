import speedups
from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(use_vllm=True)
speedups.apply()
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
