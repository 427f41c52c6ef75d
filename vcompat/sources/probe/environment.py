"""Reads the environment variables that affect a run: those of launchers, vLLM, NCCL and torch."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.facts.vocabulary import ENVIRONMENT

#: Variables whose values are secrets. They are hidden, because reports are shared.
SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")


def probe_environment(environment: Mapping[str, str] | None = None) -> Facts:
    """Record the variables of the vocabulary from `environment` (default: that of this process)."""
    facts = Facts(closed=["env"])
    for name, value in (os.environ if environment is None else environment).items():
        if ENVIRONMENT.fullmatch(name):
            facts.set(f"env.{name}", "(hidden)" if SECRET.search(name) else value, "environment of this process")
    return facts
