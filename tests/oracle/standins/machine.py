"""The machine that programs see: as many GPUs as the caller's state has, and none that does anything."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

from tests.oracle.standins import recorder


def state() -> dict[str, Any]:
    """Return the state of the machine in this execution."""
    file = Path(recorder.FILE).parent / "machine.json"
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def gpu_count() -> int:
    """Return how many GPUs this process sees."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    count = int(state()["gpus"])
    return count if visible is None else min(count, len([item for item in visible.split(",") if item.strip()]))


def pretend() -> None:
    """Let torch report the machine's GPUs; let nothing reach the network."""
    import torch

    cuda: Any = torch.cuda
    cuda.device_count = gpu_count
    cuda.is_available = lambda: gpu_count() > 0
    cuda.is_bf16_supported = lambda *_, **__: gpu_count() > 0
    cuda.get_device_capability = lambda *_: tuple(state()["capability"])
    cuda.get_device_name = lambda *_: state()["gpu"]
    cuda.set_device = cuda.empty_cache = cuda.synchronize = cuda.manual_seed_all = lambda *_: None
    cuda.current_device = lambda: int(os.environ.get("LOCAL_RANK", "0"))
    distributed: Any = torch.distributed
    distributed.init_process_group = distributed.barrier = distributed.destroy_process_group = lambda *_, **__: None
    distributed.is_initialized = lambda: "RANK" in os.environ
    distributed.get_rank = lambda *_: int(os.environ.get("RANK", "0"))
    distributed.get_world_size = lambda *_: int(os.environ.get("WORLD_SIZE", "1"))
    name = state()["host"]
    socket.gethostname = lambda: name
    stand_in: Any = socket.socket
    stand_in.connect = _refuse


def _refuse(*_: object) -> None:
    raise ConnectionRefusedError("no network here")
