"""Asks NVML about the GPUs and prints the answer as one JSON object. Run by ``probe.nvml`` as a program of its own.

Its one argument is the path of the ``pynvml.py`` of the distribution nvidia-ml-py, loaded as a file, so that the
deprecated distribution ``pynvml`` can never be taken for it. A query that one GPU does not support leaves that one
field empty; an error of NVML as a whole becomes a status and a reason.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

#: NVML's error codes and the words for them; every other code is "failed".
STATUSES = {
    "NVML_ERROR_LIBRARY_NOT_FOUND": "library-not-found",
    "NVML_ERROR_FUNCTION_NOT_FOUND": "function-not-found",
    "NVML_ERROR_DRIVER_NOT_LOADED": "driver-not-loaded",
    "NVML_ERROR_LIB_RM_VERSION_MISMATCH": "driver-library-mismatch",
    "NVML_ERROR_NO_PERMISSION": "no-permission",
    "NVML_ERROR_GPU_IS_LOST": "gpu-lost",
    "NVML_ERROR_GPU_NOT_FOUND": "no-device",
    "NVML_ERROR_TIMEOUT": "timeout",
    "NVML_ERROR_IRQ_ISSUE": "interrupt-problem",
    "NVML_ERROR_OPERATING_SYSTEM": "blocked-by-system",
    "NVML_ERROR_RESET_REQUIRED": "reset-required",
    "NVML_ERROR_CORRUPTED_INFOROM": "corrupted-inforom",
    "NVML_ERROR_INSUFFICIENT_POWER": "insufficient-power",
}
_MIB = 1024 * 1024
#: nvidia-ml-py defines NVML_P2P_CAPS_INDEX_READ as the tuple (0,), which its own function does not take.
_P2P_READ = 0


def ask(nvml: ModuleType) -> dict[str, Any]:
    """Read everything; `nvml` is the module of nvidia-ml-py."""
    answer: dict[str, Any] = {"status": "ok", "reason": None, "driver": None, "cuda": None, "devices": []}
    try:
        nvml.nvmlInit()
        answer["driver"] = _try(nvml, lambda: _text(nvml.nvmlSystemGetDriverVersion()))
        cuda = _try(nvml, nvml.nvmlSystemGetCudaDriverVersion_v2)
        answer["cuda"] = f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None
        handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
        answer["devices"] = [_device(nvml, index, handle, handles) for index, handle in enumerate(handles)]
    except nvml.NVMLError as error:
        answer["status"], answer["reason"] = _status(nvml, error)
    return answer


def _status(nvml: ModuleType, error: Any) -> tuple[str, str]:
    for name, word in STATUSES.items():
        if getattr(nvml, name, None) == error.value:
            return word, f"NVML: {error}"
    return "failed", f"NVML: {error} (code {error.value})"


def _device(nvml: ModuleType, index: int, handle: Any, handles: list[Any]) -> dict[str, Any]:
    capability = _try(nvml, lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle))
    mig = _try(nvml, lambda: nvml.nvmlDeviceGetMigMode(handle)[0])
    return {
        "index": index,
        "uuid": _try(nvml, lambda: _text(nvml.nvmlDeviceGetUUID(handle))),
        "name": _try(nvml, lambda: _text(nvml.nvmlDeviceGetName(handle))),
        "compute_capability": f"{capability[0]}.{capability[1]}" if capability else None,
        "memory_mib": _memory(nvml, handle),
        "pci_bus_id": _try(nvml, lambda: _text(nvml.nvmlDeviceGetPciInfo(handle).busId)),
        "mig": None if mig is None else bool(mig),
        "mig_instances": _instances(nvml, handle) if mig else [],
        "peers": {str(i): _link(nvml, handle, other) for i, other in enumerate(handles) if i != index},
    }


def _instances(nvml: ModuleType, handle: Any) -> list[dict[str, Any]]:
    found = []
    for number in range(_try(nvml, lambda: nvml.nvmlDeviceGetMaxMigDeviceCount(handle)) or 0):
        instance = _try(nvml, lambda n=number: nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, n))
        if instance is not None:
            found.append(
                {
                    "uuid": _try(nvml, lambda i=instance: _text(nvml.nvmlDeviceGetUUID(i))),
                    "name": _try(nvml, lambda i=instance: _text(nvml.nvmlDeviceGetName(i))),
                    "memory_mib": _memory(nvml, instance),
                }
            )
    return found


def _link(nvml: ModuleType, one: Any, other: Any) -> str | None:
    """How two GPUs reach each other's memory: by NVLink, over PCIe, or not at all."""
    ok = nvml.NVML_P2P_STATUS_OK
    nvlink = _try(nvml, lambda: nvml.nvmlDeviceGetP2PStatus(one, other, nvml.NVML_P2P_CAPS_INDEX_NVLINK))
    if nvlink == ok:
        return "nvlink"
    read = _try(nvml, lambda: nvml.nvmlDeviceGetP2PStatus(one, other, _P2P_READ))
    return None if read is None else "pcie" if read == ok else "none"


def _memory(nvml: ModuleType, handle: Any) -> int | None:
    memory = _try(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
    return None if memory is None else int(memory.total) // _MIB


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _try(nvml: ModuleType, query: Callable[[], Any]) -> Any:
    """The answer to one query; None where this GPU or this driver does not offer it."""
    try:
        return query()
    except nvml.NVMLError as error:
        if error.value == nvml.NVML_ERROR_GPU_IS_LOST:
            raise
        return None


def _load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("pynvml", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pynvml"] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    json.dump(ask(_load(sys.argv[1])), sys.stdout)
