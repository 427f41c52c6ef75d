import trl
from trl import GRPOConfig, GRPOTrainer

original = GRPOConfig.__init__


def patched(self, *args, **kwargs):
    kwargs["vllm_mode"] = "server"
    original(self, *args, **kwargs)


GRPOConfig.__init__ = patched
args = GRPOConfig(use_vllm=True, vllm_mode="colocate", num_generations=8)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
