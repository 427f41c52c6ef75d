from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(num_generations=4), reward_funcs=len).train()
