import argparse
import json

from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--deepspeed")
parser.add_argument("--local_rank", type=int)
options = parser.parse_args()
ds = json.load(open(options.deepspeed))
ds["zero_optimization"]["stage"] = 3
GRPOTrainer(model="a/b", args=GRPOConfig(deepspeed=ds), reward_funcs=len).train()
