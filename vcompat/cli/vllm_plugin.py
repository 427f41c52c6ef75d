"""The entry point in ``vllm.general_plugins``, which vLLM calls in each process that it starts."""

from __future__ import annotations

import os


def register() -> None:
    """Apply here the patches that the training script asked for in its own process.

    Does nothing where no script called `vcompat.patch()` (and ``VCOMPAT_PATCH`` is not set by hand): to have
    vcompat installed changes no run.
    """
    from vcompat.patching.engine import HANDOVER

    wanted = os.environ.get(HANDOVER, "none")
    if wanted == "none":
        return
    from vcompat import patch

    patch(only=None if wanted == "all" else wanted.split(","))
