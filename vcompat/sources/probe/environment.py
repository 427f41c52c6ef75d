"""Environment variables that decide something about a run: what launchers, vLLM, NCCL and torch read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.facts.vocabulary import ENVIRONMENT

#: A report is made to be passed on; what these variables hold is not.
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")


def probe_environment(environment: Mapping[str, str] | None = None) -> Facts:
    """Record the variables that the vocabulary names, from `environment` (default: this process's)."""
    facts = Facts(closed=["env"])
    for name, value in (os.environ if environment is None else environment).items():
        if ENVIRONMENT.fullmatch(name):
            facts.set(f"env.{name}", "(hidden)" if _SECRET.search(name) else value, "set in this environment")
    return facts
