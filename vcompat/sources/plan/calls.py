"""Calls that create a configuration or an engine, and the settings that several calls have in common."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vcompat.sources.plan.values import Values, one_of, unknown


class Setting(NamedTuple):
    """A setting from the arguments of a call, or from a later assignment to its result."""

    values: Values
    node: ast.AST


class Call(NamedTuple):
    """A call that creates a configuration or an engine.

    `open_ended` means that the call may have more settings than those that were read.
    """

    name: str
    node: ast.AST
    settings: dict[str, Setting]
    open_ended: bool


def merged(calls: Sequence[Call], what: str, pass_on: bool = False) -> Iterator[tuple[str, Setting]]:
    """Yield each setting of `calls`. It is unknown if the calls set different values, or if some do not set it.

    `what` names the result of a call, such as "configuration". With `pass_on`, an open-ended call is assumed to receive
    its settings from another of the calls, so a setting that it does not name does not count as a difference.
    """
    for name in dict.fromkeys(name for call in calls for name in call.settings):
        stated = [call.settings[name] for call in calls if name in call.settings]
        values, node = stated[0]
        if len(stated) > 1:
            values = one_of([s.values for s in stated], f"set to different values in {_lines(stated)}")
        if any(name not in call.settings and not (pass_on and call.open_ended) for call in calls):
            values = unknown(f"set in {_lines(stated)} only, not for every {what}", values.candidates)
        yield name, Setting(values, node)


def _lines(stated: Sequence[Setting]) -> str:
    lines = sorted({getattr(setting.node, "lineno", 0) for setting in stated})
    return ("lines " if len(lines) > 1 else "line ") + ", ".join(map(str, lines[:8])) + ("..." if lines[8:] else "")
