from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/sft", args=GRPOConfig(bf16=True, use_vllm=True, per_device_train_batch_size=1), reward_funcs=len).train()
