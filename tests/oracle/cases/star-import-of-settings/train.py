from settings import *
from trl import GRPOConfig, GRPOTrainer

NUM_GENERATIONS = 4
GRPOTrainer(model="a/b", args=GRPOConfig(num_generations=NUM_GENERATIONS, vllm_mode=MODE), reward_funcs=len).train()
