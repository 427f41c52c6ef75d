"""Restore a model's buffers after level-2 sleep, in vLLM 0.7.0 - 0.8.4.

Why: level-2 sleep (`Worker.sleep`) frees the memory of weights *and* buffers. `load_weights` restores parameters only.
Buffers that no checkpoint contains (rotary tables, masks, scales) stay uninitialized, and the model generates
gibberish without an error.
How: before a level-2 sleep, the worker's buffers are copied to host memory. A wake-up that maps the weights again
copies them back. No work is added to a training or generation step.
Process: every vLLM process (the worker; in colocate mode that is the rank itself).
Upstream: https://github.com/vllm-project/vllm/issues/16564, fixed by
https://github.com/vllm-project/vllm/pull/16889.
Remove when: vLLM below 0.8.5 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _saving(sleep: Callable[..., Any]) -> Callable[..., Any]:
    def saving_sleep(self: Any, level: int = 1, *args: Any, **kwargs: Any) -> Any:
        if level == 2:
            buffers = self.model_runner.model.named_buffers()
            self._vcompat_buffers = {name: buffer.cpu().clone() for name, buffer in buffers}
        return sleep(self, level, *args, **kwargs)

    return saving_sleep


def _restoring(wake_up: Callable[..., Any]) -> Callable[..., Any]:
    def restoring_wake_up(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = wake_up(self, *args, **kwargs)
        tags = args[0] if args else kwargs.get("tags")
        if tags is None or "weights" in tags:
            saved = self.__dict__.pop("_vcompat_buffers", {})
            for name, buffer in self.model_runner.model.named_buffers():
                if name in saved:
                    buffer.data.copy_(saved[name].data)
        return result

    return restoring_wake_up


def _changes(module: str) -> tuple[Change, Change]:
    return (
        Change(
            module,
            "Worker.sleep",
            Wrap("Worker.sleep", _saving),
            shape=("level", "CuMemAllocator.get_instance()", "allocator.sleep("),
            lacks=("named_buffers",),
        ),
        Change(
            module,
            "Worker.wake_up",
            Wrap("Worker.wake_up", _restoring),
            shape=("CuMemAllocator.get_instance()", "allocator.wake_up("),
            lacks=("_sleep_saved_buffers",),
        ),
    )


PATCH = Patch(
    id="vllm_restore_sleep_buffers",
    title="Restore buffers after level-2 sleep",
    package="vllm",
    process="every vLLM process",
    changes=_changes("vllm.v1.worker.gpu_worker") + _changes("vllm.worker.worker"),
)
