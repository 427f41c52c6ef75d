from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(num_generations=4, vllm_mode="colocate")
trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len)
del trainer
args.num_generations = 8
GRPOTrainer(model="a/c", args=args, reward_funcs=len).train()
