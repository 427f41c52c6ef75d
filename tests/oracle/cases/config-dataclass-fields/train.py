from dataclasses import dataclass, fields

from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer


@dataclass
class Options:
    num_generations: int = 8
    use_vllm: bool = True
    comment: str = ""


(options,) = HfArgumentParser(Options).parse_args_into_dataclasses()
names = {field.name for field in fields(GRPOConfig)}
args = GRPOConfig(**{name: value for name, value in vars(options).items() if name in names})
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
