"""The GPU that is not here: Triton's driver and vLLM's platform for a card of a given compute capability.

It stands for hardware and for nothing else. The driver states the target to compile for and the shared memory that the
card offers to a block; a kernel is loaded and launched without effect. The platform is vLLM's own class with the
capability of the card. Kernels, their wrappers and the compiler are real. `LAUNCHED` lists the kernels that the wrapper
launched. Nothing here imports vcompat, since it runs beside upstream packages of many releases.
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
#: Names of the kernels that were launched, in order.
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

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": self._shared, "multiprocessor_count": 64, "warpSize": 32}

    def load_binary(self, *arguments: Any) -> tuple[int, ...]:
        # Module, function, registers, spilled registers and, from Triton 3.4 on, the most threads of a block.
        return (1, 1, 0, 0, 1024)[: self._handles]

    def unload_module(self, module: int) -> None:
        """There is nothing to unload."""


class Driver:
    """Stands for Triton's driver of an NVIDIA GPU."""

    launcher_cls = Launcher

    def __init__(self, capability: str, target: Any, handles: int) -> None:
        self.utils = Utilities(capability, handles)
        self.get_current_target = lambda: target
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda device=0: 0
        self.get_device_capability = lambda device=0: tuple(map(int, capability.split(".")))


def install(capability: str) -> None:
    """Make Triton compile for a card of this capability, and vLLM see one. To be called before vLLM is imported."""
    import triton  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from triton.backends import backends  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped,import-not-found,unused-ignore]

    handles = 5 if tuple(map(int, triton.__version__.split(".")[:2])) >= (3, 4) else 4
    driver = Driver(capability, GPUTarget("cuda", int(capability.replace(".", "")), 32), handles)
    triton.runtime.driver.set_active(driver)
    # vLLM asks whether the driver of exactly one backend is active.
    backends["nvidia"].driver.is_active = staticmethod(lambda: True)
    _install_platform(tuple(map(int, capability.split("."))))


def _install_platform(capability: tuple[int, ...]) -> None:
    from vllm import platforms  # type: ignore[import-untyped,import-not-found,unused-ignore]
    from vllm.platforms import interface

    class Card(interface.Platform):  # type: ignore[misc,unused-ignore]
        _enum = interface.PlatformEnum.CUDA
        device_name, device_type, dispatch_key = "cuda", "cuda", "CUDA"

        @classmethod
        def get_device_capability(cls, device_id: int = 0) -> Any:
            named = getattr(interface, "DeviceCapability", None)
            return named(*capability) if named else capability

    platforms.current_platform = Card()
