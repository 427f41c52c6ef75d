import importlib
import os

from trl import GRPOConfig, GRPOTrainer

module = importlib.import_module("recipes." + os.environ.get("RECIPE", "small"))
GRPOTrainer(model="a/b", args=GRPOConfig(**module.SETTINGS), reward_funcs=len).train()
