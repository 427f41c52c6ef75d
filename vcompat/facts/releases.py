"""The releases of upstream packages that are recorded, for packages of which a range is known."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.facts.settings import settings_folder

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


@cache
def recorded_releases(package: str) -> tuple[Version, ...]:
    """Return the recorded releases of a package, oldest first; none for a package without a record."""
    try:
        with open(os.path.join(settings_folder(), package, "releases.json"), encoding="utf-8") as file:
            return tuple(map(Version, json.load(file)["releases"].split()))
    except (OSError, ValueError, KeyError, AttributeError):
        return ()


def allowed_releases(package: str, allowed: SpecifierSet) -> tuple[Version, ...]:
    """Return the recorded releases that a specifier allows; none if it limits nothing."""
    return tuple(allowed.filter(recorded_releases(package))) if str(allowed) else ()
