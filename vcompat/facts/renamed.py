"""A setting under its former name, assigned after the configuration is made: the release decides whether it counts."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts

FACT = "plan.gradient_checkpointing"
#: What a reader presumes of the fact.
OLDER = "transformers is older than 5.23, which ignores gradient_checkpointing after the configuration is made"
_RENAMES = Version("5.23.0")


def settle_renamed(facts: Facts) -> Facts:
    """Return `facts`, or a copy in which the known release of transformers decides about the presumption OLDER."""
    likely, release = facts.likely(FACT), facts.value("packages.transformers")
    if likely is None or not isinstance(release, Version):
        return facts
    others = tuple(one for one in likely.presumes if one.text != OLDER)
    if len(others) == len(likely.presumes):
        return facts
    result = facts.copy()
    if release >= _RENAMES:
        why = f"{likely.place}: assigned after the configuration is made, which transformers {release} ignores"
        result.forget(FACT, why, likely.place)
    elif others:
        result.set_likely(FACT, likely._replace(presumes=others))
    else:
        result.set(FACT, likely.value, likely.source, likely.place)
    return result
