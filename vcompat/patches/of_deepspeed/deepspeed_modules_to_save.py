"""Fix the ZeRO-3 backward pass of PEFT's `modules_to_save`, in DeepSpeed 0.16.5 - 0.19.2.

Why: DeepSpeed creates autograd functions for each module, which count its gradients in the backward pass. First
`DeepSpeedZeRoOffload._register_deepspeed_module` checks with `hasattr` whether the module already has them. PEFT wraps
a module of `modules_to_save` in one that forwards missing attributes to the wrapped module, which DeepSpeed registers
first. So the wrapper passes the check and reuses the functions of the wrapped module. The gradient count is stored on
one module and read from the other: "'Linear' object has no attribute 'ds_grads_remaining'".
How: define a `hasattr` in the upstream module that looks for these names in the checked module's own attributes only.
Process: every rank.
Upstream: https://github.com/deepspeedai/DeepSpeed/issues/7203, https://github.com/deepspeedai/DeepSpeed/issues/7615;
0.19.3 checks `module.__dict__`.
Remove when: DeepSpeed below 0.19.3 is no longer supported.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from vcompat.patching.patch import Change, Patch, Refusal, Undo

_OWN = ("pre_bwd_fn", "post_bwd_fn", "applied_pre_backward_ref_cnt")


class _OwnAttributes:
    """Defines `hasattr` in the globals of the upstream module, where it shadows the built-in function."""

    def install(self, module: ModuleType) -> Undo:
        if "hasattr" in vars(module):
            raise Refusal(f"{module.__name__} already defines hasattr")

        def hasattr_(owner: Any, name: str) -> bool:
            return name in vars(owner) if name in _OWN else hasattr(owner, name)

        vars(module)["hasattr"] = hasattr_
        return lambda: vars(module).pop("hasattr", None) and None

    def problem(self, module: ModuleType) -> str:
        return "" if "hasattr" in vars(module) else "the hasattr defined by the patch is missing"


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
            # The check at the method's top level. Up to 0.16.4 a hook does it later, when the wrapper comes first.
            has=("\n    if not hasattr(module, 'post_bwd_fn'):",),
        ),
    ),
)
