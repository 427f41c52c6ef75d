"""The variables that the processes of a rehearsal get, so that they leave nothing behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress

from vcompat.rehearsal.protocol import FOLDER, STEPS, STUCK_AFTER, TINY

#: Variables that name the folders of caches; those of compiled code are filled by every run.
_CACHES = ("VLLM_CACHE_ROOT", "VLLM_CONFIG_ROOT", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
#: Where vLLM keeps what it knows about classes of models, in its cache. Older releases keep nothing.
_MODELS = "modelinfos"
#: Variables that switch off what reports to a service, or writes beside the user's modules.
_OFF = {"WANDB_MODE": "disabled", "VLLM_NO_USAGE_STATS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def surroundings(folder: str, steps: int, stuck_after: float, tiny: bool) -> dict[str, str]:
    """Return the variables for a rehearsal in `folder`, with a tiny model if asked."""
    caches = {name: os.path.join(folder, "caches", name.lower()) for name in _CACHES}
    own = {FOLDER: folder, STEPS: str(steps), STUCK_AFTER: str(stuck_after), TINY: "1" if tiny else "0"}
    return {**own, **caches, **_OFF}


def copy_known_models(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Copy what vLLM knows about classes of models, which are small files, from the cache of the environment `before`.

    Without them, vLLM imports itself in another process to find that out.
    """
    cache = before.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    source = os.path.join(before.get("VLLM_CACHE_ROOT") or os.path.join(cache, "vllm"), _MODELS)
    with suppress(OSError, shutil.Error):
        shutil.copytree(source, os.path.join(now["VLLM_CACHE_ROOT"], _MODELS))
