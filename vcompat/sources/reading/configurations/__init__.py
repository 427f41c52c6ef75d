"""Configuration files of libraries, models and adapters, and the ways in which Hydra and OmegaConf compose them."""
