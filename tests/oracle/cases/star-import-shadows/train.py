from trl import GRPOConfig, GRPOTrainer

MODE = "colocate"
from settings import *

GRPOTrainer(model="a/b", args=GRPOConfig(vllm_mode=MODE), reward_funcs=len).train()
