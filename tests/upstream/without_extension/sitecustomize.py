"""Run on startup of a process that imports vLLM from a source distribution.

A source distribution has no compiled extension, and an extension built for CUDA could not be loaded here. Empty modules
replace it: vLLM's Python code imports them, and calls no function in them before it uses a GPU.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


def put(name, **attributes):
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    vars(module).update(attributes)
    sys.modules[name] = module


put("vllm._C")
# Reads videos; vLLM 0.7 always imports it.
put("cv2")
# vLLM's build of FlashAttention, which only its wheels contain.
put("vllm.vllm_flash_attn._vllm_fa2_C")
put("vllm.vllm_flash_attn.layers")
put("vllm.vllm_flash_attn.layers.rotary", apply_rotary_emb=None)


def answer(operation, reply):
    LIBRARY.define(operation)
    LIBRARY.impl(operation.partition("(")[0], lambda *arguments: reply, "CompositeExplicitAutograd")


# GPU features that vLLM queries in its extension at import time.
import torch  # noqa: E402

LIBRARY = torch.library.Library("_C", "FRAGMENT")
answer("cutlass_scaled_mm_supports_fp8(int capability) -> bool", False)
answer("cutlass_scaled_mm_supports_block_fp8(int capability) -> bool", False)
answer("cutlass_group_gemm_supported(int capability) -> bool", False)


class InThisProcess:
    """Makes vLLM look at a model's class in the process at hand, not in a new one, which would import vLLM again."""

    REGISTRY = "vllm.model_executor.models.registry"

    def find_spec(self, name, path=None, target=None):
        if name != self.REGISTRY:
            return None
        spec = PathFinder.find_spec(name, path, target)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            assert hasattr(module, "_run_in_subprocess")
            module._run_in_subprocess = lambda function: function()

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, InThisProcess())
