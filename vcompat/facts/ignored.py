"""Settings that the configuration class of the release at hand does not have: they are no facts of the run."""

from __future__ import annotations

from vcompat.facts.defaults import lacks
from vcompat.facts.facts import Facts


def drop_ignored(facts: Facts) -> None:
    """Remove what the run files state for a setting that the class does not have.

    It is refused, so that nothing runs, or ignored: by TRL's parser of files before 0.19.0, and where a script says so.
    """
    configuration = str(facts.value("plan.configuration", "GRPOConfig"))
    for setting in (one for stated in facts.stated for one in stated.settings if one.name not in stated.own):
        known = facts.recorded(f"plan.{setting.name}")
        if known is None or known.place is None or known.place != setting.place:
            continue
        if lacks(configuration, setting.name, lambda package: facts.value(f"packages.{package}")):
            facts.drop(f"plan.{setting.name}")
