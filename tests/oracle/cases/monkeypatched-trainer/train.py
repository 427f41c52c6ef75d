from trl import GRPOConfig, GRPOTrainer

original = GRPOTrainer.__init__


def patched(self, *positional, args=None, **rest):
    args.num_generations = 16
    original(self, *positional, args=args, **rest)


GRPOTrainer.__init__ = patched
args = GRPOConfig(use_vllm=True, num_generations=8)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
