"""Which of the releases at hand make the configuration of a run: the others refuse it, whatever else they do."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.defaults import releases_with
from vcompat.facts.facts import Facts

_TRL = "packages.trl"


def with_what_is_set(facts: Facts) -> Facts:
    """Return `facts` without the releases of TRL that lack what the run sets; the same facts if all have it."""
    allowed = tuple(one for one in facts.candidates(_TRL) if isinstance(one, Version))
    fitting = releases_with(facts.stated, allowed) if allowed else ()
    if not fitting:
        return facts
    result = facts.copy()
    result.forget(_TRL, facts.why_unknown(_TRL), facts.open_at(_TRL), fitting)
    return result
