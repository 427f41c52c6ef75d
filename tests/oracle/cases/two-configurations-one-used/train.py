from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

warmup = SFTConfig(per_device_train_batch_size=8, bf16=True)
unused = GRPOConfig(num_generations=4, use_vllm=False)
args = GRPOConfig(num_generations=16, use_vllm=True)
SFTTrainer(model="a/b", args=warmup)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
