"""The entry point in ``vllm.general_plugins``, which vLLM calls in every process that it starts."""

from __future__ import annotations

import os


def register() -> None:
    """Apply in this process the patches that the training script applied in its own.

    Does nothing if no script called `vcompat.patch()` and ``VCOMPAT_PATCH`` is not set by hand: a run does not change
    because vcompat is installed.
    """
    from vcompat.patching.engine import HANDOVER

    wanted = os.environ.get(HANDOVER, "none")
    if wanted == "none":
        return
    from vcompat import patch

    patch(only=None if wanted == "all" else wanted.split(","))
