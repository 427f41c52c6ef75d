"""How much of a module the index keeps. An index of everything would have three times the size.

Of an outlined module it keeps classes, functions and public methods, but neither imports, attributes nor lines: what it
lacks there is unknown, not absent. These are modules of which a package has hundreds, such as one per model, and the
insides of compilers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from vcompat.index.rows import CLASS, CONDITIONAL, FLAG, FUNCTION, KEY, OUTLINED, VARIABLE, Row

#: Modules that are outlined, by the beginning of their names.
_OUTLINED = re.compile(
    r"transformers\.models\.(?!auto\b)\w+\."
    r"|vllm\.(?:model_executor\.(?:models\.(?!registry\b|interfaces|utils\b|adapters\b|transformers)|kernels\b)|models\."
    r"|model_executor\.layers\.(?:quantization\.\w+\.|fla\b|mamba\b)|transformers_utils\.(?:configs|processors)\."
    r"|entrypoints\.(?!openai\.(?:api_server|cli_args)\b|llm\b)\w+\.|distributed\.kv_transfer\.|benchmarks\b"
    r"|compilation\.passes\b|v1\.kv_offload\b|tool_parsers\b|reasoning\b|multimodal\.(?:processing|media)\b)"
    r"|torch\.(?:_inductor|_dynamo|_refs|_decomp|_export|_functorch|_higher_order_ops|_prims\w*|_subclasses|_numpy|_lazy"
    r"|ao|onnx|testing|jit|export|fx|package|quantization|utils\.(?:benchmark|_sympy|hipify|model_dump|bottleneck|mobile\w*)"
    r"|distributed\.(?:_tools|tensor|_tensor|_shard|rpc|pipelining|_symmetric_memory|elastic\.(?:events|metrics|timer)))\b"
    r"|diffusers\.(?:models|pipelines|schedulers|modular_pipelines|guiders|hooks|quantizers)\."
    r"|torchao\.(?:prototype|experimental|_models|kernel)\b|torchvision\.(?:models|transforms|datasets|prototype)\b"
    r"|swift\.(?:llm\.(?:model|dataset)|model|dataset|template|megatron)\.\w+"
    r"|deepspeed\.(?:inference|model_implementations|module_inject|autotuning|compression|nebula|profiling)\b"
)


def is_outlined(module: str) -> bool:
    """Whether only an outline of a module is kept."""
    return _OUTLINED.match(module) is not None


def outline(rows: Mapping[Row, int], releases: int) -> dict[Row, int]:
    """Return what is kept of the rows of a module that `releases` have."""
    kept = {row: mask for row, mask in rows.items() if _is_kept(*row[:3])}
    return {**kept, (FLAG, "", OUTLINED, ""): releases}


def _is_kept(kind: str, scope: str, name: str) -> bool:
    if kind in (CLASS, FLAG):
        return True
    if kind == FUNCTION:
        return not name.startswith("_") or name in ("__init__", "__call__")
    if "__all__" in (scope, name):
        return kind in (VARIABLE, KEY)
    return kind in (VARIABLE, CONDITIONAL) and not scope and not name.startswith("_")
