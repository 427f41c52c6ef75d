"""A CUDA card as vLLM's modules see it, where vLLM's compiled platform code is not installed."""

from __future__ import annotations

from typing import Any


def install(capability: tuple[int, int], pins_memory: bool = False) -> None:
    """Make a card of this compute capability vLLM's platform. vLLM's modules must be importable.

    `pins_memory` states whether torch can pin host memory, which needs its CUDA build.
    """
    from vllm import platforms  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from vllm.platforms import interface

    class Card(interface.Platform):  # type: ignore[misc,unused-ignore]
        _enum = interface.PlatformEnum.CUDA
        device_name, device_type, dispatch_key = "cuda", "cuda", "CUDA"

        @classmethod
        def get_device_capability(cls, device_id: int = 0) -> Any:
            named = getattr(interface, "DeviceCapability", None)
            return named(*capability) if named else capability

        @classmethod
        def is_pin_memory_available(cls) -> bool:
            return pins_memory

    platforms.current_platform = Card()
