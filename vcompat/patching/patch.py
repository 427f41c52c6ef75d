"""The parts of a patch. ``engine`` applies patches; the patches themselves are in ``vcompat.patches``."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple, Protocol

Undo = Callable[[], None]


class Effect(Protocol):
    """The modification that a patch makes in one upstream module."""

    def install(self, module: ModuleType) -> Undo:
        """Make the change and return a function that undoes it. Raises Refusal if it must not be made."""

    def problem(self, module: ModuleType) -> str:
        """Check that the change is in place; return what is wrong, or an empty string."""


class Refusal(Exception):
    """Raised by an effect that does not support the code or state of this process."""


class Change(NamedTuple):
    """One place in upstream code that a patch changes, and its guard."""

    module: str
    """Import name of the module; the change is made right after its import."""
    object: str
    """Qualified name of the affected function or class in the module."""
    effect: Effect
    shape: tuple[str, ...]
    """Texts that the code must contain; otherwise it is not the code that the patch was written for."""
    has: tuple[str, ...] = ()
    """Texts that the affected code contains; if one is missing, the code is fixed."""
    lacks: tuple[str, ...] = ()
    """Texts that only fixed code contains."""
    unneeded: Callable[[], str] | None = None
    """Called before the change is made; returns why it is not needed in this process, or an empty string."""
    too_late: Callable[[ModuleType], str] | None = None
    """Called if the module was imported before `patch()`; returns why the change comes too late, or an empty string."""


class Patch(NamedTuple):
    """A run-time fix of one upstream failure."""

    id: str
    """The name of its file under ``vcompat/patches``."""
    title: str
    """One line: what the patch does."""
    package: str
    """The distribution whose code it changes."""
    process: str
    """Processes that need it: ``every rank`` (those that run the training script) or ``every vLLM process``."""
    changes: tuple[Change, ...]
