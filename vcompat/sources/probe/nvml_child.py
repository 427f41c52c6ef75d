"""Queries NVML about the GPUs and prints the answer as one line of JSON. ``probe.nvml`` runs it as a program.

Its first argument is the path of ``pynvml.py`` in the distribution nvidia-ml-py. It is loaded from that path, so that
the deprecated distribution ``pynvml`` is never used instead. With a second argument, ``health``, it also asks for
errors, slowdowns and processes. If one query about a GPU fails, that field is None. An error of NVML as a whole, or a
lost GPU, sets status and reason.

Imports delay the answer, so there are few of them, and none from vcompat.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

#: NVML's error codes, with the status and its explanation. Every other code has the status "failed".
STATUSES = {
    "NVML_ERROR_LIBRARY_NOT_FOUND": (
        "library-not-found",
        "libnvidia-ml.so.1 was not found: there is no NVIDIA driver, or the container was started without GPUs",
    ),
    "NVML_ERROR_FUNCTION_NOT_FOUND": (
        "function-not-found",
        "libnvidia-ml.so.1 lacks a required function: the driver is too old",
    ),
    "NVML_ERROR_DRIVER_NOT_LOADED": (
        "driver-not-loaded",
        "the NVIDIA kernel driver is not loaded",
    ),
    "NVML_ERROR_LIB_RM_VERSION_MISMATCH": (
        "driver-library-mismatch",
        "the loaded kernel driver and libnvidia-ml.so.1 have different versions: "
        "reboot after a driver update, or remove the driver library from the container",
    ),
    "NVML_ERROR_NO_PERMISSION": (
        "no-permission",
        "this user or container has no permission to access the GPU",
    ),
    "NVML_ERROR_GPU_IS_LOST": (
        "gpu-lost",
        "the GPU has fallen off the bus or is not accessible",
    ),
    "NVML_ERROR_GPU_NOT_FOUND": (
        "no-device",
        "the driver found no GPU",
    ),
    "NVML_ERROR_TIMEOUT": (
        "timeout",
        "the driver timed out waiting for the GPU",
    ),
    "NVML_ERROR_IRQ_ISSUE": (
        "interrupt-problem",
        "the kernel detected an interrupt problem of the GPU",
    ),
    "NVML_ERROR_OPERATING_SYSTEM": (
        "blocked-by-system",
        "the operating system or the cgroup blocks access to the GPU",
    ),
    "NVML_ERROR_RESET_REQUIRED": (
        "reset-required",
        "the GPU needs a reset before it can be used again",
    ),
    "NVML_ERROR_CORRUPTED_INFOROM": (
        "corrupted-inforom",
        "the infoROM of the GPU is corrupted",
    ),
    "NVML_ERROR_INSUFFICIENT_POWER": (
        "insufficient-power",
        "the external power cables of the GPU are not attached properly",
    ),
}
_MIB = 1024 * 1024
#: nvidia-ml-py defines NVML_P2P_CAPS_INDEX_READ as the tuple (0,), which its own function does not accept.
_P2P_READ = 0
#: Reasons for lower clocks that are faults of cooling or power, by the bits of nvmlClocksEventReasons. A power limit
#: that software sets is no fault: a GPU under load reaches it.
SLOWDOWNS = {0x08: "hardware", 0x20: "temperature (driver)", 0x40: "temperature (hardware)", 0x80: "power brake"}


class Reader:
    """Builds the answer. `nvml` is the module of nvidia-ml-py."""

    def __init__(self, nvml: ModuleType, with_health: bool) -> None:
        self._nvml = nvml
        self._with_health = with_health
        self._lost: Any = None
        self.answer: dict[str, Any] = {"status": "ok", "reason": None, "driver": None, "cuda": None, "devices": []}

    def read(self) -> dict[str, Any]:
        """Return the answer, in the format of ``probe.nvml.Asked.result``."""
        nvml = self._nvml
        try:
            nvml.nvmlInit()
            self.answer["driver"] = self._ask(nvml.nvmlSystemGetDriverVersion)
            cuda = self._ask(nvml.nvmlSystemGetCudaDriverVersion_v2)
            self.answer["cuda"] = f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None
            count = nvml.nvmlDeviceGetCount()
        except nvml.NVMLError as error:
            self._fail(error, "NVML")
        else:
            handles = [self._handle(index) for index in range(count)]
            self.answer["devices"] = [self._device(index, handle) for index, handle in enumerate(handles)]
            self._connect(handles)
        return self.answer

    def _handle(self, index: int) -> Any:
        try:
            return self._nvml.nvmlDeviceGetHandleByIndex(index)
        except self._nvml.NVMLError as error:
            self._fail(error, f"GPU {index}")
            return None

    def _device(self, index: int, handle: Any) -> dict[str, Any]:
        nvml = self._nvml
        self._lost = None
        capability = self._ask(nvml.nvmlDeviceGetCudaComputeCapability, handle)
        pci = self._ask(nvml.nvmlDeviceGetPciInfo, handle)
        mig = self._ask(nvml.nvmlDeviceGetMigMode, handle)
        device = {
            "index": index,
            **self._identity(handle),
            "compute_capability": f"{capability[0]}.{capability[1]}" if capability else None,
            "pci_bus_id": _text(pci.busId) if pci else None,
            "mig": bool(mig[0]) if mig else None,
            "mig_instances": self._instances(handle) if mig and mig[0] else [],
            "peers": {},
        }
        if self._with_health:
            device["health"] = self._health(handle)
        if self._lost is not None:
            self._fail(self._lost, f"GPU {index}")
        return device

    def _health(self, handle: Any) -> dict[str, Any]:
        """Return what is wrong with a GPU, and who uses it, in the format of ``probe.nvml.Asked.result``."""
        nvml = self._nvml
        uncorrected = nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
        ecc = self._ask(nvml.nvmlDeviceGetEccMode, handle)
        rows = self._ask(nvml.nvmlDeviceGetRemappedRows, handle)
        # The older of two names, which every supported release of nvidia-ml-py and every driver has.
        slowed = self._ask(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle)
        memory = self._ask(nvml.nvmlDeviceGetMemoryInfo, handle)
        processes = self._ask(nvml.nvmlDeviceGetComputeRunningProcesses, handle)
        return {
            "ecc": bool(ecc[0]) if ecc else None,
            "uncorrected_errors": self._ask(
                nvml.nvmlDeviceGetTotalEccErrors, handle, uncorrected, nvml.NVML_VOLATILE_ECC
            ),
            "remapping_pending": bool(rows[2]) if rows else None,
            "remapping_failed": bool(rows[3]) if rows else None,
            "slowed_by": None if slowed is None else [name for bit, name in SLOWDOWNS.items() if slowed & bit],
            "used_mib": int(memory.used) // _MIB if memory else None,
            "processes": None if processes is None else [_process(process) for process in processes],
        }

    def _identity(self, handle: Any) -> dict[str, Any]:
        """Return the fields that GPUs and MIG instances have in common."""
        nvml = self._nvml
        memory = self._ask(nvml.nvmlDeviceGetMemoryInfo, handle)
        return {
            "uuid": self._ask(nvml.nvmlDeviceGetUUID, handle),
            "name": self._ask(nvml.nvmlDeviceGetName, handle),
            "memory_mib": int(memory.total) // _MIB if memory else None,
        }

    def _instances(self, handle: Any) -> list[dict[str, Any]]:
        nvml = self._nvml
        found = []
        for number in range(self._ask(nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
            instance = self._ask(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number)
            if instance is not None:
                found.append(
                    {
                        **self._identity(instance),
                        "gpu_instance": self._ask(nvml.nvmlDeviceGetGpuInstanceId, instance),
                        "compute_instance": self._ask(nvml.nvmlDeviceGetComputeInstanceId, instance),
                    }
                )
        return found

    def _connect(self, handles: list[Any]) -> None:
        """Record the link between each pair of GPUs."""
        devices = self.answer["devices"]
        for one, handle in enumerate(handles):
            for other in range(one):
                link = self._link(handle, handles[other])
                devices[one]["peers"][str(other)] = link
                devices[other]["peers"][str(one)] = link

    def _link(self, one: Any, other: Any) -> str | None:
        """Return "nvlink", "pcie" or "none"; None if NVML does not provide it."""
        nvml = self._nvml
        if self._ask(nvml.nvmlDeviceGetP2PStatus, one, other, nvml.NVML_P2P_CAPS_INDEX_NVLINK) == _ok(nvml):
            return "nvlink"
        read = self._ask(nvml.nvmlDeviceGetP2PStatus, one, other, _P2P_READ)
        return None if read is None else "pcie" if read == _ok(nvml) else "none"

    def _ask(self, query: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of one query; None if this GPU or driver does not provide it."""
        if None in arguments:
            return None
        try:
            answer = query(*arguments)
        except self._nvml.NVMLError as error:
            if error.value == self._nvml.NVML_ERROR_GPU_IS_LOST:
                self._lost = error
            return None
        return _text(answer)

    def _fail(self, error: Any, what: str) -> None:
        """Record the first error that affects NVML as a whole or a whole GPU."""
        if self.answer["status"] != "ok":
            return
        for name, (status, meaning) in STATUSES.items():
            if getattr(self._nvml, name, None) == error.value:
                self.answer["status"], self.answer["reason"] = status, f"{meaning} ({what}: {error})"
                return
        self.answer["status"], self.answer["reason"] = "failed", f"{what}: {error} (NVML code {error.value})"


def _process(process: Any) -> dict[str, int | None]:
    # The driver does not state the memory in MIG mode or to a container without permission.
    used = process.usedGpuMemory
    return {"pid": int(process.pid), "used_mib": None if used is None else int(used) // _MIB}


def _ok(nvml: ModuleType) -> int:
    return int(nvml.NVML_P2P_STATUS_OK)


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _find_library(name: str) -> str | None:
    del sys.modules["ctypes.util"]
    from ctypes.util import find_library

    return find_library(name)


def _load(path: str) -> ModuleType:
    # nvidia-ml-py imports ctypes.util and never uses it. The real module imports subprocess, shutil and tempfile, which
    # takes a third of this program's run time.
    module_type = type(sys)
    light = module_type("ctypes.util")
    light.find_library = _find_library  # type: ignore[attr-defined]
    sys.modules["ctypes.util"] = light
    module = sys.modules["pynvml"] = module_type("pynvml")
    SourceFileLoader("pynvml", path).exec_module(module)
    return module


def _has_library() -> bool:
    """Return whether the driver's library can be loaded, as nvidia-ml-py loads it."""
    from ctypes import CDLL

    try:
        CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def _answer(path: str, with_health: bool) -> dict[str, Any]:
    if not _has_library():
        # The answer of nvidia-ml-py, half of this program's run time earlier.
        status, meaning = STATUSES["NVML_ERROR_LIBRARY_NOT_FOUND"]
        reason = f"{meaning} (NVML: NVML Shared Library Not Found)"
        return {"status": status, "reason": reason, "driver": None, "cuda": None, "devices": []}
    try:
        return Reader(_load(path), with_health).read()
    except Exception as error:
        reason = f"cannot use {path}: {type(error).__name__}: {error}"
        return {"status": "failed", "reason": reason, "driver": None, "cuda": None, "devices": []}


if __name__ == "__main__":
    print(json.dumps(_answer(sys.argv[1], sys.argv[2:] == ["health"])), flush=True)
    # A regular interpreter shutdown takes milliseconds and is not needed.
    os._exit(0)
