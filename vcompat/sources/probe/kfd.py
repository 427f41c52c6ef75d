"""Whether the kernel's driver for computing on AMD GPUs lists one."""

import os
import re

_NODES = "/sys/class/kfd/kfd/topology/nodes"


def has_amd_gpu(nodes: str = _NODES) -> bool:
    """Return whether a node is a GPU of its own, not one inside a processor, which also lists its cores."""
    try:
        names = os.listdir(nodes)
    except OSError:
        return False
    return any(_is_gpu(os.path.join(nodes, name, "properties")) for name in names)


def _is_gpu(path: str) -> bool:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            numbers: dict[str, str] = dict(re.findall(r"^(\w+) (\d+)$", file.read(), re.MULTILINE))
    except OSError:
        return False
    return numbers.get("simd_count", "0") != "0" and numbers.get("cpu_cores_count", "0") == "0"
