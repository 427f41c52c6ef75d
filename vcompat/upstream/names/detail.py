"""How much of a module the index keeps. An index of everything would have three times the size.

Of an outlined module it keeps classes, functions and public methods, but neither imports, attributes nor lines: what it
lacks there is unknown, not absent. These are modules of which a package has hundreds, such as one per model, and the
layers that run inside of a model. Of a listed module it keeps only the classes: no script for training names more of
the insides of compilers, or of an engine's many models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vcompat.index.rows import CLASS, CONDITIONAL, FLAG, FUNCTION, KEY, LISTED, OUTLINED, VARIABLE, Row


def _beginnings(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(names))


#: Modules that are listed, by the beginning of their names.
_LISTED = _beginnings(
    (
        r"diffusers\.(?:models|pipelines|modular_pipelines|guiders|hooks|quantizers)\.",
        r"torch\._(?:inductor\.(?!config\b|utils\b)|dynamo\.(?!config\b|decorators\b|eval_frame\b|exc\b|utils\b))",
        r"torch\._(?:decomp|export|functorch|higher_order_ops|lazy|meta_registrations|native|numpy|prims\w*|refs)\b",
        r"torch\.(?:ao|onnx\._internal|fx\.(?:experimental|passes)|testing\._internal|backends\._nnapi|profiler\._cu\w+)\b",
        r"torch\.(?:distributed\.(?:_spmd|_tools|_shard|pipelining)|utils\.(?:_sympy|hipify|bottleneck|mobile\w*))\b",
        r"torchao\.(?:_models|experimental|kernel|prototype|testing)\b",
        r"transformers\.(?:models\.(?:deprecated\b|\w+\.(?:convert|modular|modeling_(?:tf|flax))_)|utils\.dummy_)",
        r"transformers\.models\.(?!auto\b)\w+\.(?:feature_extraction|image_processing|video_processing)_",
        r"unsloth_zoo\.(?:_vendored|mlx)\b",
        r"vllm\.model_executor\.models\.(?!adapters\b|interfaces|registry\b|transformers|utils\b)",
        r"vllm\.model_executor\.(?:kernels|layers\.(?:fla|fused_moe\.(?:experts|oracle|router)|mamba|quantization\.\w+\.))\b",
        r"vllm\.(?:benchmarks|compilation\.passes|reasoning|tool_parsers|v1\.kv_offload)\b|vllm\.models\.",
        r"vllm\.(?:distributed\.(?:ec|kv)_transfer|transformers_utils\.(?:configs|processors))\.",
    )
)
#: Further modules, which are outlined.
_OUTLINED = _beginnings(
    (
        r"deepspeed\.(?:autotuning|compression|inference|model_implementations|module_inject|nebula|profiling)\b",
        r"diffusers\.schedulers\.",
        r"swift\.(?:llm\.(?:model|dataset)|model|dataset|template|megatron)\.\w+",
        r"torch\.(?:_dynamo|_inductor|_subclasses|export|fx|jit|nested|onnx|package|quantization|testing)\b",
        r"torch\.distributed\.(?:rpc|_symmetric_memory|_tensor|tensor\._ops|elastic\.(?:events|metrics|timer))\b",
        r"torch\.utils\.(?:benchmark|data\.datapipes|model_dump)\b",
        r"torchvision\.(?:datasets|models|prototype|transforms)\b",
        r"transformers\.models\.(?!auto\b)\w+\.",
        r"vllm\.entrypoints\.(?!openai\.(?:api_server|cli_args)\b|llm\b)\w+\.",
        r"vllm\.(?:_aiter_ops|attention\.ops|core\.block|lora\.(?:layers|ops|punica_wrapper)|multimodal\.(?:media|processing))\b",
        r"vllm\.model_executor\.(?:warmup|layers\.(?!fused_moe\.layer\b|linear\b|logits_processor\b|sampler\b))",
        r"vllm\.(?:distributed\.eplb|v1\.attention\.(?:ops|backends\.mla))\b",
    )
)


def is_outlined(module: str) -> bool:
    """Whether only an outline, or a list, of a module is kept."""
    return _is_listed(module) or _OUTLINED.match(module) is not None


def outline(module: str, rows: Mapping[Row, int], releases: int) -> dict[Row, int]:
    """Return what is kept of the rows of a module that `releases` have."""
    marks = {(FLAG, "", mark, ""): releases for mark in ((LISTED, OUTLINED) if _is_listed(module) else (OUTLINED,))}
    is_kept = _is_in_list if _is_listed(module) else _is_in_outline
    return {**{row: mask for row, mask in rows.items() if is_kept(*row[:3])}, **marks}


def _is_listed(module: str) -> bool:
    return _LISTED.match(module) is not None


def _is_in_list(kind: str, scope: str, name: str) -> bool:
    return kind == FLAG or (kind == CLASS and not scope) or _is_of_all(kind, scope, name)


def _is_in_outline(kind: str, scope: str, name: str) -> bool:
    if kind in (CLASS, FLAG):
        return True
    if kind == FUNCTION:
        return not name.startswith("_") or name in ("__init__", "__call__")
    if "__all__" in (scope, name):
        return _is_of_all(kind, scope, name)
    return kind in (VARIABLE, CONDITIONAL) and not scope and not name.startswith("_")


def _is_of_all(kind: str, scope: str, name: str) -> bool:
    return kind in (VARIABLE, KEY) and "__all__" in (scope, name)
