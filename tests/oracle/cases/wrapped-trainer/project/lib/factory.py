from trl import GRPOConfig, GRPOTrainer


def make_trainer(model="Qwen/Qwen2.5-1.5B", **settings):
    settings.setdefault("vllm_mode", "colocate")
    return GRPOTrainer(model=model, args=GRPOConfig(**settings), reward_funcs=len)
