"""The vendor of the GPUs, as upstream's programs print it in a log.

Read in the source of vLLM 0.6.4 - 0.31 (``platforms/__init__.py``) and torch 2.5 - 2.14
(``collect_env``, the messages of the allocators).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vcompat.facts.value import FactValue
from vcompat.facts.vendor import AMD, FACT, INTEL

#: Patterns over bytes: lines that may state the vendor.
CUES = (
    r"detected platform ",
    r"used to build PyTorch: \d",
    r"(?:HIP|XPU) out of memory",
    r"HIP error: ",
    r"\(gfx\d",
    r"device_config=xpu",
    r"NUMA binding: Using ",
)

_PLATFORM = re.compile(r"Automatically detected platform (?P<backend>cuda|rocm|xpu|cpu|tpu)\.")
_BUILD = re.compile(r"(?P<build>ROCM|XPU) used to build PyTorch: \d")
_MEMORY = re.compile(r"(?:OutOfMemoryError|RuntimeError): (?P<build>HIP|XPU) (?:out of memory|error: )")
#: The first GPU with its architecture, as collect_env of a torch for ROCm prints it.
_ARCHITECTURE = re.compile(r"GPU models and configuration: (?P<name>[A-Z][\w .-]{2,60}?) \(gfx\d\w*[:)]")
_ENGINE = re.compile(r"[ ,]device_config=xpu\b")
_VENDORS = {"ROCM": AMD, "HIP": AMD, "XPU": INTEL}


def vendors_of(text: str) -> Iterator[tuple[str, FactValue]]:
    """Yield the facts about the vendor of the GPUs that a line states."""
    if "detected platform" in text and (platform := _PLATFORM.search(text)):
        yield "vllm.backend", platform["backend"]
    elif "build PyTorch" in text and (build := _BUILD.match(text)):
        yield FACT, _VENDORS[build["build"]]
    elif ("HIP " in text or "XPU " in text) and (memory := _MEMORY.search(text)):
        yield FACT, _VENDORS[memory["build"]]
    elif "(gfx" in text and (gpu := _ARCHITECTURE.match(text)):
        yield FACT, AMD
        if gpu["name"].startswith("AMD"):
            yield "gpu.name", (gpu["name"],)
    elif "device_config=xpu" in text and _ENGINE.search(text):
        yield "vllm.backend", "xpu"
    elif "NUMA binding: Using " in text:
        # csrc/cpu/utils.cpp: only vLLM's CPU backend binds memory to nodes.
        yield "vllm.backend", "cpu"
