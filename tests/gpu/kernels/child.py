"""Run one kernel of one release with random tensors, and compare it with torch: a job on standard input, JSON.

The device is "cuda" with the installed Triton, or "cpu" with a given one and TRITON_INTERPRET=1, which runs a kernel's
Python line by line with NumPy: the same kernel and wrapper, without the compiler.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from vcompat.kernels import vllm_source


def main() -> None:
    """Run the job of standard input; write what was seen as JSON."""
    job = json.loads(sys.stdin.read())
    if job["triton"]:
        sys.path.insert(0, job["triton"])
    import torch
    import triton  # type: ignore[import-untyped,import-not-found,unused-ignore]

    vllm_source.install(job["archive"], job["version"], job["texts"])
    _install_card(torch, job["device"])
    seen: dict[str, Any] = {"torch": torch.__version__, "triton": triton.__version__}
    if job["device"] == "cuda":
        seen |= {"gpu": torch.cuda.get_device_name(), "capability": torch.cuda.get_device_capability()}
    print(json.dumps({**seen, **_compared(job)}))


def _install_card(torch: Any, device: str) -> None:
    if device == "cpu":
        from triton.backends import backends  # type: ignore[import-untyped,import-not-found,unused-ignore]

        # vLLM asks whether the driver of exactly one backend is active.
        backends["nvidia"].driver.is_active = staticmethod(lambda: True)
    from tests.upstream import card

    card.install(torch.cuda.get_device_capability() if device == "cuda" else (8, 0))


def _compared(job: dict[str, Any]) -> dict[str, Any]:
    import torch

    from tests.gpu.kernels.attention import Filling, expected
    from vcompat.kernels.calls.attention import CALLS

    module = importlib.import_module(job["module"])
    filling = Filling(getattr(module, job["entry"]), seed=1)
    with torch.device(job["device"]), torch.inference_mode():
        CALLS[job["call"]](filling, getattr(torch, job["dtype"]), job["size"])
        difference = (filling.result.float() - expected(filling.arguments)).abs().max().item()
    return {"difference": difference}


if __name__ == "__main__":
    main()
