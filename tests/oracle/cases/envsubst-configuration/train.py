from trl import GRPOConfig, GRPOTrainer, ScriptArguments, TrlParser

script_args, args = TrlParser((ScriptArguments, GRPOConfig)).parse_args_and_config()
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
