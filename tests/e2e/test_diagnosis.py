"""Logs of real runs with several processes: the one that failed first is named, with its cause.

`Stack.run` diagnoses the log of each run that ends well, and expects nothing.
"""

from __future__ import annotations

import vcompat
from tests.e2e.conftest import Stack

ENGINE = """
from vllm import LLM

if __name__ == "__main__":
    LLM({model!r}, dtype="bfloat16", enforce_eager=True, max_model_len={length}, hf_overrides={{"max_position_embeddings": {length}}})
"""
RANKS = """
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 1:
    raise KeyError("prompt")
dist.barrier()
"""


def test_the_engines_process_names_the_cause_and_its_parent_does_not(stack: Stack) -> None:
    script = stack.folder / "engine.py"
    script.write_text(ENGINE.format(model=str(stack.model), length=2_000_000))
    code, output = stack.run([str(script)])
    assert code != 0
    found = vcompat.diagnose(output)
    assert found.causes[0].rule.id == "longest-sequence-exceeds-cache"
    assert found.failure is not None
    assert found.failure.cause.line.process.startswith("EngineCore")
    assert "packages.vllm" in found.facts.known


def test_the_rank_that_failed_is_named_and_not_the_launcher(stack: Stack) -> None:
    script = stack.folder / "ranks.py"
    script.write_text(RANKS)
    launcher = ["-m", "torch.distributed.run", "--nproc_per_node", "2", "--tee", "3"]
    code, output = stack.run([*launcher, str(script)])
    assert code != 0
    failure = vcompat.diagnose(output).failure
    assert failure is not None
    assert (failure.cause.line.process, failure.cause.error) == ("default1 rank1", "KeyError: 'prompt'")
