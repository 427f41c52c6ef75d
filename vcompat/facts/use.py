"""A use of a package by other code: a name that is imported, an argument that is passed, an attribute that is read."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.place import Place
from vcompat.facts.presumption import Presumption

IMPORT, ARGUMENT, METHOD, REPLACED, ATTRIBUTE = "imports", "passes", "calls", "replaces", "reads"
#: A chain of attributes that begins with an import: ``trl.extras.vllm_client``, or ``Trainer.train`` of a class.
CHAIN = "names"
#: A method that a class of the project overrides, and that nothing in the project calls.
OVERRIDE = "overrides"


class Use(NamedTuple):
    """One use of the other package."""

    kind: str
    """IMPORT, ARGUMENT, METHOD, ATTRIBUTE, REPLACED (by a mock), CHAIN or OVERRIDE."""
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


class Used(NamedTuple):
    """A use in the code of a run, and what it needs to be reached."""

    use: Use
    package: str
    """The distribution, such as ``ms-swift``."""
    place: Place
    presumes: tuple[Presumption, ...] = ()
    """What was presumed for it to run; empty if it runs for certain."""
    branch: str = ""
    """The condition on which it depends, with its place; empty if it depends on none that is not known."""
