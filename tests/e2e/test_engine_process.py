"""The patches reach the process that vLLM spawns for its engine, through the entry point in ``vllm.general_plugins``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


if __name__ == "__main__":
    main()
"""

APPLIED = re.compile(r"vcompat: applied vllm_cpu_weight_sync: .* pid (\d+)\)")


def script(folder: Path, patch: str) -> Path:
    path = folder / "generate.py"
    path.write_text(SCRIPT.format(patch=patch))
    return path


@pytest.mark.parametrize(
    ("patch", "patched"), [("import vcompat; vcompat.patch()", True), ("pass", False)], ids=["patched", "not asked for"]
)
def test_a_spawned_engine_core_gets_the_patches_that_the_script_asked_for(
    stack: Stack, patch: str, patched: bool
) -> None:
    """patch() is called in main(), which a spawned process does not run: only the entry point can bring it there."""
    code, output = stack.run(
        [str(script(stack.folder, patch)), str(stack.model)],
        VLLM_WORKER_MULTIPROC_METHOD="spawn",
        VLLM_ENABLE_V1_MULTIPROCESSING="1",
    )
    assert code == 0, output[-4000:]
    parent = re.search(r"PARENT (\d+) WROTE", output)
    assert parent is not None
    elsewhere = [pid for pid in APPLIED.findall(output) if pid != parent[1]]
    assert bool(elsewhere) is patched
