"""What is compiled: the kernels, and the capabilities, data types and head sizes of each attempt."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.kernels.standin import SHARED_MEMORY

#: Compute capabilities as in `gpu.compute_capability`, oldest first.
CAPABILITIES = tuple(SHARED_MEMORY)
#: A model's 16-bit type as vLLM runs it: float16 below compute capability 8.0, bfloat16 from there on.
HALF, FULL = "16-bit", "float32"
#: float32 takes up to a minute to compile for older cards, and few run it: a part of the grid.
_OLDER, _SMALLER = ("7.0", "7.5"), (64, 128)


class Others(NamedTuple):
    """What is compiled by other Triton releases, too: the cards and releases about which rules claim something."""

    tritons: tuple[str, ...]
    below: str
    """The first vLLM release that is not."""
    cards: tuple[str, ...]
    sizes: tuple[int, ...]


class Kernel(NamedTuple):
    """A module of vLLM with Triton kernels and the wrapper that launches them."""

    name: str
    paths: tuple[str, ...]
    """Its files over time, relative to the source tree."""
    called_in: str
    """The module in `calls` with its calls."""
    calls: tuple[str, ...]
    """The names of its calls there."""
    entries: tuple[str, ...]
    """The functions of its module that are called; names over time."""
    since: str
    """The oldest release that is measured."""
    sizes: tuple[int, ...]
    of: str
    """What the sizes are, such as "heads of"."""
    left_out: str
    """What the grid leaves out, for the reader of a record."""
    full: bool = False
    """Whether a part of the grid is compiled for float32, too."""
    from_card: str = CAPABILITIES[0]
    """The oldest compute capability on which vLLM takes this kernel."""
    below: str = ""
    """The first release that is not measured any more."""
    because: str = ""
    """Why releases from `below` on are not."""
    others: Others | None = None


class Attempt(NamedTuple):
    """One compilation."""

    call: str
    capability: str
    width: str
    """`HALF` or `FULL`."""
    size: int
    """What it is, `Kernel.of` states: a head size in most kernels."""

    @property
    def dtype(self) -> str:
        """The name of torch's data type."""
        half = "float16" if float(self.capability) < 8 else "bfloat16"
        return half if self.width == HALF else FULL


#: The Triton releases of torch 2.4 - 2.7.
_TRITONS = ("3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.3.1")
_OTHER_HEADS = "heads of 80, 96, 192 and 512"
_ATTENTION = ("vllm/v1/attention/ops/", "vllm/attention/ops/")


def _attention(file: str) -> tuple[str, ...]:
    return tuple(folder + file for folder in _ATTENTION)


KERNELS = (
    Kernel(
        "prefix-prefill",
        ("vllm/attention/ops/prefix_prefill.py",),
        "attention",
        ("prefix-prefill",),
        ("context_attention_fwd",),
        since="0.5.5",
        sizes=(64, 128, 256),
        of="heads of",
        left_out=f"{_OTHER_HEADS}; float32 for capabilities from 8.0 on and for heads of 256",
        full=True,
        below="0.11.0",
        because="vLLM 0.11.0 removed the V0 engine, and its V1 engine uses unified attention on NVIDIA GPUs",
        others=Others(_TRITONS, "0.10.2", ("7.0", "7.5"), (64, 128)),
    ),
    Kernel(
        "unified-attention",
        _attention("triton_unified_attention.py"),
        "attention",
        ("unified-prefill", "unified-decode"),
        ("unified_attention",),
        since="0.9.0",
        sizes=(64, 128, 256),
        of="heads of",
        left_out=f"{_OTHER_HEADS}; float32",
    ),
    Kernel(
        "fused-experts",
        ("vllm/model_executor/layers/fused_moe/fused_moe.py",),
        "experts",
        ("experts",),
        ("invoke_fused_moe_kernel", "invoke_fused_moe_triton_kernel", "get_default_config"),
        since="0.5.5",
        sizes=(8, 4096),
        of="tokens:",
        left_out="float32; quantized experts; block sizes that are tuned for a card and a model",
        others=Others(_TRITONS, "0.10.2", ("7.0", "7.5", "10.0", "12.0"), (8,)),
    ),
    Kernel(
        "adapter-shrink",
        tuple(
            f"vllm/lora/ops/{name}.py"
            for name in ("triton_ops/lora_shrink_op", "triton_ops/lora_shrink", "triton_ops/sgmv_shrink", "sgmv_shrink")
        ),
        "adapters",
        ("adapter-shrink",),
        ("_lora_shrink", "_sgmv_shrink"),
        since="0.5.5",
        sizes=(16, 64),
        of="rank",
        left_out="float32; several adapters in one layer; up to 0.7.3, the kernels for one new token per sequence",
    ),
    Kernel(
        "adapter-expand",
        tuple(
            f"vllm/lora/ops/{name}.py"
            for name in ("triton_ops/lora_expand_op", "triton_ops/lora_expand", "triton_ops/sgmv_expand", "sgmv_expand")
        ),
        "adapters",
        ("adapter-expand",),
        ("_lora_expand", "_sgmv_expand"),
        since="0.5.5",
        sizes=(16, 64),
        of="rank",
        left_out="float32; several adapters in one layer; up to 0.7.3, the kernels for one new token per sequence",
    ),
    Kernel(
        "write-to-cache",
        _attention("triton_reshape_and_cache_flash.py"),
        "cache",
        ("write-to-cache",),
        ("triton_reshape_and_cache_flash",),
        since="0.11.0",
        sizes=(64, 128),
        of="heads of",
        left_out=f"{_OTHER_HEADS}; 256; float32; a quantized cache",
    ),
    Kernel(
        "merge-states",
        _attention("triton_merge_attn_states.py"),
        "cache",
        ("merge-states",),
        ("merge_attn_states",),
        since="0.8.0",
        sizes=(128,),
        of="heads of",
        left_out="other heads; float32",
    ),
    Kernel(
        "latent-decode",
        _attention("triton_decode_attention.py"),
        "latent",
        ("latent-decode",),
        ("decode_attention_fwd",),
        since="0.7.1",
        sizes=(576,),
        of="values per token:",
        left_out="float32; a quantized cache; layers whose cache has another size than DeepSeek's",
    ),
    Kernel(
        "sampler",
        ("vllm/v1/worker/gpu/sample/gumbel.py",),
        "sampling",
        ("sample",),
        ("gumbel_sample",),
        since="0.12.0",
        sizes=(32768,),
        of="vocabulary of",
        left_out="top-k and top-p, which a plain run does not use; before 0.12.0, PyTorch samples",
    ),
    Kernel(
        "penalties",
        ("vllm/v1/worker/gpu/sample/penalties.py",),
        "sampling",
        ("penalize",),
        ("apply_penalties",),
        since="0.15.0",
        sizes=(32768,),
        of="vocabulary of",
        left_out="releases before 0.15.0, in which a method of a class launches the kernel, or PyTorch computes it",
    ),
    Kernel(
        "fp8-multiply",
        ("vllm/model_executor/layers/quantization/utils/fp8_utils.py",),
        "fp8",
        ("fp8-multiply",),
        ("w8a8_triton_block_scaled_mm", "w8a8_block_fp8_matmul"),
        since="0.6.6",
        sizes=(8, 4096),
        of="tokens:",
        left_out="cards before compute capability 8.9, which do not multiply in FP8; block sizes that are tuned",
        from_card="8.9",
    ),
)

#: The number of passes that `rank` divides a survey into.
PASSES = 5


def rank(attempt: Attempt) -> int:
    """Return in which pass an attempt is made, from 0: where failures are known first, so that time runs out last."""
    if attempt.width == FULL or attempt.size == 256:
        return 3 if attempt.width == HALF else 4
    if attempt.capability in _OLDER:
        return 1 if attempt.size == 128 else 0
    return 1 if attempt.capability in ("8.0", "9.0") else 2


def attempts(kernel: Kernel) -> list[Attempt]:
    """Return the attempts for one variant of a kernel."""
    cards = CAPABILITIES[CAPABILITIES.index(kernel.from_card) :]
    half = [Attempt(call, card, HALF, size) for call in kernel.calls for card in cards for size in kernel.sizes]
    full = [Attempt(call, card, FULL, size) for call in kernel.calls for card in _OLDER for size in _SMALLER]
    return half + full * kernel.full
