import hydra
from trl import GRPOConfig, GRPOTrainer


@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    GRPOTrainer(model=cfg.model, args=GRPOConfig(use_vllm=True, **cfg.training), reward_funcs=len).train()


if __name__ == "__main__":
    main()
