"""Compile the stand-ins for CUDA's libraries, and build the environment of a process that loads them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
_COMPILE = ["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1"]
#: Libraries of CUDA and of torch's CUDA build that vLLM's allocator names and calls nothing of. Here they are empty.
_NAMED = ("libtorch_cuda.so", "libc10_cuda.so", "libnvrtc.so.12", "libnvrtc.so.13")
DRIVER, RUNTIME = "libcuda.so.1", "libcudart.so.12"


def build(folder: Path) -> Path:
    """Compile the stand-ins into `folder`; return the folder."""
    subprocess.run([*_COMPILE, "-o", str(folder / DRIVER), str(_HERE / "driver.c")], check=True)
    runtime = [str(_HERE / "runtime.c"), str(folder / DRIVER)]
    subprocess.run([*_COMPILE, "-o", str(folder / RUNTIME), *runtime], check=True)
    for name in _NAMED:
        subprocess.run([*_COMPILE, "-o", str(folder / name), "-x", "c", os.devnull], check=True)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a process that finds the stand-ins in `folder`."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "PYTORCH_", "VLLM_", "VCOMPAT_"))}
    paths = [str(folder), *filter(None, [inherited.get("LD_LIBRARY_PATH")])]
    return {**inherited, "LD_LIBRARY_PATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "PYTHONPATH": str(_ROOT)}
