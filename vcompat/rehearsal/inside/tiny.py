"""A random model of the same architecture with few layers, from the configuration of the model that the user names."""

from __future__ import annotations

import os
from typing import Any

#: Layers that are left.
_LAYERS = 2
#: Settings that have one entry for each layer.
_PER_LAYER = ("layer_types", "mlp_layer_types", "no_rope_layers")


def tiny_model(name: str, folder: str, trust: bool) -> str:
    """Save a tiny model with the tokenizer of the model `name` below `folder`; return its path.

    It has the user's width and vocabulary, so the layers have the shapes of the real run. Raises what transformers
    raises for a configuration or a tokenizer that it cannot load.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    config = AutoConfig.from_pretrained(name, trust_remote_code=trust)
    for part in {id(one): one for one in (config, config.get_text_config())}.values():
        _shorten(part)
    path = os.path.join(folder, f"tiny-{os.getpid()}")
    # The random state is the script's: it goes on as it would have.
    with torch.random.fork_rng():
        # Each rank makes its own, with the same weights.
        torch.manual_seed(0)
        models: Any = AutoModelForCausalLM
        model = models.from_config(config, trust_remote_code=trust)
    model.save_pretrained(path)
    AutoTokenizer.from_pretrained(name, trust_remote_code=trust).save_pretrained(path)
    return path


def _shorten(config: Any) -> None:
    layers = getattr(config, "num_hidden_layers", None)
    if not isinstance(layers, int) or layers <= _LAYERS:
        return
    for name in _PER_LAYER:
        if isinstance(getattr(config, name, None), list):
            setattr(config, name, getattr(config, name)[:_LAYERS])
    config.num_hidden_layers = _LAYERS
