"""On the PYTHONPATH of a process that runs vLLM from a source distribution.

A source distribution has no compiled extension, and nothing here could load one that was built for CUDA. Empty modules
stand for it: the Python code of vLLM imports them, and calls nothing in them before it has a GPU at work.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType


def put(name, **attributes):
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    vars(module).update(attributes)
    sys.modules[name] = module


put("vllm._C")
# Reads videos; vLLM 0.7 imports it whether it needs it or not.
put("cv2")
# vLLM's build of FlashAttention, which only its wheels hold.
put("vllm.vllm_flash_attn.layers")
put("vllm.vllm_flash_attn.layers.rotary", apply_rotary_emb=None)


def answer(operation, reply):
    LIBRARY.define(operation)
    LIBRARY.impl(operation.partition("(")[0], lambda *arguments: reply, "CompositeExplicitAutograd")


# Questions about the GPU's abilities that vLLM asks its extension while modules are imported.
import torch  # noqa: E402

LIBRARY = torch.library.Library("_C", "FRAGMENT")
answer("cutlass_scaled_mm_supports_fp8(int capability) -> bool", False)
answer("cutlass_scaled_mm_supports_block_fp8(int capability) -> bool", False)
answer("cutlass_group_gemm_supported(int capability) -> bool", False)
