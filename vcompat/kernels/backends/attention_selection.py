"""The call of a release's own selection of an attention backend, for a plain decoder model."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

#: The names of backends that differ from the name of their module.
_NAMES = {"FLASHATTN_MLA": "FLASH_ATTN_MLA"}


def choices(platform: Any, heads: list[int], v1: bool) -> list[str]:
    """Return the backend that the release selects for each head size, named as in VLLM_ATTENTION_BACKEND."""
    return [_choice(platform, head, v1) for head in heads]


def _choice(platform: Any, head: int, v1: bool) -> str:
    import torch

    half = torch.bfloat16 if platform.get_device_capability()[0] >= 8 else torch.float16
    arguments = {
        "selected_backend": None,
        "num_heads": 32,
        "num_kv_heads": 8,
        "head_size": head,
        "dtype": half,
        "kv_cache_dtype": "auto",
        "block_size": 16,
        "sliding_window": None,
        "is_attention_free": False,
        "is_blocksparse": False,
        "use_v1": v1,
        "use_mla": False,
        "has_sink": False,
        "use_sparse": False,
        "attn_type": None,
    }
    selector = _selector()
    older = getattr(selector, "which_attn_to_use", None)
    if older:
        return str(_called(older, arguments).name)
    fields = getattr(getattr(selector, "AttentionSelectorConfig", None), "_fields", ())
    if fields:
        # The block size is chosen after the backend, unless the user states one.
        plain = {**arguments, "block_size": None, "attn_type": "decoder"}
        given = {name: value for name, value in plain.items() if name in fields}
        arguments["attn_selector_config"] = selector.AttentionSelectorConfig(**given)
    return _name(_called(platform.get_attn_backend_cls, arguments))


def _selector() -> Any:
    for name in ("vllm.v1.attention.selector", "vllm.attention.selector"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not name.startswith(error.name or "?"):
                raise
    raise ModuleNotFoundError("the release has no selector of attention backends")


def _called(function: Any, arguments: dict[str, Any]) -> Any:
    """Call with the arguments that the release's function has. A required one that is not known here is an error."""
    return function(**{name: arguments[name] for name in inspect.signature(function).parameters if name in arguments})


def _name(path: str) -> str:
    """The name of a backend from the path of its class, such as ...backends.flash_attn.FlashAttentionBackend."""
    module = path.split(".")[-2].upper()
    return _NAMES.get(module, module)
