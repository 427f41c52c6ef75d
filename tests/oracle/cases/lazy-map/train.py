from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(num_generations=4, vllm_mode="server")
changes = map(lambda a: setattr(a, "num_generations", 8), [args])
more = (setattr(args, "vllm_mode", "colocate") for _ in range(1))
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
