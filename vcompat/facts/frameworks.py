"""The frameworks whose trainer a run can have: the values of the fact ``plan.framework``."""

from __future__ import annotations

TRL, UNSLOTH = "trl", "unsloth"
FRAMEWORKS = (TRL, UNSLOTH, "ms-swift", "llama-factory", "axolotl", "verl", "openrlhf")
