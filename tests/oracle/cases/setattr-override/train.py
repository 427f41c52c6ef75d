from trl import GRPOConfig, GRPOTrainer


class Locked(GRPOConfig):
    def __setattr__(self, name, value):
        if name == "num_generations":
            value = 4
        super().__setattr__(name, value)


args = Locked(num_generations=16, use_vllm=True)
args.num_generations = 32
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
