from omegaconf import OmegaConf
from trl import GRPOConfig, GRPOTrainer

cfg = OmegaConf.create({"training": {"use_vllm": True, "num_generations": 8}})
cfg = OmegaConf.merge(cfg, OmegaConf.from_dotlist(["training.num_generations=4"]))
GRPOTrainer(model="a/b", args=GRPOConfig(**cfg.training), reward_funcs=len).train()
