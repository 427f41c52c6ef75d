"""What a patch is made of. How it is applied: see ``engine``; the patches themselves: see ``vcompat.patches``."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple, Protocol

Undo = Callable[[], None]


class Effect(Protocol):
    """The change that a patch makes in one upstream module."""

    def install(self, module: ModuleType) -> Undo:
        """Make the change; return what takes it back. Raises Refusal where it must not be made."""

    def problem(self, module: ModuleType) -> str:
        """Look whether the change took; return what is wrong, or an empty string."""


class Refusal(Exception):
    """An effect found something in the process that it was not written for."""


class Change(NamedTuple):
    """One place in upstream code that a patch changes, and the guard in front of it."""

    module: str
    """Import name of the module; the change is made right after it was imported."""
    object: str
    """Qualified name of the function or class in it that has the fault."""
    effect: Effect
    shape: tuple[str, ...]
    """Texts without which the code is not the one that the patch was written for."""
    has: tuple[str, ...] = ()
    """Texts that the faulty code contains; without one of them it is mended."""
    lacks: tuple[str, ...] = ()
    """Texts that only mended code contains."""
    unneeded: Callable[[], str] | None = None
    """Asked before the change is made; returns why it is not needed on this machine, or an empty string."""
    too_late: Callable[[ModuleType], str] | None = None
    """Asked where the module was imported before `patch()`; returns why the change cannot help any more, or
    an empty string."""


class Patch(NamedTuple):
    """A repair of one upstream failure at run time."""

    id: str
    """The name of its file under ``vcompat/patches``."""
    title: str
    package: str
    """The distribution whose code it changes."""
    process: str
    """Where it must run: ``every rank`` (the processes that run the training script) or ``every vLLM process``."""
    changes: tuple[Change, ...]
