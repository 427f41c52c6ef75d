"""Settings in files that the configuration class of the release at hand does not have: they are no facts of the run."""

from __future__ import annotations

from vcompat.facts.defaults import lacks
from vcompat.facts.facts import Facts
from vcompat.facts.stated import FILE


def drop_ignored(facts: Facts) -> None:
    """Remove what a file states for a setting that the class does not have.

    Parsers ignore it (TRL's before 0.19.0, and those that a script tells to), or refuse it, so that nothing runs.
    """
    configuration = str(facts.value("plan.configuration", "GRPOConfig"))
    for setting in (setting for stated in facts.stated for setting in stated.settings if setting.way == FILE):
        known = facts.known.get(f"plan.{setting.name}")
        if known is None or known.place != setting.place:
            continue
        if lacks(configuration, setting.name, lambda package: facts.value(f"packages.{package}")):
            del facts.known[f"plan.{setting.name}"]
