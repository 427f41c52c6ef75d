"""The variables that the processes of a rehearsal get, so that they leave nothing behind."""

from __future__ import annotations

import os

from vcompat.rehearsal.protocol import FOLDER, STEPS, STUCK_AFTER, TINY

#: Variables that name the folders of caches; those of compiled code are filled by every run.
_CACHES = ("VLLM_CACHE_ROOT", "VLLM_CONFIG_ROOT", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
#: Variables that switch off what reports to a service, or writes beside the user's modules.
_OFF = {"WANDB_MODE": "disabled", "VLLM_NO_USAGE_STATS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def surroundings(folder: str, steps: int, stuck_after: float, tiny: bool) -> dict[str, str]:
    """Return the variables for a rehearsal in `folder`, with a tiny model if asked."""
    caches = {name: os.path.join(folder, "caches", name.lower()) for name in _CACHES}
    own = {FOLDER: folder, STEPS: str(steps), STUCK_AFTER: str(stuck_after), TINY: "1" if tiny else "0"}
    return {**own, **caches, **_OFF}
