"""States what a trainer gets besides its configuration: kinds of reward functions, and tools."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.values import (
    NONE,
    Bound,
    ClassValue,
    Const,
    Function,
    Held,
    Obj,
    Partial,
    Seq,
    Unknown,
    Value,
)
from vcompat.sources.reading.scripts.executed import Executed, why_uncalled
from vcompat.sources.reading.scripts.reward_numbers import always_scores
from vcompat.sources.reading.scripts.script_facts import ScriptFacts

REWARDS = "plan.reward_kinds"
TOOLS = "plan.tools"
SCORES = "plan.scores_all"
#: The arguments with which a completion can call tools. TRL takes other names for an error.
_TOOLS = ("tools", "environment_factory")
#: Code that may give a name to an object that has none.
_NAMES = re.compile(rb"[.'\"]__name__|def\s+__name__|__name__\s*=[^=]|update_wrapper|\bwraps\b")


def state_arguments(facts: ScriptFacts, ran: Executed) -> None:
    """State ``plan.reward_kinds``, and ``plan.tools`` if there may be tools."""
    can_name = _NAMES.search(ran.source) is not None
    rewarded = [event.settings.get("reward_funcs", Held(Unknown())) for event in ran.trainers]
    if rewarded and all(map(_scores_all, rewarded)):
        facts.record(SCORES, rewarded[0]._replace(value=Const(True)), why_uncalled(ran.trainers))
    for event in ran.trainers:
        rewards = event.settings.get("reward_funcs")
        if rewards is not None:
            kinds = _kinds(ran.run, rewards.value, can_name)
            facts.record(REWARDS, rewards._replace(value=kinds), event.uncertain)
        given = [event.settings[name] for name in _TOOLS if name in event.settings]
        tools = Unknown(event.why_open) if event.why_open and not given else _is_given(given)
        if tools != Const(False):
            facts.record(TOOLS, Held(tools, given[0].place if given else event.place), event.uncertain)


def _scores_all(rewards: Held) -> bool:
    """Return whether one of the reward functions returns a number for each completion, or is the name of a model."""
    items = rewards.value.items if isinstance(rewards.value, Seq) else (rewards,)
    values = [item.value for item in items or () if not item.optional and not rewards.optional]
    functions = [value for value in values if isinstance(value, Function) and not value.decorated]
    return any(isinstance(value, Const) for value in values) or any(always_scores(one.node) for one in functions)


def _kinds(run: Run, value: Value, can_name: bool) -> Value:
    """Return the kinds of reward functions as a constant list; Unknown if one of them is not known."""
    items = value.items if isinstance(value, Seq) else (Held(value),)
    kinds = {None} if items is None else {None if item.optional else _kind(run, item.value) for item in items}
    if None in kinds or (can_name and kinds & {"object", "async object", "partial"}):
        return Unknown("a reward function is not known")
    return Const(tuple(sorted(filter(None, kinds))))


def _kind(run: Run, value: Value) -> str | None:
    if isinstance(value, Bound):
        return _kind(run, value.function)
    if isinstance(value, Function):
        is_async = isinstance(value.node, ast.AsyncFunctionDef)
        return None if value.decorated else "async function" if is_async else "function"
    if isinstance(value, Const):
        return "model" if isinstance(value.value, str) else None
    if isinstance(value, Obj):
        return _kind_of_object(run, value)
    return "partial" if isinstance(value, Partial) else None


def _kind_of_object(run: Run, value: Obj) -> str | None:
    """Return the kind of an object of the script's own class: a class of a library may have a name."""
    owners = run.objects.lineage(value.kind) if isinstance(value.kind, ClassValue) else []
    classes = [owner for owner in owners if isinstance(owner, ClassValue)]
    calls = [owner.cells["__call__"].value for owner in classes if "__call__" in owner.cells]
    # A decorator may put another class in the place of this one.
    is_replaced = any(owner.node.decorator_list and not owner.is_dataclass for owner in classes)
    if value.why_open or is_replaced or len(classes) < len(owners) or not calls:
        return None
    kind = _kind(run, calls[0])
    return kind and kind.replace("function", "object")


def _is_given(given: Sequence[Held]) -> Value:
    """Return whether the trainer gets a tool."""
    for held in given:
        items = held.value.items if isinstance(held.value, Seq) else None
        if held.value == NONE or items == ():
            continue
        is_known = items is not None or isinstance(held.value, Function | Bound | Partial | ClassValue | Obj)
        if held.optional or not is_known:
            return Unknown("whether there are tools is not known")
        return Const(True)
    return Const(False)
