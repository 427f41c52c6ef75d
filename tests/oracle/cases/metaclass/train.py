from trl import GRPOConfig, GRPOTrainer


class Meta(type):
    def __call__(cls, **kwargs):
        return super().__call__(**{**kwargs, "vllm_tensor_parallel_size": 4})


class Config(GRPOConfig, metaclass=Meta):
    pass


GRPOTrainer(model="a/b", args=Config(use_vllm=True, vllm_tensor_parallel_size=1), reward_funcs=len).train()
