"""The real executor of a release, around a worker that calls the real allocator.

``LLM.sleep`` and ``LLM.wake_up`` end in the executor, which remembers what sleeps and calls each worker.
"""

from __future__ import annotations

import ast
import logging
import time
import zipfile
from typing import Any

#: Its files over time, relative to the source tree.
PATHS = ("vllm/v1/executor/abstract.py", "vllm/executor/executor_base.py")
_METHODS = ("sleep", "wake_up", "is_sleeping")


class Worker:
    """What ``Worker.sleep`` and ``Worker.wake_up`` do with the allocator."""

    def __init__(self, allocator: Any) -> None:
        self._allocator = allocator

    def sleep(self, level: int) -> None:
        self._allocator.sleep(offload_tags=("weights",) if level == 1 else ())

    def wake_up(self, tags: list[str] | None = None) -> None:
        # Up to 0.8.2 there are no tags.
        self._allocator.wake_up(tags) if tags else self._allocator.wake_up()


def code(archive: str) -> str:
    """Return the methods of the executor that put workers to sleep, of the release in `archive`."""
    with zipfile.ZipFile(archive) as release:
        for path in PATHS:
            if path in release.namelist():
                found = _methods(release.read(path).decode())
                if found:
                    return found
    raise LookupError(f"{archive}: no executor with sleep()")


def _methods(text: str) -> str:
    body = ast.parse(text).body
    constants = [ast.unparse(node) for node in body if isinstance(node, ast.Assign) and "TAGS" in ast.unparse(node)]
    for node in body:
        if isinstance(node, ast.ClassDef):
            kept = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name in _METHODS]
            if "sleep" in {part.name for part in kept}:
                made = ast.ClassDef("Executor", [], [], list[ast.stmt](kept), [])
                return "\n".join([*constants, ast.unparse(ast.fix_missing_locations(made))])
    return ""


def executor(archive: str, allocator: Any) -> Any:
    """Return an executor of the release whose only worker uses `allocator`."""
    text = code(archive)
    namespace: dict[str, Any] = {"logger": logging.getLogger("vllm"), "time": time}
    exec("from __future__ import annotations\n" + text, namespace)
    made, worker = namespace["Executor"](), Worker(allocator)
    made.sleeping_tags = set()
    if "def is_sleeping" not in text:
        made.is_sleeping = False
    made.collective_rpc = lambda name, kwargs=None: getattr(worker, name)(**kwargs or {})
    return made
