from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, ModelConfig

args, model_args = HfArgumentParser((GRPOConfig, ModelConfig)).parse_args_into_dataclasses()
GRPOTrainer(model=model_args.model_name_or_path, args=args, reward_funcs=len).train()
