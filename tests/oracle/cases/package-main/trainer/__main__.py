from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True, vllm_mode="colocate"), reward_funcs=len).train()
