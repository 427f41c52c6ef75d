from trl import GRPOConfig, GRPOTrainer


def make():
    return GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True), reward_funcs=len)
