"""Defaults of TRL's classes that no release has changed, for scripts that read a setting which nothing has set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.facts.defaults import SETTINGS, steady_defaults
from vcompat.sources.reading.python.values.values import Lib

#: The settings that matter to a fact, without those that the constructor computes if they are not set.
_SETTINGS = (
    frozenset(SETTINGS)
    | {"model_name_or_path", "use_peft", "lora_modules_to_save", "model_init_kwargs", "attn_implementation"}
) - {
    "steps_per_generation",
    "generation_batch_size",
}


def defaults_of(kind: Lib) -> Mapping[str, Any]:
    """Return the defaults of a class of TRL that no release has changed."""
    if kind.imported and kind.root != "trl":
        return {}
    return {name: value for name, value in steady_defaults("trl", kind.name).items() if name in _SETTINGS}
