from trl import GRPOConfig

DEFAULTS = {"use_vllm": True, "num_generations": 8}


def build(fast):
    settings = dict(DEFAULTS)
    if fast:
        settings["num_generations"] = 4
    return GRPOConfig(**settings)
