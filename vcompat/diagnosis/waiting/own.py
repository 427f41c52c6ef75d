"""Which call of a stack is of the user's own code."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.diagnosis.frames import is_anyones
from vcompat.diagnosis.waiting.signs import Frame

_ENVIRONMENTS = ("/site-packages/", "/dist-packages/")
#: py-spy leaves out the folder of the environment.
_PACKAGES = ("torch/", "transformers/", "accelerate/", "trl/", "vllm/", "deepspeed/", "peft/", "datasets/", "ray/")


def own_frame(frames: Sequence[Frame]) -> Frame | None:
    """Return the innermost call in code that is in no environment; None if there is none."""
    return next((frame for frame in frames if not is_installed(frame.file)), None)


def is_installed(path: str) -> bool:
    """Whether a file is of a package, or of the standard library."""
    return path.startswith(_PACKAGES) or any(folder in path for folder in _ENVIRONMENTS) or is_anyones(path)
