"""Samples the memory that this process has of the host, and that is used of the GPUs on which it trains.

NVML states what is used of a GPU by all processes, with CUDA contexts and with vLLM's pool for sleep mode, which
torch's statistics leave out. CUDA is not asked: a call from another thread can break the capture of a CUDA graph.
A thread takes a sample every few hundredths of a second, and the end of a phase takes one, too. What torch's allocator
has then is read without a reset of its peaks, which the user's script may print.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from typing import IO, Any

from vcompat.rehearsal.inside.written_files import opened
from vcompat.rehearsal.protocol import MEMORY, file_suffix
from vcompat.sources.probe.nvml_child import Reader
from vcompat.sources.probe.visible import visible_devices

#: Seconds between two samples of the thread, and samples between two questions who uses a GPU.
_PAUSE, _SELDOM = 0.05, 10
#: Seconds that the end of a phase waits for a sample of the thread, which may hang in the driver.
_PATIENCE = 0.2
_MIB = 1024 * 1024
#: The inode of the first PID namespace. In any other, NVML states process IDs that are not those of this namespace.
_FIRST_NAMESPACE = 0xEFFFFFFC


class Memory:
    """The samples of one process, which go to a file of their own: a sample is no progress."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, MEMORY + file_suffix(os.uname().nodename, os.getpid()))
        self._file: IO[bytes] | None = None
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._gpus = _Gpus()
        self._last: dict[str, Any] = {}

    def start(self) -> None:
        """Begin to take samples."""
        if self._file is not None:
            return
        # Without a file or a thread, nothing is sampled, and the training goes on.
        with suppress(OSError, RuntimeError):
            self._file = opened(self._path)
            threading.Thread(target=self._run, name="vcompat-memory", daemon=True).start()

    def end(self) -> None:
        """Take no more samples."""
        self._ended.set()

    def at_phase(self, when: float) -> None:
        """Take a sample in the main thread, where a phase begins or ends; `when` is in seconds since 1970."""
        if self._file is not None and os.getpid() == self._pid:
            with suppress(Exception):
                self._gpus.look()
                self._sample(when, reserved=_reserved())

    def _run(self) -> None:
        # Without NVML, the host's memory is all that is sampled.
        with suppress(Exception):
            self._gpus.open()
        count = 0
        while not self._ended.wait(_PAUSE):
            # The driver may answer again.
            with suppress(Exception):
                self._sample(time.time(), asks=count % _SELDOM == 0)
            count += 1

    def _sample(self, when: float, reserved: int | None = None, asks: bool = False) -> None:
        if not self._lock.acquire(timeout=_PATIENCE):
            return
        try:
            for gpu in self._gpus.new():
                self._write(gpu)
            values: dict[str, Any] = {"host": _resident(), "gpus": self._gpus.used()}
            values |= {"reserved": reserved} if reserved is not None else {}
            if asks and (own := self._gpus.own()):
                values["own"] = own
            if values != self._last:
                self._last = values
                self._write({"time": when, **values})
        finally:
            self._lock.release()

    def _write(self, values: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n")


class _Gpus:
    """The GPUs on which this process trains, by NVML."""

    def __init__(self) -> None:
        self._nvml: Any = None
        self._visible: list[dict[str, Any]] = []
        self._before: dict[str, int] = {}
        self._handles: dict[str, Any] = {}
        self._used: list[dict[str, Any]] = []

    def open(self) -> None:
        """Ask NVML for the GPUs, and what is used of each. Raises what NVML and its import raise."""
        nvml: Any = import_module("pynvml")
        answer = Reader(nvml, False).read()
        order = os.environ.get("CUDA_DEVICE_ORDER")
        self._visible = list(visible_devices(answer["devices"], os.environ.get("CUDA_VISIBLE_DEVICES"), order).devices)
        for device in self._visible:
            used = nvml.nvmlDeviceGetMemoryInfo(nvml.nvmlDeviceGetHandleByUUID(device["uuid"])).used
            self._before[device["uuid"]] = int(used) // _MIB
        # Last: the main thread looks at it.
        self._nvml = nvml

    def look(self) -> None:
        """Find out which GPUs torch uses. Only the main thread knows, since each thread has a current GPU."""
        torch = sys.modules.get("torch")
        if self._nvml is None or torch is None or not torch.cuda.is_initialized():
            return
        alone = os.environ.get("WORLD_SIZE", "1") == "1"
        numbers = range(torch.cuda.device_count()) if alone else (torch.cuda.current_device(),)
        self._used = [device for number in numbers if (device := self._device(torch, number)) is not None]

    def _device(self, torch: Any, number: int) -> dict[str, Any] | None:
        """The GPU that torch has under a number; None if that is not certain. Older releases state no UUID."""
        uuid = f"GPU-{getattr(torch.cuda.get_device_properties(number), 'uuid', '')}"
        for device in self._visible:
            if device["uuid"] == uuid:
                return device
        # CUDA has the fastest GPU first, NVML the one with the lowest bus.
        is_alike = len({device["name"] for device in self._visible}) == 1
        return self._visible[number] if is_alike and number < len(self._visible) else None

    def new(self) -> list[dict[str, Any]]:
        """Return what is stated once of each GPU that torch uses."""
        new = [device for device in self._used if device["uuid"] not in self._handles]
        for device in new:
            self._handles[device["uuid"]] = self._nvml.nvmlDeviceGetHandleByUUID(device["uuid"])
        return [
            {
                "gpu": device["uuid"],
                "index": device["index"],
                "name": device["name"],
                "total": device["memory_mib"],
                "before": self._before[device["uuid"]],
            }
            for device in new
        ]

    def used(self) -> dict[str, int]:
        """Return the MiB that all processes use of each GPU."""
        used = {}
        for uuid, handle in self._handles.items():
            used[uuid] = int(self._nvml.nvmlDeviceGetMemoryInfo(handle).used) // _MIB
        return used

    def own(self) -> dict[str, int]:
        """Return the MiB that this process uses of each GPU, of those of which NVML states it."""
        used: dict[str, int] = {}
        if not self._handles or os.stat("/proc/self/ns/pid").st_ino != _FIRST_NAMESPACE:
            return used
        for uuid, handle in self._handles.items():
            with suppress(self._nvml.NVMLError):
                for one in self._nvml.nvmlDeviceGetComputeRunningProcesses(handle):
                    if one.pid == os.getpid() and one.usedGpuMemory is not None:
                        used[uuid] = int(one.usedGpuMemory) // _MIB
        return used


def _resident() -> int:
    """The MiB of host memory that this process has."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // _MIB


def _reserved() -> int | None:
    """The MiB that torch's allocator keeps of the current GPU; None without CUDA."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return None
    return int(torch.cuda.memory_reserved()) // _MIB
