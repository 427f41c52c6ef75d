import contextlib
import os

from trl import GRPOConfig, GRPOTrainer


@contextlib.contextmanager
def variable(name, value):
    os.environ[name] = value
    yield
    del os.environ[name]


with variable("VLLM_USE_V1", "0"):
    args = GRPOConfig(use_vllm=True)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
