from dotenv import load_dotenv

load_dotenv(".env")
from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True), reward_funcs=len).train()
