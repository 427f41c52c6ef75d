"""A model's config.json: its architecture, how it divides among GPUs, and how much memory it takes.

Parameters are counted from the sizes that the file states, as decoders of the families of Llama, Qwen, Mistral, Gemma
and their mixtures of experts are built. A test holds the count against the models that transformers makes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.sources.plan.document import Document
from vcompat.sources.plan.part import Part
from vcompat.sources.plan.settings import state

#: Names round: Llama-2-7b has 6.74 billion parameters, 4 % fewer; others have up to a quarter more (gemma-2-2b, 2.61).
LEAST_OF_NAME = 0.95
#: Bytes of a number in vLLM's key-value cache, unless it is told to use fp8.
_KV_BYTES = 2


def read_model_config(document: Document) -> Part:
    """The facts of a model's config.json."""
    facts = Facts()
    architectures = document.get("architectures")
    if isinstance(architectures, list) and architectures and isinstance(architectures[0], str):
        state(facts, "plan.model_architecture", architectures[0], document.place("architectures"))
    dtype_key = "dtype" if document.get("dtype") is not None else "torch_dtype"
    text, prefix = _text_part(document)
    dtype = document.get(dtype_key) or text.get("dtype") or text.get("torch_dtype")
    if isinstance(dtype, str):
        state(facts, "plan.model_dtype", dtype, document.place(dtype_key))
    method = document.get("quantization_config", "quant_method")
    state(facts, "plan.model_quantization", method, document.place("quantization_config", "quant_method"))
    for key, fact in (("num_attention_heads", "plan.attention_heads"), ("num_key_value_heads", "plan.key_value_heads")):
        value = text.get(key, text.get("num_attention_heads"))
        if isinstance(value, int):
            state(facts, fact, value, document.place(*prefix, key))
    longest = text.get("max_position_embeddings")
    if isinstance(longest, int):
        state(facts, "plan.model_max_length", longest, document.place(*prefix, "max_position_embeddings"))
    place = document.place()
    parameters = count_parameters(text)
    if parameters is not None:
        state(facts, "plan.model_parameters", parameters, place, "counted from its sizes")
    cache = _cache_bytes(text)
    if cache is not None:
        state(facts, "plan.kv_bytes_per_token", cache, place, "counted from its sizes")
    return Part(facts)


def _text_part(document: Document) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The sizes of the language model: a model that also sees has them in a section of their own."""
    for section in ("text_config", "llm_config", "language_config"):
        if isinstance(part := document.get(section), dict) and "num_attention_heads" in part:
            return part, (section,)
    return document.table, ()


def count_parameters(sizes: Mapping[str, Any]) -> int | None:
    """Parameters of a decoder with the given sizes (keys of config.json); None where one of them is missing.

    Without the parts of a model that see or hear, and without biases.
    """
    if _is_mixed(sizes):
        return None
    hidden, layers = _number(sizes, "hidden_size"), _number(sizes, "num_hidden_layers")
    heads, vocabulary = _number(sizes, "num_attention_heads"), _number(sizes, "vocab_size")
    inner = _number(sizes, "intermediate_size")
    if not (hidden and layers and heads and vocabulary):
        return None
    head = _number(sizes, "head_dim") or hidden // heads
    key_value = _number(sizes, "num_key_value_heads") or heads
    attention = hidden * head * (2 * heads + 2 * key_value)
    dense = 3 * hidden * (inner or 4 * hidden)
    experts = _number(sizes, "num_experts") or _number(sizes, "num_local_experts") or _number(sizes, "n_routed_experts")
    feed_forward = layers * dense
    if experts:
        width = _number(sizes, "moe_intermediate_size") or inner or 4 * hidden
        shared = _number(sizes, "shared_expert_intermediate_size") or (_number(sizes, "n_shared_experts") or 0) * width
        mixed = 3 * hidden * (experts * width + shared) + hidden * experts
        plain = _number(sizes, "first_k_dense_replace") or len(sizes.get("mlp_only_layers") or ())
        feed_forward = plain * dense + (layers - plain) * mixed
    # Files leave out what is the family's default; Gemma's ties them.
    tied = sizes.get("tie_word_embeddings", str(sizes.get("model_type", "")).startswith("gemma"))
    embeddings = vocabulary * hidden * (1 if tied else 2)
    return embeddings + layers * (attention + 2 * hidden) + feed_forward + hidden


def parameters_by_name(model: str) -> int | None:
    """The number of parameters that a model's name speaks of: 7 billion for ``Qwen/Qwen2.5-7B-Instruct``."""
    name = model.rstrip("/").rpartition("/")[2]
    found = re.findall(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([BbMm])(?![A-Za-z0-9])", name)
    if not found:
        return None
    number, unit = found[0]
    return int(float(number) * (1_000_000_000 if unit in "Bb" else 1_000_000))


def state_name(facts: Facts, model: str, place: Place | None, source: str) -> None:
    """What a model's name alone tells: a size from below."""
    parameters = parameters_by_name(model)
    if parameters is not None and facts.get("plan.model_parameters") is None:
        why = f"the least that the name {model} stands for ({source})"
        facts.set("plan.model_parameters", int(parameters * LEAST_OF_NAME), why, place)


def _cache_bytes(sizes: Mapping[str, Any]) -> int | None:
    hidden, layers = _number(sizes, "hidden_size"), _number(sizes, "num_hidden_layers")
    heads = _number(sizes, "num_attention_heads")
    slides = sizes.get("sliding_window") is not None and sizes.get("use_sliding_window") is not False
    slides = slides or "sliding_attention" in (sizes.get("layer_types") or ())
    if not (hidden and layers and heads) or slides or _is_mixed(sizes):
        return None
    head = _number(sizes, "head_dim") or hidden // heads
    return 2 * layers * (_number(sizes, "num_key_value_heads") or heads) * head * _KV_BYTES


#: What speaks of layers that are no plain attention: their own kinds of it, or of something else.
_OTHER_LAYERS = (
    "mamba",
    "ssm_",
    "linear_",
    "kv_lora_rank",
    "attn_layer_",
    "full_attention_interval",
    "hybrid_",
    "rwkv",
)


def _is_mixed(sizes: Mapping[str, Any]) -> bool:
    """Whether some layers are built in another way than a decoder's, so that these sizes do not tell what they hold."""
    return any(key.startswith(_OTHER_LAYERS) and value for key, value in sizes.items()) or any(
        kind not in ("full_attention", "sliding_attention") for kind in sizes.get("layer_types") or ()
    )


def _number(sizes: Mapping[str, Any], key: str) -> int | None:
    value = sizes.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
