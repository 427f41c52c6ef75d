from trl import GRPOConfig


def apply():
    GRPOConfig.use_vllm = property(lambda self: False)
