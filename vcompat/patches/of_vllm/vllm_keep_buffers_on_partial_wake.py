"""Keep a model's saved buffers until its weights are mapped again, in vLLM 0.8.5 - 0.26.0.

Why: these releases save the buffers before a level-2 sleep and restore them on the next `Worker.wake_up`, whatever its
tags are. A `wake_up(tags=["kv_cache"])` that comes first writes them to unmapped memory and discards them. The process
crashes, or the model continues with garbage in its rotary tables, masks and scales.
How: hide the saved buffers from a wake-up that leaves the weights asleep. The wake-up that maps the weights restores
them.
Process: every vLLM process (the worker; in colocate mode that is the rank itself).
Upstream: https://github.com/vllm-project/vllm/pull/45619 (closed), fixed by
https://github.com/vllm-project/vllm/pull/49774.
Remove when: vLLM below 0.27.0 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _hiding_the_buffers(wake_up: Callable[..., Any]) -> Callable[..., Any]:
    def wake_up_in_order(self: Any, tags: Any = None, *args: Any, **kwargs: Any) -> Any:
        saved = getattr(self, "_sleep_saved_buffers", None)
        if tags is None or "weights" in tags or not saved:
            return wake_up(self, tags, *args, **kwargs)
        self._sleep_saved_buffers = {}
        try:
            return wake_up(self, tags, *args, **kwargs)
        finally:
            self._sleep_saved_buffers = saved

    return wake_up_in_order


def _change(module: str) -> Change:
    return Change(
        module,
        "Worker.wake_up",
        Wrap("Worker.wake_up", _hiding_the_buffers),
        shape=("buffer.data.copy_(self._sleep_saved_buffers[name].data)", "self._sleep_saved_buffers = {}"),
        has=("_sleep_saved_buffers",),
        lacks=("'weights' in tags",),
    )


PATCH = Patch(
    id="vllm_keep_buffers_on_partial_wake",
    title="Keep saved buffers until the weights wake up",
    package="vllm",
    process="every vLLM process",
    changes=(_change("vllm.v1.worker.gpu_worker"), _change("vllm.worker.worker")),
)
