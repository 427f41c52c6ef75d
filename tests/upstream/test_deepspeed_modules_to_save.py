"""DeepSpeed's real registration of modules, on a model with PEFT's real wrapper for `modules_to_save`.

Gathering and releasing partitions needs several GPUs and is left out: the hooks call methods that do nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

from tests.upstream.installed import installed
from vcompat.patches.of_deepspeed.deepspeed_modules_to_save import PATCH

OFFLOAD = "deepspeed.runtime.zero.parameter_offload"
UTILS = "deepspeed.runtime.zero.utils"
#: The modules whose forward pass is running.
STACK: list[torch.nn.Module] = []


@pytest.fixture(scope="module")
def wrapped_model() -> Callable[[], torch.nn.Module]:
    """Return a function that creates models whose last layer is in PEFT's `modules_to_save`."""
    (folder,) = installed("peft==0.21.2")
    with pytest.MonkeyPatch.context() as patching:
        patching.syspath_prepend(str(folder))
        import peft

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = torch.nn.Linear(4, 4)
            self.head = torch.nn.Linear(4, 2)

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            head: torch.Tensor = self.head(self.body(inputs))
            return head

    return lambda: peft.get_peft_model(Model(), peft.LoraConfig(target_modules=["body"], modules_to_save=["head"]))


def register(upstream_module: Callable[..., ModuleType], version: str) -> Callable[[torch.nn.Module], None]:
    """Return DeepSpeed's function that registers the hooks of a model, from a release."""
    no_partition = {"is_zero_param": lambda parameter: False, "torch": torch}
    names = {**no_partition, "isinstance_namedtuple": lambda value: hasattr(value, "_fields")}
    utils = upstream_module("deepspeed", version, UTILS, ("apply_to_tensors_only",), names)
    namespace = {
        "FWD_MODULE_STACK": STACK,
        "_init_external_params": lambda module: None,
        "apply_to_tensors_only": utils.apply_to_tensors_only,
        "instrument_w_nvtx": lambda function: function,
        **no_partition,
        "print_rank_0": lambda *args, **kwargs: None,
        "z3_leaf_module": lambda module: False,
    }
    name = "DeepSpeedZeRoOffload"
    methods = (f"{name}._register_deepspeed_module", f"{name}._register_hooks_recursively")
    offload = getattr(upstream_module("deepspeed", version, OFFLOAD, methods, namespace), name)()
    offload.forward_hooks, offload.backward_hooks, offload.module = [], [], None
    offload.pre_sub_module_forward_function = STACK.append
    for hook in ("post_sub_module_forward", "pre_sub_module_backward", "post_sub_module_backward"):
        setattr(offload, f"{hook}_function", lambda module: None)
    function: Callable[[torch.nn.Module], None] = offload._register_deepspeed_module
    return function


def train(model: torch.nn.Module) -> str:
    """Run a forward and a backward pass; return how it ended."""
    try:
        model(torch.ones(3, 4, requires_grad=True)).sum().backward()
    except AttributeError as error:
        return str(error)
    assert model.get_submodule("base_model.model.head.modules_to_save.default").weight.grad is not None
    return "trained"


@pytest.mark.parametrize("version", ["0.16.5", "0.17.6", "0.18.9", "0.19.2"])
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_the_backward_pass_works_only_with_the_patch(
    version: str, patched: bool, upstream_module: Any, outcome: Any, wrapped_model: Any
) -> None:
    registration = register(upstream_module, version)
    if patched:
        assert outcome(PATCH) == "applied"
    model = wrapped_model()
    registration(model)
    ending = train(model)
    assert ending == "trained" if patched else "has no attribute 'ds_grads_remaining'" in ending


def test_unpatch_restores_the_original_behavior(upstream_module: Any, engine_of: Any, wrapped_model: Any) -> None:
    registration = register(upstream_module, "0.17.6")
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    engine.unpatch()
    model = wrapped_model()
    registration(model)
    assert "ds_grads_remaining" in train(model)


@pytest.mark.parametrize("version", ["0.16.4", "0.19.3"])
def test_neighboring_releases_train_and_are_not_patched(
    version: str, upstream_module: Any, outcome: Any, wrapped_model: Any
) -> None:
    registration = register(upstream_module, version)
    assert outcome(PATCH) == "not needed"
    model = wrapped_model()
    registration(model)
    assert train(model) == "trained"
