import argparse
import os

from trl import GRPOConfig, GRPOTrainer

os.environ["VLLM_WORKER_MULTIPROC_METHOD"] = "fork"
parser = argparse.ArgumentParser()
parser.add_argument("--tp", type=int, default=1)
args = GRPOConfig(vllm_tensor_parallel_size=parser.parse_args().tp)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
