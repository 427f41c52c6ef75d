"""The usual effect: replace one function of an upstream module or class with a wrapper."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from vcompat.patching.patch import Refusal, Undo

Function = Callable[..., Any]


class Wrap(NamedTuple):
    """Replaces a function with ``make(function)``. Keeps its name, signature and kind of method."""

    name: str
    """Qualified name in the module, such as ``Worker.sleep``."""
    make: Callable[[Function], Function]
    """Builds the replacement from the original."""
    home: str = ""
    """The module that defines the class, if the patched module only imports it; else empty."""

    def install(self, module: ModuleType) -> Undo:
        owner, attribute = _owner(module, self.name)
        descriptor = vars(owner)[attribute]
        original = getattr(descriptor, "__func__", descriptor)
        _refuse_if_replaced(original, self.home or module.__name__, self.name)
        wrapper = functools.wraps(original)(self.make(original))
        wrapper.__vcompat_wrapped__ = original  # type: ignore[attr-defined]
        method_kind = type(descriptor) if isinstance(descriptor, classmethod | staticmethod) else None
        replacement = method_kind(wrapper) if method_kind else wrapper
        setattr(owner, attribute, replacement)
        rebound = _rebind(original, wrapper) if owner is module else []

        def undo() -> None:
            if vars(owner).get(attribute) is not replacement:
                raise Refusal(f"{self.name} was replaced again by other code")
            setattr(owner, attribute, descriptor)
            for holder in rebound:
                setattr(holder, attribute, original)

        return undo

    def problem(self, module: ModuleType) -> str:
        owner, attribute = _owner(module, self.name)
        found = vars(owner).get(attribute)
        wrapper = getattr(found, "__func__", found)
        return "" if hasattr(wrapper, "__vcompat_wrapped__") else f"{self.name} is not the wrapper of the patch"


def _owner(module: ModuleType, qualified_name: str) -> tuple[Any, str]:
    """The class or module whose own namespace has the function, and the function's name in it."""
    *path, attribute = qualified_name.split(".")
    owner: Any = module
    for part in path:
        owner = vars(owner).get(part)
    if owner is None or attribute not in vars(owner):
        raise Refusal(f"{module.__name__} defines no {qualified_name}")
    return owner, attribute


def _refuse_if_replaced(function: Any, home: str, name: str) -> None:
    origin = getattr(function, "__module__", None)
    if origin != home:
        raise Refusal(f"{name} was already replaced by code from {origin or 'an unknown module'}")


def _rebind(original: Function, wrapper: Function) -> list[ModuleType]:
    """Rebind the name in modules of the package that imported it with ``from ... import``; return those modules."""
    package = original.__module__.partition(".")[0]
    name = original.__name__
    rebound = []
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] == package and getattr(module, "__dict__", {}).get(name) is original:
            setattr(module, name, wrapper)
            rebound.append(module)
    return rebound
