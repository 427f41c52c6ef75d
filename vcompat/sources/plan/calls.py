"""Calls that configure something, and what several of them say together."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vcompat.sources.plan.values import Values, one_of, unknown


class Setting(NamedTuple):
    """A setting that one call, or an assignment after it, makes."""

    values: Values
    node: ast.AST


class Call(NamedTuple):
    """One call that configures something: its name, its settings, and whether there may be others."""

    name: str
    node: ast.AST
    settings: dict[str, Setting]
    open_ended: bool


def merged(calls: Sequence[Call], what: str, pass_on: bool = False) -> Iterator[tuple[str, Setting]]:
    """What `calls` say together of each setting. Where they differ, or not all speak of it, it is open.

    `what` is what one of them makes, such as "configuration". With `pass_on`, a call whose settings come from
    elsewhere has them from another of the calls, and what it leaves out is no difference.
    """
    for name in dict.fromkeys(name for call in calls for name in call.settings):
        stated = [call.settings[name] for call in calls if name in call.settings]
        values, node = stated[0]
        if len(stated) > 1:
            values = one_of([s.values for s in stated], f"is set in more than one way, in {_lines(stated)}")
        if any(name not in call.settings and not (pass_on and call.open_ended) for call in calls):
            values = unknown(f"is set in {_lines(stated)} only, not in every {what}", values.candidates)
        yield name, Setting(values, node)


def _lines(stated: Sequence[Setting]) -> str:
    lines = sorted({getattr(setting.node, "lineno", 0) for setting in stated})
    return ("lines " if len(lines) > 1 else "line ") + ", ".join(map(str, lines[:8])) + ("..." if lines[8:] else "")
