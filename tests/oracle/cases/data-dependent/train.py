import time
from pathlib import Path

from trl import GRPOConfig, GRPOTrainer

n = len(Path("words.txt").read_text().split())
args = GRPOConfig(use_vllm=True, num_generations=n, vllm_server_port=8000 + int(time.time()) % 7)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
