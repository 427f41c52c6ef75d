"""Where the changes between two releases of an upstream package can be read, and its pull requests."""

from __future__ import annotations

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


def comparison(package: str, before: Version, after: Version) -> str:
    """Return the address at which two releases are compared; empty if the package's tags are not known."""
    repository = REPOSITORIES.get(package)
    return f"https://github.com/{repository}/compare/v{before}...v{after}" if repository else ""


def pull_request(package: str, number: int) -> str:
    """Return the address of a pull request; empty if the package's repository is not known."""
    repository = REPOSITORIES.get(package)
    return f"https://github.com/{repository}/pull/{number}" if repository else ""
