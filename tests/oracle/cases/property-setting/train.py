from trl import GRPOConfig, GRPOTrainer


class Computed(GRPOConfig):
    @property
    def vllm_mode(self):
        return "server"

    @vllm_mode.setter
    def vllm_mode(self, value):
        pass


GRPOTrainer(model="a/b", args=Computed(vllm_mode="colocate", num_generations=4), reward_funcs=len).train()
