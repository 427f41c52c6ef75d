"""The releases of upstream packages that are recorded, for packages of which a range is known."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING

from packaging.version import Version

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from vcompat.facts.facts import Facts

#: The packages whose releases are recorded one by one.
RECORDED = ("trl", "vllm", "torch", "transformers", "accelerate", "deepspeed", "peft")


@cache
def _names(package: str) -> tuple[str, ...]:
    # Imported here: without packages there is no release to look up.
    from vcompat.facts.settings import settings_folder

    try:
        with open(os.path.join(settings_folder(), package, "releases.json"), encoding="utf-8") as file:
            return tuple(json.load(file)["releases"].split())
    except (OSError, ValueError, KeyError, AttributeError):
        return ()


@cache
def recorded_releases(package: str) -> tuple[Version, ...]:
    """Return the recorded releases of a package, oldest first; none for a package without a record."""
    return tuple(map(Version, _names(package)))


def newer_than_recorded(facts: Facts) -> list[str]:
    """Return one sentence for each package whose release is newer than all that are recorded."""
    found = []
    for package in RECORDED:
        known = facts.value(f"packages.{package}")
        last = _names(package)[-1:] if isinstance(known, Version) else ()
        if last and isinstance(known, Version) and known.release > Version(last[0]).release:
            found.append(f"{package} {known.public} is newer than the records, which end at {last[0]}")
    return found


def allowed_releases(package: str, allowed: SpecifierSet) -> tuple[Version, ...]:
    """Return the recorded releases that a specifier allows; none if it limits nothing."""
    return tuple(allowed.filter(recorded_releases(package))) if str(allowed) else ()
