import sys

from trl import GRPOConfig, GRPOTrainer

RECIPES = {}


def recipe(function):
    RECIPES[function.__name__] = function
    return function


@recipe
def fast():
    return GRPOConfig(num_generations=4, use_vllm=True)


@recipe
def slow():
    return GRPOConfig(num_generations=16, use_vllm=True)


GRPOTrainer(model="a/b", args=RECIPES[sys.argv[1] if len(sys.argv) > 1 else "slow"](), reward_funcs=len).train()
