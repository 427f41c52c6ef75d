"""The packages whose names are in the index, and the names under which Python imports them."""

from __future__ import annotations

#: Distribution to imported package.
IMPORTED = {
    "accelerate": "accelerate",
    "bitsandbytes": "bitsandbytes",
    "deepspeed": "deepspeed",
    "diffusers": "diffusers",
    "flash-attn": "flash_attn",
    "huggingface-hub": "huggingface_hub",
    "kernels": "kernels",
    "liger-kernel": "liger_kernel",
    "ms-swift": "swift",
    "peft": "peft",
    "tokenizers": "tokenizers",
    "torch": "torch",
    "torchao": "torchao",
    "torchaudio": "torchaudio",
    "torchvision": "torchvision",
    "transformers": "transformers",
    "trl": "trl",
    "unsloth": "unsloth",
    "unsloth-zoo": "unsloth_zoo",
    "verl": "verl",
    "vllm": "vllm",
    "xformers": "xformers",
}
ROOTS = frozenset(IMPORTED.values())


def package_of(module: str) -> str:
    """Return the distribution that has a module; empty if none of the index has it."""
    root = module.partition(".")[0]
    return next((package for package, imported in IMPORTED.items() if imported == root), "")
