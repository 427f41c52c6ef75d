import os

from trl import GRPOConfig, GRPOTrainer, ScriptArguments, TrlParser

os.environ["CUDA_LAUNCH_BLOCKING"] = "0"
script_args, args = TrlParser((ScriptArguments, GRPOConfig)).parse_args_and_config()
os.environ["NCCL_DEBUG"] = "INFO"
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
