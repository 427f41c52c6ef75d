"""Run kernels of releases in child processes (see `child`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

from vcompat.kernels.grid import KERNELS
from vcompat.kernels.variants import Variant, triton_pins, variants
from vcompat.upstream.index import releases_of
from vcompat.upstream.store import Store

_ROOT = Path(__file__).resolve().parents[3]
#: The kernels that compute attention, by call.
OF_CALL = {call: kernel for kernel in KERNELS[:2] for call in kernel.calls}


def variant_of(call: str, version: str) -> Variant:
    """Return what a release runs for a call; its source is fetched if the store does not have it."""
    wanted = Version(version)
    if not Store().has("vllm", wanted):
        with Store().open(next(release for release in releases_of("vllm") if release.version == wanted)):
            pass
    (found,) = variants(OF_CALL[call], {wanted: triton_pins()[wanted]}, Store())
    return found


def compared(call: str, variant: Variant, dtype: str, size: int, device: str, triton: Path | None) -> dict[str, Any]:
    """Run a call on a device; return the difference to torch, and what it ran with. Raises CalledProcessError."""
    version = str(variant.releases[0])
    job = {
        "triton": str(triton) if triton else "",
        "archive": str(Store().folder / f"vllm-{version}.zip"),
        "version": version,
        "module": variant.module,
        "texts": variant.texts,
        "entry": variant.kernel.entries[0],
        "call": call,
        "dtype": dtype,
        "size": size,
        "device": device,
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TRITON_", "VLLM_"))}
    more = {"PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"} | ({"TRITON_INTERPRET": "1"} if device == "cpu" else {})
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.kernels.child"],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        env={**inherited, **more},
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
