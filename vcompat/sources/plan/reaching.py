"""Finds the bindings of a name that can determine its value at a position."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from vcompat.sources.plan.outline import INCLUSIVE, Arms, Binding, Position, Scope

#: Maximum number of bindings that are considered before a use, and after it.
MOST_BINDINGS = 100


class Use(NamedTuple):
    """The position of an expression."""

    scope: Scope
    arms: Arms
    at: Position


def reaching(owner: Scope, name: str, use: Use) -> list[Binding]:
    """Return the bindings of `name` whose value can be current at `use`."""
    bindings = owner.bindings.get(name, [])
    if len(bindings) <= 1 or owner is not use.scope:
        return bindings
    first_after = bisect_left(bindings, use.at, key=lambda binding: binding.at)
    before: list[Binding] = []
    # Go backwards to the last unconditional binding, which replaces all earlier ones.
    for index in range(first_after - 1, -1, -1):
        binding = bindings[index]
        if not exclude(binding.arms, use.arms):
            before.append(binding)
            if binding.arms == use.arms[: len(binding.arms)]:
                return before[::-1]
        if len(before) > MOST_BINDINGS:
            break
    after = bindings[first_after : first_after + MOST_BINDINGS]
    if not before:
        return [b for b in after if not exclude(b.arms, use.arms)]
    return before[::-1] + [b for b in after if share_loop(b.arms, use.arms)]


def exclude(one: Arms, other: Arms) -> bool:
    """Return whether two positions are in different arms of a branch, of which only one runs."""
    for (branch, arm), (other_branch, other_arm) in zip(one, other, strict=False):
        if branch != other_branch:
            return False
        if arm != other_arm:
            return arm < INCLUSIVE
    return False


def share_loop(one: Arms, other: Arms) -> bool:
    """Return whether two positions are in the same loop, so that the later one can run before the earlier one."""
    return any(arm == INCLUSIVE and (branch, arm) in other for branch, arm in one)
