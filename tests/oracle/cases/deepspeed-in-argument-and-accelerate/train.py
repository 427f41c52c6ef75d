from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(deepspeed="three.json"), reward_funcs=len).train()
