"""Facts about what a script does that are false where a script was read and does not do it."""

from __future__ import annotations

from vcompat.facts.facts import Facts

_DONE_BY_SCRIPTS = (
    "plan.notebook",
    "plan.chat_template_ids",
    "plan.ends_process_groups",
    "plan.tools",
    "plan.scores_all",
)


def set_absent(facts: Facts) -> None:
    """State what the script does not do, if one was read."""
    # Every script that was read states which patches it applies.
    if facts.get("plan.patched") is not None:
        for name in _DONE_BY_SCRIPTS:
            facts.offer(name, False, "the script")
