"""First lines of a script that tell vLLM that the processor has AMX, and print the attention kernel that it selects."""

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
