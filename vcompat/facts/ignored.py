"""Settings in files that the release at hand ignores: they are no facts of the run."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.defaults import lacks
from vcompat.facts.facts import Facts
from vcompat.facts.stated import FILE

#: The first release whose TrlParser refuses keys that none of its classes has (rule setting-in-file-is-ignored).
_REFUSES_SINCE = Version("0.19.0")


def drop_ignored(facts: Facts) -> None:
    """Remove what a file of settings states for a setting that the configuration class of this TRL does not have."""
    trl = facts.value("packages.trl")
    if not isinstance(trl, Version) or trl >= _REFUSES_SINCE:
        return
    configuration = str(facts.value("plan.configuration", "GRPOConfig"))
    for setting in (setting for stated in facts.stated for setting in stated.settings if setting.way == FILE):
        known = facts.known.get(f"plan.{setting.name}")
        if known is None or known.place != setting.place:
            continue
        if lacks(configuration, setting.name, lambda package: facts.value(f"packages.{package}")):
            del facts.known[f"plan.{setting.name}"]
