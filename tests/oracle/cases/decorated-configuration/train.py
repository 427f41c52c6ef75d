import functools

from trl import GRPOConfig, GRPOTrainer


def overriding(**values):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            configuration = function(*args, **kwargs)
            for name, value in values.items():
                setattr(configuration, name, value)
            return configuration

        return wrapped

    return decorate


@overriding(num_generations=4)
def configuration():
    return GRPOConfig(num_generations=16, use_vllm=True)


GRPOTrainer(model="a/b", args=configuration(), reward_funcs=len).train()
