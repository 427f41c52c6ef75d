from trl import GRPOConfig, GRPOTrainer

ds = {"zero_optimization": {"stage": 2}, "bf16": {"enabled": True}, "train_micro_batch_size_per_gpu": "auto"}
ds["zero_optimization"]["stage"] = 3
GRPOTrainer(model="a/b", args=GRPOConfig(deepspeed=ds, use_vllm=True), reward_funcs=len).train()
