from omegaconf import OmegaConf
from trl import GRPOConfig, GRPOTrainer

cfg = OmegaConf.merge(OmegaConf.load("grpo.yaml"), OmegaConf.from_cli())
args = GRPOConfig(**OmegaConf.to_container(cfg, resolve=True))
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
