from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True), reward_funcs=len).train()
