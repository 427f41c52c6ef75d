import constants
import override
from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(num_generations=constants.N), reward_funcs=len).train()
