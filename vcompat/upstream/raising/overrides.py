"""Methods that subclasses override: what they do not take of what a release passes to the method."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import Function
from vcompat.foundation.syntax.terms import dotted
from vcompat.upstream.offers.definitions import Defined
from vcompat.upstream.raising.changed_parameters import Takes, of_function, refusal, unknown


class Problem(NamedTuple):
    """What an override does not take, in words."""

    text: str
    is_certain: bool
    """Whether the class itself calls the method with it."""


def problems(
    overrides: Sequence[tuple[str, Function]],
    owners: tuple[Defined | None, Defined | None],
    before: Takes,
    after: Takes,
) -> Iterator[Problem]:
    """Yield what is wrong with functions that override a method. `owners` are its class in both releases."""
    old = {p.name for p in before.named}
    for place, function in overrides:
        if function.name == "__init__":
            continue
        own = of_function(function, is_method=True)
        known, now = (_refused(owner, function.name, own) for owner in owners)
        added = [p.name for p in after.named if p.name not in old and p.name not in {q.name for q in own.named}]
        if now and not known:
            yield Problem(f"{place} overrides it and is called with more: {now}", is_certain=True)
        elif added and not own.takes_others:
            yield Problem(f"{place} overrides it without {', '.join(added)}", is_certain=False)


def _refused(owner: Defined | None, name: str, own: Takes) -> str:
    """Why a call of a method in its own class fails for an override."""
    for node in ast.walk(owner.node) if owner and owner.node else ():
        call = node if isinstance(node, ast.Call) and dotted(node.func) == f"self.{name}" else None
        reason = refusal(call, own) or unknown(call, own) if call else ""
        if reason:
            return reason
    return ""
