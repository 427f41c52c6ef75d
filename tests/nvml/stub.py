"""Compile the stub of the driver library, and build the environment of a process that loads it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("stub.c")


def build(folder: Path) -> Path:
    """Compile the stub as ``libnvidia-ml.so.1`` into `folder`; return the folder."""
    library = folder / "libnvidia-ml.so.1"
    command = ["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


def environment(folder: Path, scenario: str, **more: str) -> dict[str, str]:
    """Return the environment of a process that sees the machine `scenario` (see stub.c)."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "NVIDIA_", "VLLM_", "VCOMPAT_"))}
    paths = [str(folder), *filter(None, [inherited.get("LD_LIBRARY_PATH")])]
    return {**inherited, "LD_LIBRARY_PATH": os.pathsep.join(paths), "VCOMPAT_STUB_NVML": scenario, **more}
