"""Ask Linux for the AMX tile registers before vLLM's CPU kernels use them, in vLLM 0.11.1 and later.

Why: on a processor with AMX, `_get_attn_isa` selects vLLM's AMX kernel for bfloat16 attention. Linux lets a process use
the tile registers only after a request, and vLLM makes none. The first tile instruction raises SIGILL, unless another
library, such as oneDNN for a bfloat16 matrix product, made the request before.
How: wrap `_get_attn_isa`, which the engine calls before its first forward pass. If it selects AMX, the process requests
the permission (`arch_prctl` with ARCH_REQ_XCOMP_PERM). If Linux refuses, vLLM's kernel for AVX-512 is selected. Nothing
changes for other processors and data types.
Process: every vLLM process, because the permission belongs to a process and to those that it forks later.
Upstream: no known issue; the code is in vllm/v1/attention/backends/cpu_attn.py.
Remove when: vLLM makes the request itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

#: `arch_prctl` on x86-64, its operation to request a processor feature, and the feature that holds the tiles' data.
#: From Linux: Documentation/arch/x86/xstate.rst.
_SYS_ARCH_PRCTL = 158
_ARCH_REQ_XCOMP_PERM = 0x1023
_XFEATURE_XTILEDATA = 18


def _request_tiles() -> bool:
    """Request the tile registers for this process. Can be repeated. Returns False if Linux refuses."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.syscall(_SYS_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA) == 0)


def _with_permission(select: Callable[..., str]) -> Callable[..., str]:
    def select_with_permission(*args: Any, **kwargs: Any) -> str:
        kernel = select(*args, **kwargs)
        if kernel == "amx" and not _request_tiles():
            _warn()
            return "vec"
        return kernel

    return select_with_permission


def _warn() -> None:
    import logging

    logging.getLogger("vcompat").warning(
        "Linux refuses this process the AMX tile registers; vLLM computes attention with AVX-512."
    )


PATCH = Patch(
    id="vllm_cpu_amx_permission",
    title="Ask Linux for AMX before vLLM's CPU kernels use it",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            "vllm.v1.attention.backends.cpu_attn",
            "_get_attn_isa",
            Wrap("_get_attn_isa", _with_permission),
            shape=("(torch.bfloat16,) and (block_size % 32 == 0):\n        return 'amx'", "return 'vec'"),
            has=("_is_amx_tile_supported()",),
            lacks=("_init_amx",),
        ),
    ),
)
