import yaml
from trl import GRPOConfig, GRPOTrainer

with open("grpo.yaml") as file:
    args = GRPOConfig(**yaml.safe_load(file))
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
