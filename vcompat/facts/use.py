"""A use of a package by other code: a name that is imported, an argument that is passed, an attribute that is read."""

from __future__ import annotations

from typing import NamedTuple

IMPORT, ARGUMENT, METHOD, REPLACED, ATTRIBUTE = "imports", "passes", "calls", "replaces", "reads"


class Use(NamedTuple):
    """One use of the other package."""

    kind: str
    """IMPORT, ARGUMENT, METHOD, ATTRIBUTE or REPLACED (by a mock)."""
    module: str
    name: str
    """Name in the module, such as ``LLM`` or ``LLM.generate``; empty for the module itself.

    For ATTRIBUTE, parentheses mean what a call returns: ``f().logits``.
    """
    argument: str = ""
    """The keyword, for ARGUMENT."""
    guards: tuple[str, ...] = ()
    """Version ranges of the other package in which the code runs, such as ``>=0.26.0``; all must hold."""

    def __str__(self) -> str:
        target = f"{self.module}.{self.name}".rstrip(".")
        return f"{self.kind} {target}({self.argument}=)" if self.argument else f"{self.kind} {target}"
