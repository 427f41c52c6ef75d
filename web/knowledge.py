"""What many pages need of the rules and the records, read once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from packaging.version import Version

from vcompat.foundation.addresses import rule_path
from vcompat.foundation.shipped import CHECKOUT
from vcompat.report.parts.release_ranges import runs
from vcompat.report.parts.wording import EFFECTS
from vcompat.rules.database import load_rules, read_table
from vcompat.rules.rule import Rule
from vcompat.upstream.affected import affected

#: Logs of real failures, each named after its rule.
LOGS = Path(CHECKOUT) / "tests" / "cases" / "logs"
#: How components are called in headings.
NAMES: Mapping[str, str] = {
    "trl": "TRL",
    "vllm": "vLLM",
    "torch": "PyTorch and compiled packages",
    "transformers": "transformers",
    "deepspeed": "DeepSpeed",
    "peft": "PEFT",
    "accelerate": "accelerate",
    "driver": "The driver",
    "triton": "Triton",
    "settings": "Settings",
    "code": "Names and arguments in code",
}


class Span(NamedTuple):
    """The releases of one package, and those of them that a rule affects."""

    package: str
    releases: tuple[Version, ...]
    """Oldest first."""
    affected: frozenset[Version]
    measured: bool
    """Whether the source of every release was looked at; otherwise the range is as declared."""

    @property
    def text(self) -> str:
        """The affected releases in words."""
        return runs(self.affected, self.releases)

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """The affected releases as places in the list of all: the first one, and how many follow each other."""
        parts: list[tuple[int, int]] = []
        for place, version in enumerate(self.releases):
            if version not in self.affected:
                continue
            if parts and sum(parts[-1]) == place:
                parts[-1] = (parts[-1][0], parts[-1][1] + 1)
            else:
                parts.append((place, 1))
        return parts


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules, sorted by id."""
    return load_rules()


@cache
def stated(rule: Rule) -> Mapping[str, Any]:
    """Return the contents of a rule's file."""
    return read_table(os.path.join(CHECKOUT, "rules", rule.component, f"{rule.id}.toml"))


@cache
def spans(rule: Rule) -> tuple[Span, ...]:
    """Return the releases that a rule affects, package by package."""
    return tuple(
        Span(package, tuple(releases), frozenset(hit), measured) for package, releases, hit, measured in affected(rule)
    )


def name_of(rule: Rule) -> str:
    """Return the name of a rule's page."""
    return rule_path(rule.component, rule.id).rstrip("/")


def effect(rule: Rule) -> str:
    """Return what a rule's failure does to a run, in words."""
    return EFFECTS[rule.effect]
