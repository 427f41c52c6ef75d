"""vLLM's workers in a Ray cluster that was started before the script: the entry point applies the script's patches.

vLLM uses Ray only on platforms whose devices Ray knows. The platform is a stand-in for that: the CPU's, with a device that
the cluster declares.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, Stack
from tests.unit.patching.ray_cluster import cluster

pytest.importorskip("ray")

SCRIPT = """
import sys

if __name__ == "__main__":
    import vcompat
    vcompat.patch()
    from vllm import LLM, SamplingParams

    llm = LLM(sys.argv[1], dtype="float32", enforce_eager=True, max_model_len=64, distributed_executor_backend="ray")
    llm.generate(["one and one"], SamplingParams(max_tokens=2))
"""
PLATFORM = """
from vllm.platforms.cpu import CpuPlatform


class Platform(CpuPlatform):
    ray_device_key = "TPU"
"""
ENTRY_POINT = "[vllm.platform_plugins]\nstandin = standin_entry:register\n"


def with_stand_in(folder: Path) -> str:
    """Write a platform as packages for other hardware bring one; return the path that has it."""
    metadata = folder / "standin-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: standin\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINT)
    (folder / "standin_platform.py").write_text(PLATFORM)
    (folder / "standin_entry.py").write_text("def register():\n    return 'standin_platform.Platform'\n")
    return os.pathsep.join([str(folder), str(ROOT)])


@pytest.mark.parametrize("newer", ["0", "1"], ids=["RayDistributedExecutor", "RayExecutorV2"])
def test_workers_of_an_earlier_cluster_get_the_patches_of_the_script(stack: Stack, newer: str) -> None:
    variables = {
        "PYTHONPATH": with_stand_in(stack.folder / "standin"),
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        "VLLM_USE_RAY_V2_EXECUTOR_BACKEND": newer,
    }
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("VLLM_", "VCOMPAT_"))}
    with cluster(
        stack.folder, {**inherited, **variables, "VLLM_CPU_KVCACHE_SPACE": "1"}, resources=json.dumps({"TPU": 1})
    ) as address:
        (stack.folder / "generate.py").write_text(SCRIPT)
        code, output = stack.run(["generate.py", str(stack.model)], **variables, RAY_ADDRESS=address)
    assert code == 0, output[-4000:]
    assert re.search(r"\(Ray\w+ pid=\d+\).*vcompat: applied vllm_cpu_weight_sync", output), output[-4000:]
