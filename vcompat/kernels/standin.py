"""The GPU that is not here: Triton's driver and vLLM's platform for a card of a given compute capability.

It stands for hardware and for nothing else. The driver states the target to compile for and the shared memory of a
block; a kernel is loaded and launched without effect. Two functions of torch and vLLM's class of platforms state the
capability and a name. Kernels, wrappers and compiler are real. `LAUNCHED` lists what was launched.
"""

from __future__ import annotations

from typing import Any

#: Bytes of shared memory that a block can have, by compute capability (CUDA C++ Programming Guide, technical
#: specifications), as `cuDeviceGetAttribute` reports it.
SHARED_MEMORY = {
    "7.0": 98304,
    "7.5": 65536,
    "8.0": 166912,
    "8.6": 101376,
    "8.9": 101376,
    "9.0": 232448,
    "10.0": 232448,
    "12.0": 101376,
}
NAME = "NVIDIA GPU"
LAUNCHED: list[str] = []


class Launcher:
    """Stands for the compiled C function that starts a kernel."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._name = str(getattr(metadata, "name", "") or source.name)

    def __call__(self, *arguments: Any, **options: Any) -> None:
        LAUNCHED.append(self._name)


class Utilities:
    """Stands for Triton's C functions that ask the driver of the GPU."""

    def __init__(self, capability: str, handles: int) -> None:
        self._shared = SHARED_MEMORY[capability]
        self._handles = handles
        self.unload_module = lambda module: None

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": self._shared, "multiprocessor_count": 64, "warpSize": 32}

    def load_binary(self, *arguments: Any) -> tuple[int, ...]:
        # Module, function, registers, spilled registers; from Triton 3.4 on, the most threads of a block.
        return (1, 1, 0, 0, 1024)[: self._handles]


class Driver:
    """Stands for Triton's driver of an NVIDIA GPU."""

    launcher_cls = Launcher

    def __init__(self, capability: str, target: Any, handles: int) -> None:
        self.utils = Utilities(capability, handles)
        self.get_current_target, self.get_current_device = lambda: target, lambda: 0
        self.get_current_stream = lambda device=0: 0
        self.get_device_capability = lambda device=0: tuple(map(int, capability.split(".")))


def install(capability: str) -> None:
    """Make Triton compile for a card of this capability, and vLLM see one. Call it before vLLM is imported."""
    import torch
    import triton  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from triton.backends import backends  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped,import-not-found,unused-ignore]

    handles = 5 if tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 4) else 4
    target = GPUTarget("cuda", int(capability.replace(".", "")), 32)
    triton.runtime.driver.set_active(Driver(capability, target, handles))
    # vLLM asks whether the driver of exactly one backend is active.
    backends["nvidia"].driver.is_active = staticmethod(lambda: True)
    card = tuple(map(int, capability.split(".")))
    torch.cuda.get_device_capability = lambda device=None: card  # type: ignore[assignment,return-value]
    torch.cuda.get_device_name = lambda device=None: NAME
    _install_platform(card)


def _install_platform(card: tuple[int, ...]) -> None:
    from vllm import platforms  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from vllm.platforms import interface

    class Card(interface.Platform):  # type: ignore[misc,unused-ignore]
        _enum = interface.PlatformEnum.CUDA
        device_name, device_type, dispatch_key = "cuda", "cuda", "CUDA"

        @classmethod
        def get_device_capability(cls, device_id: int = 0) -> Any:
            named = getattr(interface, "DeviceCapability", None)
            return named(*card) if named else card

        get_device_name = classmethod(lambda cls, device_id=0: NAME)

    platforms.current_platform = Card()
