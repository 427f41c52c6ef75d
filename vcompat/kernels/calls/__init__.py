"""How vLLM's wrappers are called: the arguments that its layers pass, as CPU tensors of a small batch.

A wrapper's parameters differ between releases, so an argument is passed if the wrapper has a parameter of its name. A
required parameter that is not known here is an error. The tensors are aligned as allocated ones are, since Triton
specializes a kernel for addresses, strides and numbers that are divisible by 16.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

#: A call: the module of a release, torch's data type, and the size that the grid states for the kernel.
Call = Callable[[Any, Any, int], None]


def call(wrapper: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call `wrapper` with those of `arguments` that it has parameters for, and return what it returns."""
    return wrapper(
        **{name: value for name, value in arguments.items() if name in inspect.signature(wrapper).parameters}
    )


def first_of(module: Any, *names: str) -> Callable[..., Any]:
    """Return the first function of these names that a module has. Raises AttributeError if it has none."""
    for name in names:
        if hasattr(module, name):
            found: Callable[..., Any] = getattr(module, name)
            return found
    raise AttributeError(f"{module.__name__} has none of {', '.join(names)}")
