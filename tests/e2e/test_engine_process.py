"""The patches reach the process that vLLM spawns for its engine, through the entry point in ``vllm.general_plugins``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.amx import AMX
from tests.e2e.conftest import Stack

#: In bfloat16, vLLM's default, the engine can die of SIGILL on a processor with AMX. test_processors.py has the details.
SCRIPT = """
import os
import sys


def main():
    {patch}
    from vllm import LLM, SamplingParams

    llm = LLM(model=sys.argv[1], dtype="float32", enforce_eager=True, max_model_len=64)
    text = llm.generate(["one and one"], SamplingParams(max_tokens=2, temperature=0))[0].outputs[0].text
    print("PARENT", os.getpid(), "WROTE", repr(text))

    from vllm.platforms import current_platform
    from vllm.ray.ray_env import get_env_vars_to_copy

    print("TO RAY", sorted(get_env_vars_to_copy(additional_vars=set(current_platform.additional_env_vars))))


if __name__ == "__main__":
    main()
"""

APPLIED = re.compile(r"vcompat: applied vllm_cpu_weight_sync: .* pid (\d+)\)")


def script(folder: Path, patch: str) -> Path:
    path = folder / "generate.py"
    path.write_text(SCRIPT.format(patch=patch))
    return path


SPAWNED = {"VLLM_WORKER_MULTIPROC_METHOD": "spawn", "VLLM_ENABLE_V1_MULTIPROCESSING": "1"}


def applied_elsewhere(output: str) -> list[str]:
    """Return the processes, other than the script's, in which the patch was applied."""
    parent = re.search(r"PARENT (\d+) WROTE", output)
    assert parent is not None
    return [pid for pid in APPLIED.findall(output) if pid != parent[1]]


def test_a_spawned_engine_core_gets_the_patches_that_the_script_asked_for(stack: Stack) -> None:
    """patch() is called in main(), which a spawned process does not run: only the entry point can bring it there."""
    path = script(stack.folder, "import vcompat; vcompat.patch()")
    code, output = stack.run([str(path), str(stack.model)], **SPAWNED)
    assert code == 0, output[-4000:]
    assert applied_elsewhere(output)
    (to_ray,) = re.findall("^TO RAY (.*)$", output, re.MULTILINE)
    assert "'VCOMPAT_PATCH'" in to_ray, "vLLM's Ray executor sets it in its workers, where the entry point reads it"


@pytest.mark.slow
def test_a_spawned_engine_core_gets_no_patch_unasked_and_uses_no_amx_kernel(stack: Stack) -> None:
    """One run for both, since its time is that of importing vLLM. test_processors.py has the details on AMX."""
    path = script(stack.folder, "pass")
    path.write_text(AMX + path.read_text())
    code, output = stack.run([str(path), str(stack.model)], **SPAWNED, ONEDNN_MAX_CPU_ISA="AVX2")
    assert code == 0, output[-4000:]
    assert applied_elsewhere(output) == []
    assert "ATTENTION vec IN __mp_main__" in output, output[-4000:]
