"""Settings that a script assigns under their former names, after the configuration is made.

From transformers 5.23 on, the constructor copies ``gradient_checkpointing`` to ``activation_checkpointing``, and the
trainer reads only the latter. What is assigned to the former name later has no effect there; older releases read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.facts.renamed import OLDER
from vcompat.sources.reading.python.values.values import Held, NotPlainError, Obj, Unknown, Value, to_plain
from vcompat.sources.reading.scripts.script_facts import ScriptFacts, possible_values
from vcompat.sources.reading.settings import COUNTS_INSTEAD

_IGNORED = "assigned after the configuration is made, which transformers 5.23 and later ignore"


def assigned_later(made: Value | None, settings: Mapping[str, Held]) -> frozenset[str]:
    """Return the former names among `settings` whose values the configuration did not have when it was `made`."""
    if not isinstance(made, Obj):
        return frozenset()
    return frozenset(
        old
        for new, old in COUNTS_INSTEAD.items()
        if old in settings and new not in settings and not _is_same(made.cells.get(old), settings[old])
    )


def record_assigned(facts: ScriptFacts, fact: str, held: Held, uncertain: str, presuming: bool) -> None:
    """Record a fact of a setting that was assigned later: it is likely, since the release decides whether it counts."""
    if not presuming:
        facts.record(fact, held._replace(value=Unknown(_IGNORED, possible_values(held.value))), uncertain)
        return
    facts.record(fact, held, uncertain)
    known = facts.recorded(fact)
    if known is not None:
        presumes = (Presumption(RELEASE, OLDER, held.place),)
        facts.set(fact, known.value, known.source, known.place, presumes)


def all_assigned(each: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the names that are assigned later in any of several configurations."""
    return frozenset().union(*each)


def _is_same(before: Held | None, now: Held) -> bool:
    if before is None:
        return False
    try:
        return bool(to_plain(before.value) == to_plain(now.value)) and before.optional == now.optional
    except NotPlainError:
        return before.value is now.value
