"""The end-to-end runs are the same with AMX, with AVX-512 and without either, because vLLM computes in float32.

vLLM's default on the CPU is bfloat16, for which vLLM 0.31.0 depends on the processor in two ways:

- With AMX, `_get_attn_isa` (vllm/v1/attention/backends/cpu_attn.py) selects the AMX attention kernel. Linux lets a process
  use the tile registers only after a request (`arch_prctl`), and in vLLM only oneDNN makes it. If no oneDNN kernel for AMX
  ran before, the first tile instruction raises SIGILL.
- Without AVX-512, oneDNN has no bfloat16 matmul. `dispatch_cpu_unquantized_gemm` (vllm/model_executor/layers/utils.py)
  then uses torch's linear and leaves the weight in place, so that weight synchronization succeeds without vcompat.

For float32, neither `_get_attn_isa` nor `check_cpu_sgl_kernel` selects an AMX kernel, and oneDNN has a matmul everywhere.

These tests tell vLLM that the processor has AMX and limit oneDNN to AVX2. On a processor without AMX, they show which
kernel vLLM selects, not that the run survives on a processor with AMX.
"""

from __future__ import annotations

from tests.e2e.conftest import SCRIPT, Stack
from tests.e2e.test_engine_process import script

#: First lines of a script. They also run in a spawned process, which imports the script as `__mp_main__`.
AMX = """
import torch
from vllm.v1.attention.backends import cpu_attn

select = cpu_attn._get_attn_isa


def select_and_print(*args, **kwargs):
    kernel = select(*args, **kwargs)
    print("ATTENTION", kernel, "IN", __name__, flush=True)
    return kernel


torch.cpu._is_amx_tile_supported = lambda: True
cpu_attn._get_attn_isa = select_and_print
"""


def test_a_spawned_engine_core_uses_no_amx_kernel(stack: Stack) -> None:
    path = script(stack.folder, "pass")
    path.write_text(AMX + path.read_text())
    code, output = stack.run(
        [str(path), str(stack.model)],
        VLLM_WORKER_MULTIPROC_METHOD="spawn",
        VLLM_ENABLE_V1_MULTIPROCESSING="1",
        ONEDNN_MAX_CPU_ISA="AVX2",
    )
    assert "ATTENTION vec IN __mp_main__" in output, output[-4000:]
    assert code == 0, output[-4000:]


def test_the_example_uses_no_amx_kernel_and_dies_as_predicted_without_avx512(stack: Stack) -> None:
    path = stack.folder / "train.py"
    path.write_text(AMX + SCRIPT.read_text())
    run = stack.train(path, ONEDNN_MAX_CPU_ISA="AVX2")
    assert "ATTENTION vec IN __main__" in run.output, run.output[-4000:]
    assert "'Parameter' object has no attribute 'weight_loader'" in run.output
