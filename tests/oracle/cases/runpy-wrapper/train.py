from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(num_generations=N), reward_funcs=len).train()
