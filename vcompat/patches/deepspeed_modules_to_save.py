"""Lets ZeRO-3 train the modules that PEFT saves in full, in DeepSpeed 0.16.5 - 0.19.2.

Why: for each module DeepSpeed makes functions that count its gradients on the way back, and asks first whether the
module has them (`hasattr`). PEFT wraps a module of `modules_to_save` in one that forwards what it lacks to the module
inside, which was served first. So the wrapper seems served and uses the inner module's functions: what is counted on
one is asked of the other, and the backward pass dies with "'Linear' object has no attribute 'ds_grads_remaining'".
How: `hasattr`, as the file that asks sees it, looks for these names in the module's own attributes only.
Process: every rank.
Upstream: https://github.com/deepspeedai/DeepSpeed/issues/7203, https://github.com/deepspeedai/DeepSpeed/issues/7615;
0.19.3 asks `module.__dict__`.
Remove when: DeepSpeed below 0.19.3 is no longer supported.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from vcompat.patching.patch import Change, Patch, Refusal, Undo

_OWN = ("pre_bwd_fn", "post_bwd_fn", "applied_pre_backward_ref_cnt")


class _OwnAttributes:
    """Puts a `hasattr` into the module's globals, where it comes before the built-in one."""

    def install(self, module: ModuleType) -> Undo:
        if "hasattr" in vars(module):
            raise Refusal(f"{module.__name__} has a hasattr of its own")

        def hasattr_(owner: Any, name: str) -> bool:
            return name in vars(owner) if name in _OWN else hasattr(owner, name)

        vars(module)["hasattr"] = hasattr_
        return lambda: vars(module).pop("hasattr", None) and None

    def problem(self, module: ModuleType) -> str:
        return "" if "hasattr" in vars(module) else "the module's hasattr is gone"


PATCH = Patch(
    id="deepspeed_modules_to_save",
    title="Train PEFT's modules_to_save under ZeRO-3",
    package="deepspeed",
    process="every rank",
    changes=(
        Change(
            "deepspeed.runtime.zero.parameter_offload",
            "DeepSpeedZeRoOffload._register_deepspeed_module",
            _OwnAttributes(),
            shape=("module.post_bwd_fn.apply", "module.ds_grads_remaining"),
            # At the method's own level: up to 0.16.4 a hook asks, later, when the wrapper comes first.
            has=("\n    if not hasattr(module, 'post_bwd_fn'):",),
        ),
    ),
)
