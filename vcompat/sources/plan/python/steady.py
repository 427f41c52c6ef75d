"""Defaults of TRL's classes that no release has changed, for scripts that read a setting which nothing has set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.facts.trl_defaults import GRPO_DEFAULTS, REMOVED
from vcompat.sources.plan.python.values import Lib

#: Fields of `ModelConfig`; a test compares them with TRL's releases.
_MODEL: Mapping[str, Any] = {"model_name_or_path": None, "use_peft": False, "lora_modules_to_save": None}
#: Settings that the constructor computes if they are not set.
_COMPUTED = frozenset({"steps_per_generation", "generation_batch_size"})
_GRPO: Mapping[str, Any] = {
    setting: history[0][1]
    for setting, history in GRPO_DEFAULTS.items()
    if len(history) == 1 and setting not in REMOVED and setting not in _COMPUTED
}


def defaults_of(kind: Lib) -> Mapping[str, Any]:
    """Return the defaults of a class of TRL that no release has changed."""
    if kind.imported and kind.root != "trl":
        return {}
    return {"GRPOConfig": _GRPO, "ModelConfig": _MODEL}.get(kind.name, {})
