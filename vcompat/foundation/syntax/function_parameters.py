"""What a function takes."""

from __future__ import annotations

import ast
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import Function


class Parameter(NamedTuple):
    """A parameter that a call can pass by position or by name."""

    name: str
    annotation: ast.expr | None
    default: ast.expr | None
    """None if it is required."""
    is_positional: bool
    """Whether a call can pass it by position."""


def parameters(function: Function, is_bound: bool = False) -> list[Parameter]:
    """Return the parameters of a function in order, without ``*args`` and ``**kwargs``.

    With `is_bound`, the first one is left out, which gets the object or the class.
    """
    takes = function.args
    positional = [*takes.posonlyargs, *takes.args]
    defaults = [*[None] * (len(positional) - len(takes.defaults)), *takes.defaults, *takes.kw_defaults]
    every = [
        Parameter(argument.arg, argument.annotation, default, index < len(positional))
        for index, (argument, default) in enumerate(zip([*positional, *takes.kwonlyargs], defaults, strict=True))
    ]
    return every[1:] if is_bound and positional else every
