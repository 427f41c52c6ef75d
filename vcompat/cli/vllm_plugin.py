"""The entry point in ``vllm.general_plugins``, which vLLM calls in every process that it starts."""

from __future__ import annotations

import os
import sys

#: What vLLM's Ray executor must pass on to its workers. A cluster has its own environment since it was started.
_FOR_RAY = ("VCOMPAT_PATCH", "VCOMPAT_DISABLE", "VCOMPAT_RUN_DIR")


def register() -> None:
    """Apply in this process the patches that the training script applied in its own.

    Does nothing if no script called `vcompat.patch()` and ``VCOMPAT_PATCH`` is not set by hand: a run does not change
    because vcompat is installed.
    """
    from vcompat.patching.engine import HANDOVER

    wanted = os.environ.get(HANDOVER, "none")
    if wanted == "none":
        return
    _pass_on_to_ray()
    from vcompat import patch

    patch(only=None if wanted == "all" else wanted.split(","))


def _pass_on_to_ray() -> None:
    """Add to the variables that vLLM's Ray executor sets in its workers before they load this plugin.

    The platform lists those that it needs, ``additional_env_vars``, since vLLM 0.8.3. Newer executors pass on all.
    """
    # What stands for the platform is made by the first access. vLLM has made it before it loads plugins.
    platform = getattr(sys.modules.get("vllm.platforms"), "_current_platform", None)
    passed = getattr(platform, "additional_env_vars", None)
    if isinstance(passed, list):
        passed += [name for name in _FOR_RAY if name not in passed]
