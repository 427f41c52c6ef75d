"""Keep the references to None that sleep mode's C extension takes, in Python 3.10 and 3.11.

Why: vLLM's wheels are built with the headers of Python 3.12 or newer, where None has no reference count, and returns
None without one. In an older Python each call of `create_and_map` and `unmap_and_release` then takes a reference from
None: two for each allocation that sleeps and wakes up. When none is left, Python aborts: "none_dealloc: deallocating
None", after some hundred to some thousand cycles.
How: after each of these calls, add the reference that it took. If vLLM was built with the headers of the same Python,
nothing was taken; None then has more references than it needs, which does no harm.
Process: every vLLM process (the worker; in colocate mode that is the rank itself).
Upstream: https://github.com/vllm-project/vllm/pull/49950 (not in a release up to 0.33.0).
Remove when: Python below 3.12 or vLLM below the release with the fix is no longer supported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _returning_the_reference(function: Callable[..., None]) -> Callable[..., None]:
    import ctypes

    add, none = ctypes.pythonapi.Py_IncRef, ctypes.py_object(None)

    def call_and_return_the_reference(*args: object) -> None:
        function(*args)
        # Not after an exception: such a call returns no None.
        add(none)

    return call_and_return_the_reference


def _none_is_immortal() -> str:
    return "None has no reference count in Python 3.12 and later" if sys.version_info >= (3, 12) else ""


def _change(name: str) -> Change:
    return Change(
        "vllm.device_allocator.cumem",
        name,
        Wrap(name, _returning_the_reference),
        shape=(f"python_{name}(*allocation_handle)",),
        unneeded=_none_is_immortal,
    )


PATCH = Patch(
    id="vllm_keep_references_to_none",
    title="Keep None's references in sleep mode (Python 3.10 and 3.11)",
    package="vllm",
    process="every vLLM process",
    changes=(_change("create_and_map"), _change("unmap_and_release")),
)
