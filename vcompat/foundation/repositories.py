"""The repositories of upstream packages: where two releases can be compared, its pull requests, and what a fork is."""

from __future__ import annotations

import re

from packaging.version import Version

#: Where upstream's tags can be compared. A tag is a release after the letter v.
REPOSITORIES = {
    "accelerate": "huggingface/accelerate",
    "deepspeed": "deepspeedai/DeepSpeed",
    "diffusers": "huggingface/diffusers",
    "huggingface-hub": "huggingface/huggingface_hub",
    "liger-kernel": "linkedin/Liger-Kernel",
    "ms-swift": "modelscope/ms-swift",
    "peft": "huggingface/peft",
    "transformers": "huggingface/transformers",
    "trl": "huggingface/trl",
    "verl": "verl-project/verl",
    "vllm": "vllm-project/vllm",
}

#: Repositories of packages whose tags are not compared, and former addresses.
_OTHERS = {
    "bitsandbytes": ("bitsandbytes-foundation/bitsandbytes", "TimDettmers/bitsandbytes"),
    "deepspeed": ("microsoft/DeepSpeed",),
    "flash-attn": ("Dao-AILab/flash-attention",),
    "torch": ("pytorch/pytorch",),
    "unsloth": ("unslothai/unsloth",),
    "unsloth-zoo": ("unslothai/unsloth-zoo", "unslothai/unsloth_zoo"),
    "verl": ("volcengine/verl",),
    "xformers": ("facebookresearch/xformers",),
}
_PATH = re.compile(r"[/:]([^/:]+/[^/:?#@]+?)(?:\.git)?/?(?:[@?#].*)?$")


def is_own(package: str, address: str) -> bool:
    """Return whether the git repository at `address` is the package's own: any other can have changed code."""
    path = _PATH.search(address)
    own = (*_OTHERS.get(package, ()), REPOSITORIES.get(package, ""))
    return path is not None and path[1].lower() in {one.lower() for one in own}


def comparison(package: str, before: Version, after: Version) -> str:
    """Return the address at which two releases are compared; empty if the package's tags are not known."""
    repository = REPOSITORIES.get(package)
    return f"https://github.com/{repository}/compare/v{before}...v{after}" if repository else ""


def pull_request(package: str, number: int) -> str:
    """Return the address of a pull request; empty if the package's repository is not known."""
    repository = REPOSITORIES.get(package)
    return f"https://github.com/{repository}/pull/{number}" if repository else ""
