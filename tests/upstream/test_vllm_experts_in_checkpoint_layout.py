"""vLLM's real choice of a kernel for experts, and its real arrangement of their weights, with the patch and without.

The platform says which GPU there is, and nothing is computed: which kernel vLLM makes of its choice needs a GPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from vcompat.patches.of_vllm.vllm_experts_in_checkpoint_layout import PATCH

MODULE = "vllm.model_executor.layers.fused_moe.oracle.unquantized"
#: Families of GPUs whose kernels are FlashInfer's: Hopper before 0.23.0, Blackwell in all releases.
HOPPER, BLACKWELL = 90, 120


class Platform:
    """Stands in for a machine with a GPU of one family."""

    def __init__(self, family: int) -> None:
        self.family = family

    def is_rocm(self) -> bool:
        return False

    def is_cuda(self) -> bool:
        return True

    def is_device_capability_family(self, family: int) -> bool:
        return family == self.family


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set vLLM's current configuration."""

    def configure(weight_transfer_config: Any = None) -> None:
        config = SimpleNamespace(weight_transfer_config=weight_transfer_config)
        module: Any = ModuleType("vllm.config.vllm")
        module.get_current_vllm_config_or_none = lambda: config
        monkeypatch.setitem(sys.modules, "vllm.config.vllm", module)

    configure()
    return configure


@pytest.fixture
def oracle_of(upstream_module: Callable[..., ModuleType]) -> Callable[[str, int], Any]:
    def swap(weight: torch.Tensor) -> torch.Tensor:
        return weight.unflatten(-2, (2, -1)).flip(-3).flatten(-3, -2)

    def loaded(version: str, family: int) -> Any:
        namespace = {
            "Enum": Enum,
            "MoEActivation": SimpleNamespace(SWIGLUOAI="swigluoai"),
            "current_platform": Platform(family),
            "swap_w13_to_w31": swap,
            "torch": torch,
        }
        objects = ("UnquantizedMoeBackend", "_get_priority_backends", "convert_to_unquantized_kernel_format")
        return upstream_module("vllm", version, MODULE, objects, namespace)

    return loaded


def order(oracle: Any) -> list[str]:
    """The names of the kernels that vLLM tries, without the one that neither GPU has."""
    config = SimpleNamespace(moe_parallel_config=SimpleNamespace(dp_size=1), activation="silu")
    names = [backend.name for backend in oracle._get_priority_backends(config)]
    return [name for name in names if name != "FLASHINFER_TRTLLM"]


def arranged(oracle: Any, checkpoint: torch.Tensor) -> torch.Tensor:
    """The experts in the order in which the first kernel gets them."""
    config = SimpleNamespace(is_act_and_mul=True)
    convert = oracle.convert_to_unquantized_kernel_format
    names = convert.__code__.co_varnames[: convert.__code__.co_argcount]
    place = {"moe_config": config} if "moe_config" in names else {"layer": SimpleNamespace(moe_config=config)}
    kernel = oracle.UnquantizedMoeBackend[order(oracle)[0]]
    weights = {"w13_weight": checkpoint.clone(), "w2_weight": checkpoint.clone()}
    result: torch.Tensor = convert(kernel, **place, **weights)[0]
    return result


@pytest.mark.parametrize(
    ("version", "family"),
    [("0.20.0", HOPPER), ("0.22.1", HOPPER), ("0.20.0", BLACKWELL), ("0.26.0", BLACKWELL), ("0.33.0", BLACKWELL)],
)
def test_experts_are_computed_in_the_order_of_the_checkpoint_only_with_the_patch(
    version: str, family: int, oracle_of: Any, configured: Any, engine_of: Any
) -> None:
    oracle = oracle_of(version, family)
    checkpoint = torch.arange(2 * 4 * 8.0).reshape(2, 4, 8)
    assert order(oracle)[0] == "FLASHINFER_CUTLASS"
    assert not torch.equal(arranged(oracle, checkpoint), checkpoint)
    engine = engine_of(PATCH)
    assert engine.patch(None, (), strict=True)[PATCH.id].status == "applied"
    assert order(oracle) == ["TRITON", "BATCHED_TRITON", "FLASHINFER_CUTLASS"]
    assert torch.equal(arranged(oracle, checkpoint), checkpoint)
    engine.unpatch()
    assert order(oracle)[0] == "FLASHINFER_CUTLASS"


def test_an_engine_with_a_weight_transfer_keeps_its_order(oracle_of: Any, configured: Any, engine_of: Any) -> None:
    oracle = oracle_of("0.33.0", BLACKWELL)
    before = order(oracle)
    engine_of(PATCH).patch(None, (), strict=True)
    configured(weight_transfer_config=object())
    assert order(oracle) == before
    configured()
    assert order(oracle) != before


def test_the_order_on_hopper_stays_where_triton_is_first(oracle_of: Any, configured: Any, engine_of: Any) -> None:
    oracle = oracle_of("0.23.0", HOPPER)
    before = order(oracle)
    engine_of(PATCH).patch(None, (), strict=True)
    assert order(oracle) == before
