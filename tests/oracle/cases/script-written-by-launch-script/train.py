from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/old", args=GRPOConfig(use_vllm=False, num_generations=8), reward_funcs=len).train()
