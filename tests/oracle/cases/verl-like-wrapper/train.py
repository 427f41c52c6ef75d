from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer

(args,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
