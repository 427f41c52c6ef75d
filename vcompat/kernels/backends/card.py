"""The platform: the release's own class for NVIDIA GPUs, for a card of a given compute capability."""

from __future__ import annotations

import importlib
from typing import Any


def install(capability: tuple[int, int]) -> Any:
    """Make `vllm.platforms.current_platform` the release's CUDA platform with this card; return it."""
    from vllm import platforms  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from vllm.platforms import interface

    # The module of the CUDA platform asks for the platform while it is imported.
    platforms.current_platform = _with_card(interface.Platform, interface, capability)()
    if hasattr(interface.Platform, "get_attn_backend_cls"):
        cuda = importlib.import_module("vllm.platforms.cuda")
        platforms.current_platform = _with_card(cuda.CudaPlatformBase, interface, capability)()
    return platforms.current_platform


def _with_card(base: Any, interface: Any, capability: tuple[int, int]) -> Any:
    """A platform class that states the card instead of asking NVML."""
    named = getattr(interface, "DeviceCapability", None)
    stated = named(*capability) if named else capability

    class Card(base):  # type: ignore[misc]
        _enum = interface.PlatformEnum.CUDA
        device_name, device_type, dispatch_key = "cuda", "cuda", "CUDA"

        @classmethod
        def get_device_capability(cls, device_id: int = 0) -> Any:
            return stated

    return Card
