"""The releases of upstream packages that are recorded, for packages of which a range is known."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from packaging.version import Version

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from vcompat.facts.facts import Facts
    from vcompat.facts.presumption import Presumption

#: The packages whose releases are recorded one by one.
RECORDED = ("trl", "vllm", "torch", "transformers", "accelerate", "deepspeed", "peft")


@cache
def _names(package: str) -> tuple[str, ...]:
    # Imported here: without packages there is no release to look up.
    from vcompat.facts.records.recorded_settings import settings_folder

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
    sentences = []
    for package in RECORDED:
        release, last = facts.value(f"packages.{package}"), _last_before(facts, package)
        if last and isinstance(release, Version):
            sentences.append(f"{package} {release.public} is newer than the records, which end at {last}")
    return sentences


def presumed_unchanged(facts: Facts, names: Iterable[str]) -> list[Presumption]:
    """Return what is presumed of releases among the facts `names` that are newer than all that are recorded.

    What the records state of the last ones holds for them only if they changed nothing of it.
    """
    packages = [name.removeprefix("packages.") for name in names if name.startswith("packages.")]
    newer = [(package, last) for package in packages if package in RECORDED and (last := _last_before(facts, package))]
    if not newer:
        return []
    # Imported here: few releases are that new.
    from vcompat.facts.presumption import RELEASE, Presumption

    releases = [(f"{package} {facts.value(f'packages.{package}')}", last) for package, last in newer]
    return [Presumption(RELEASE, f"{release} is as {last}, the last recorded release") for release, last in releases]


def _last_before(facts: Facts, package: str) -> str:
    """Return the last recorded release of a package if the one of the run is newer; else empty."""
    known = facts.value(f"packages.{package}")
    last = _names(package)[-1:] if isinstance(known, Version) else ()
    return last[0] if last and isinstance(known, Version) and known.release > Version(last[0]).release else ""


def allowed_releases(package: str, allowed: SpecifierSet) -> tuple[Version, ...]:
    """Return the recorded releases that a specifier allows; none if it limits nothing."""
    return tuple(allowed.filter(recorded_releases(package))) if str(allowed) else ()
