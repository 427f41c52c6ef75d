"""The end-to-end runs are the same with AMX, with AVX-512 and without either, because vLLM computes in float32.

vLLM's default on the CPU is bfloat16, for which vLLM 0.31.0 depends on the processor in two ways:

- With AMX, `_get_attn_isa` (vllm/v1/attention/backends/cpu_attn.py) selects the AMX attention kernel. Linux lets a process
  use the tile registers only after a request (`arch_prctl`), and in vLLM only oneDNN makes it. If no oneDNN kernel for AMX
  ran before, the first tile instruction raises SIGILL.
- Without AVX-512, oneDNN has no bfloat16 matmul. `dispatch_cpu_unquantized_gemm` (vllm/model_executor/layers/utils.py)
  then uses torch's linear and leaves the weight in place, so that weight synchronization succeeds without vcompat.

For float32, neither `_get_attn_isa` nor `check_cpu_sgl_kernel` selects an AMX kernel, and oneDNN has a matmul everywhere.

These tests tell vLLM that the processor has AMX and limit oneDNN to AVX2. On a processor without AMX, they show which
kernel vLLM selects, not that the run survives on a processor with AMX. test_engine_process.py has the test of an engine
in a process of its own.
"""

from __future__ import annotations

import pytest

from tests.e2e.amx import AMX
from tests.e2e.conftest import SCRIPT, Stack


@pytest.mark.slow
def test_the_example_uses_no_amx_kernel_and_dies_as_predicted_without_avx512(stack: Stack) -> None:
    path = stack.folder / "train.py"
    path.write_text(AMX + SCRIPT.read_text())
    run = stack.train(path, ONEDNN_MAX_CPU_ISA="AVX2")
    assert "ATTENTION vec IN __main__" in run.output, run.output[-4000:]
    assert "'Parameter' object has no attribute 'weight_loader'" in run.output
