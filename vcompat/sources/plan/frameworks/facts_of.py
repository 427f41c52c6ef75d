"""What is the same for all frameworks: facts about the program itself."""

from __future__ import annotations

from vcompat.facts.facts import Facts
from vcompat.sources.plan.frameworks.program import Files, Presumed, Program
from vcompat.sources.plan.part import Mention, Part
from vcompat.sources.plan.settings import state


def facts_of(program: Program, runs_own_code: bool = False) -> Facts:
    """Return the facts of a framework's program. `runs_own_code`: it imports modules of the user, which may patch."""
    facts, place = Facts(), program.place
    state(facts, "plan.framework", program.framework, place)
    state(facts, "plan.notebook", False, place)
    if runs_own_code:
        facts.forget("plan.patched", f"{place}: the program imports modules of the project", place)
    else:
        state(facts, "plan.patched", [], place)
    for fact in ("plan.trainer", "plan.configuration", "plan.chat_template_ids", "plan.registers_models"):
        facts.forget(fact, f"{place}: {program.framework} has trainers of its own", place)
    return facts


def part_of(
    program: Program, facts: Facts, files: Files, presumed: Presumed = None, mentions: tuple[Mention, ...] = ()
) -> Part:
    """Return the part of a run that a framework's program states."""
    why = f"{program.place}: the defaults of {program.framework} are not recorded"
    presumes = tuple(presumed or ())
    return Part(
        facts, why_open=why, mentions=mentions, files=tuple(files.read), missing=tuple(files.missing), presumes=presumes
    )
