"""Reads a model's config.json: its architecture, attention heads, parameter count and cache size.

Parameters are counted from the dimensions in the file, for decoders of the families in `COUNTED`, such as Llama, Qwen,
Mistral and Gemma, and their mixture-of-experts variants. A test compares the count with the models that transformers
creates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.settings import state

#: Factor for the lower bound from a name, because names are rounded: RedPajama-INCITE-Base-3B has 2.78 billion
#: parameters, 7.5 % fewer. Other models have up to a quarter more (gemma-2-2b has 2.61 billion).
LEAST_OF_NAME = 0.92
#: A size in a name, but not that of one expert (8x7B) or of the active ones (A3B, E2B). In 1_8b, "_" is the point.
_SIZE = re.compile(r"(?<![A-Za-z0-9.])(?:(\d+)_)?(\d+(?:\.\d+)?)([BbMm])(?![A-Za-z0-9])")
#: Numbers of experts, as in 17B-16E: the size is that of the active ones.
_EXPERTS = re.compile(r"(?<![A-Za-z0-9])\d+E(?![A-Za-z0-9])")
#: Words in the names of quantized checkpoints. The weights of gpt-oss are MXFP4.
_QUANTIZED = re.compile(
    r"(?<![A-Za-z0-9])(?:awq|gptq|gguf|ggml|exl[23]|bnb|hqq|aqlm|quip|vptq|eetq|marlin|auto-?round|quark|quant(?:ized)?"
    r"|qat|(?:nv|mx)?fp[468]|nf4|u?int[2348]|w\d+a\d+|\d+(?:\.\d+)?[-_]?bits?|q[2-8](?:_\w+)?|bitnet|gpt-oss)(?![A-Za-z])",
    re.IGNORECASE,
)
#: The smallest vocabulary of a family, by a word in the name of its models. Of two words, the smaller one counts.
_VOCABULARIES = tuple(
    (re.compile(rf"(?<![A-Za-z0-9]){family}(?![A-Za-z])", re.IGNORECASE), size)
    for family, size in (
        ("qwen", 151643),
        (r"llama[-_]?3", 128256),
        (r"llama(?![-_]?[34])", 32000),
        (r"gemma[-_]?2", 256000),
        (r"gemma[-_]?3", 262144),
        ("mistral", 32000),
        (r"smollm(?!3)", 49152),
        ("smollm3", 128256),
        (r"phi[-_]?4", 100352),
    )
)
#: Bits per quantized weight of methods that have one size.
_BITS = {"fp8": 8, "fbgemm_fp8": 8, "mxfp4": 4}
#: Model types with Llama's linear modules.
_LLAMA_LIKE = frozenset("llama mistral qwen2 qwen3 gemma gemma2 gemma3_text granite olmo2 smollm3".split())
#: Model types whose parameters `count_parameters` counts to within 2 %; a test compares it with transformers' models.
COUNTED = frozenset(
    "bitnet cohere cohere2 cwm diffllama ernie4_5 exaone4 flex_olmo gemma gemma2 gemma3_text glm glm4 glm4_moe gpt_oss "
    "granite granitemoe hunyuan_v1_dense hyperclovax llama minimax_m2 ministral ministral3 mistral mixtral olmo olmo2 "
    "olmo3 olmoe phi3 phimoe qwen2 qwen2_5_vl_text qwen2_moe qwen2_vl_text qwen3 qwen3_moe qwen3_vl_moe_text "
    "qwen3_vl_text seed_oss smollm3 solar_open vaultgemma".split()
)
#: The keys that state the number of experts, as vLLM reads them (`ModelArchConfigConvertorBase.get_num_experts`).
_EXPERT_KEYS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
#: The families above that are mixtures of experts without such a key, too.
MIXTURES = frozenset(
    "flex_olmo glm4_moe gpt_oss granitemoe minimax_m2 mixtral olmoe phimoe qwen2_moe qwen3_moe qwen3_vl_moe_text "
    "solar_open".split()
)
#: Bytes per number in vLLM's key-value cache, unless it uses fp8.
_KV_BYTES = 2


def read_model_config(document: Document) -> Part:
    """Read the facts of a model's config.json."""
    facts = Facts()
    text, prefix = _text_part(document)
    _class_of_model(facts, document)
    _dtype(facts, document, text)
    _quantization(facts, document)
    for key, fact in (("num_attention_heads", "plan.attention_heads"), ("num_key_value_heads", "plan.key_value_heads")):
        value = text.get(key, None if _is_mixed(text) else text.get("num_attention_heads"))
        if isinstance(value, int):
            state(facts, fact, value, document.place(*prefix, key))
    _head_size(facts, document, text, prefix)
    longest = text.get("max_position_embeddings")
    if isinstance(longest, int):
        state(facts, "plan.model_max_length", longest, document.place(*prefix, "max_position_embeddings"))
    _rotation(facts, document, text, prefix)
    # Multimodal models have the key in two places, of which releases of transformers read one or the other.
    if not prefix and isinstance(tied := document.get("tie_word_embeddings"), bool):
        state(facts, "plan.model_ties_embeddings", tied, document.place("tie_word_embeddings"))
    words = _number(text, "vocab_size") or _number(document.table, "vocab_size")
    if words is not None:
        where = (*prefix, "vocab_size") if _number(text, "vocab_size") else ("vocab_size",)
        state(facts, "plan.vocabulary_size", words, document.place(*where))
    _mixture(facts, document, text, prefix)
    computed = {
        "plan.model_parameters": count_parameters(text),
        "plan.linear_sizes": [f"{name}={size}" for name, size in linear_sizes(text).items()] or None,
        "plan.kv_bytes_per_token": _cache_bytes(text),
    }
    for fact, result in computed.items():
        if result is not None:
            state(facts, fact, result, document.place(), "computed from its dimensions")
    return Part(facts)


def _dtype(facts: Facts, document: Document, text: Mapping[str, Any]) -> None:
    key = "dtype" if document.get("dtype") is not None else "torch_dtype"
    dtype = document.get(key) or text.get("dtype") or text.get("torch_dtype")
    if isinstance(dtype, str):
        state(facts, "plan.model_dtype", dtype, document.place(key))


def _class_of_model(facts: Facts, document: Document) -> None:
    architectures = document.get("architectures")
    if isinstance(architectures, list) and architectures and isinstance(architectures[0], str):
        state(facts, "plan.model_architecture", architectures[0], document.place("architectures"))
    model_type = document.get("model_type")
    if isinstance(model_type, str):
        state(facts, "plan.model_type", model_type, document.place("model_type"))
        code = document.get("auto_map")
        classes = sorted(code) if isinstance(code, dict) and code else None
        state(facts, "plan.model_code", classes, document.place("auto_map"))


def _head_size(facts: Facts, document: Document, text: Mapping[str, Any], prefix: tuple[str, ...]) -> None:
    """State the size of an attention head; unknown without ``head_dim`` if the family has a default of its own."""
    size, heads, hidden = (_number(text, key) for key in ("head_dim", "num_attention_heads", "hidden_size"))
    if _is_mixed(text):
        return
    if size is not None:
        state(facts, "plan.head_size", size, document.place(*prefix, "head_dim"))
    elif heads and hidden and text.get("model_type") in _HEADS_OF_HIDDEN:
        place = document.place(*prefix, "hidden_size")
        state(facts, "plan.head_size", hidden // heads, place, "hidden_size / num_attention_heads")


def _rotation(facts: Facts, document: Document, text: Mapping[str, Any], prefix: tuple[str, ...]) -> None:
    """State the base of rotary embeddings where only transformers 5 reads it, and the limit of longrope."""
    stated = text.get("rope_parameters")
    base = stated.get("rope_theta") if isinstance(stated, dict) and "rope_theta" not in text else None
    if base is not None:
        state(facts, "plan.model_rope_theta", base, document.place(*prefix, "rope_parameters", "rope_theta"))
    key = "rope_parameters" if stated else "rope_scaling"
    scaling = text.get(key)
    if isinstance(scaling, dict) and scaling.get("rope_type", scaling.get("type")) in ("longrope", "su"):
        length = "original_max_position_embeddings"
        limit = _number(scaling, length) or _number(text, length)
        if limit is not None:
            state(facts, "plan.model_longrope_limit", limit, document.place(*prefix, key))


def _quantization(facts: Facts, document: Document) -> None:
    method, place = document.get("quantization_config", "quant_method"), document.place("quantization_config")
    if method is None and document.get("quantization_config"):
        for fact in ("plan.model_quantization", "plan.model_bits"):
            facts.forget(fact, f"{place}: the method is not stated", place)
        return
    state(facts, "plan.model_quantization", method, document.place("quantization_config", "quant_method"))
    state(facts, "plan.model_bits", _bits(document), place)


def _mixture(facts: Facts, document: Document, text: Mapping[str, Any], prefix: tuple[str, ...]) -> None:
    """State whether the model is a mixture of experts; unknown for other families than `COUNTED` without a number."""
    for key in _EXPERT_KEYS:
        number = text.get(key)
        # One number per kind of input, all of them the same.
        number = number[0] if isinstance(number, list) and number else number
        if isinstance(number, int):
            state(facts, "plan.model_is_moe", number > 0, document.place(*prefix, key))
            return
    if text.get("model_type") in COUNTED - MIXTURES:
        state(facts, "plan.model_is_moe", False, document.place(*prefix, "model_type"), "a family without experts")


def _text_part(document: Document) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return the dimensions of the language model and their keys; multimodal models have them in a section."""
    for section in ("text_config", "llm_config", "language_config"):
        if isinstance(part := document.get(section), dict) and "num_attention_heads" in part:
            return part, (section,)
    return document.table, ()


def count_parameters(sizes: Mapping[str, Any]) -> int | None:
    """Return the parameter count of a decoder with the given dimensions (keys of config.json).

    Vision and audio encoders and biases are not counted. Returns None if a dimension is missing, if some layers are not
    attention layers, or for a family whose layers may be others than Llama's: feed-forward layers without a gate.
    """
    if _is_mixed(sizes) or sizes.get("model_type") not in COUNTED:
        return None
    hidden, layers = _number(sizes, "hidden_size"), _number(sizes, "num_hidden_layers")
    heads, vocabulary = _number(sizes, "num_attention_heads"), _number(sizes, "vocab_size")
    if not (hidden and layers and heads and vocabulary):
        return None
    head = _number(sizes, "head_dim") or hidden // heads
    key_value = _number(sizes, "num_key_value_heads") or heads
    attention = hidden * head * (2 * heads + 2 * key_value)
    feed_forward = _feed_forward(sizes, hidden, layers)
    # A config.json omits defaults of the model family. Gemma models tie embeddings by default.
    tied = sizes.get("tie_word_embeddings", str(sizes.get("model_type", "")).startswith("gemma"))
    embeddings = vocabulary * hidden * (1 if tied else 2)
    return embeddings + layers * (attention + 2 * hidden) + feed_forward + hidden


def _feed_forward(sizes: Mapping[str, Any], hidden: int, layers: int) -> int:
    """Return the parameters of all feed-forward layers, of which some may be mixtures of experts."""
    inner = _number(sizes, "intermediate_size") or 4 * hidden
    dense = 3 * hidden * inner
    experts = _number(sizes, "num_experts") or _number(sizes, "num_local_experts") or _number(sizes, "n_routed_experts")
    if not experts:
        return layers * dense
    width = _number(sizes, "moe_intermediate_size") or inner
    shared = _number(sizes, "shared_expert_intermediate_size") or (_number(sizes, "n_shared_experts") or 0) * width
    mixed = 3 * hidden * (experts * width + shared) + hidden * experts
    plain = _number(sizes, "first_k_dense_replace") or len(sizes.get("mlp_only_layers") or ())
    return plain * dense + (layers - plain) * mixed


def linear_sizes(sizes: Mapping[str, Any]) -> dict[str, int]:
    """Return inputs plus outputs of each linear module, summed over the layers; a LoRA adapter has that times its rank.

    Empty for models whose modules have other names or shapes than Llama's, and for mixtures of experts.
    """
    hidden, layers = _number(sizes, "hidden_size"), _number(sizes, "num_hidden_layers")
    heads, inner = _number(sizes, "num_attention_heads"), _number(sizes, "intermediate_size")
    if sizes.get("model_type") not in _LLAMA_LIKE or not (hidden and layers and heads and inner):
        return {}
    head = _number(sizes, "head_dim") or hidden // heads
    key_value = (_number(sizes, "num_key_value_heads") or heads) * head
    each = {
        "q_proj": hidden + heads * head,
        "k_proj": hidden + key_value,
        "v_proj": hidden + key_value,
        "o_proj": heads * head + hidden,
        "gate_proj": hidden + inner,
        "up_proj": hidden + inner,
        "down_proj": inner + hidden,
    }
    return {name: layers * size for name, size in each.items()}


def _bits(document: Document) -> int | None:
    """Return the bits per quantized weight; None if the weights are not quantized or config.json does not say."""
    method = document.get("quantization_config", "quant_method")
    if method in ("awq", "gptq"):
        bits = document.get("quantization_config", "bits")
        return bits if isinstance(bits, int) else None
    if method == "bitsandbytes":
        return 4 if document.get("quantization_config", "load_in_4bit") is True else 8
    return _BITS.get(str(method))


def parameters_by_name(model: str) -> int | None:
    """Return the parameter count in a model's name: 7 billion for ``Qwen/Qwen2.5-7B-Instruct``.

    Returns None for a name without a size and for one that states several, as some mixtures of experts do.
    """
    name = model.rstrip("/").rpartition("/")[2]
    sizes = {
        float(f"{whole}.{number}" if whole else number) * (1e9 if unit in "Bb" else 1e6)
        for whole, number, unit in _SIZE.findall(name)
    }
    if len(sizes) > 1:
        # Long-context models state the length of the context: Qwen2.5-7B-Instruct-1M.
        sizes.discard(1e6)
    return int(sizes.pop()) if len(sizes) == 1 and not _EXPERTS.search(name) else None


def vocabulary_by_name(model: str) -> int | None:
    """Return the least size of the vocabulary of the family that a model's name states; None for another name."""
    name = model.rstrip("/").rpartition("/")[2]
    sizes = {size for family, size in _VOCABULARIES if family.search(name)}
    return min(sizes, default=None)


def quantization_by_name(model: str) -> str:
    """Return the word in a model's name that stands for a quantized checkpoint, such as AWQ; empty if there is none."""
    match = _QUANTIZED.search(model.rstrip("/").rpartition("/")[2])
    return match[0] if match else ""


def state_name(facts: Facts, model: str, place: Place | None, source: str) -> None:
    """Record what the model's name implies: a lower bound of the parameter count, and whether it might be quantized."""
    parameters = parameters_by_name(model)
    if parameters is not None and facts.get("plan.model_parameters") is None:
        why = f"lower bound inferred from the model name {model} ({source})"
        facts.set("plan.model_parameters", int(parameters * LEAST_OF_NAME), why, place)
    words = vocabulary_by_name(model)
    if words is not None and facts.get("plan.vocabulary_size") is None:
        why = f"lower bound inferred from the model name {model} ({source})"
        facts.set("plan.vocabulary_size", words, why, place)
    quantized = quantization_by_name(model)
    if quantized and facts.get("plan.model_quantization") is None:
        facts.forget(
            "plan.model_quantization", f"'{quantized}' in the name {model} stands for quantized weights", place
        )


def _cache_bytes(sizes: Mapping[str, Any]) -> int | None:
    hidden, layers = _number(sizes, "hidden_size"), _number(sizes, "num_hidden_layers")
    heads = _number(sizes, "num_attention_heads")
    slides = sizes.get("sliding_window") is not None and sizes.get("use_sliding_window") is not False
    slides = slides or "sliding_attention" in (sizes.get("layer_types") or ())
    if not (hidden and layers and heads) or slides or _is_mixed(sizes):
        return None
    head = _number(sizes, "head_dim") or hidden // heads
    return 2 * layers * (_number(sizes, "num_key_value_heads") or heads) * head * _KV_BYTES


#: Families whose heads divide the hidden size if ``head_dim`` is not stated, in transformers and in vLLM.
_HEADS_OF_HIDDEN = ("llama", "mistral", "mixtral", "phi3", "qwen2", "qwen2_moe")
#: Prefixes of keys that indicate layers other than standard attention, or heads that other keys count.
_OTHER_LAYERS = (
    "mamba",
    "ssm_",
    "linear_",
    "kv_lora_rank",
    "attn_layer_",
    "full_attention_interval",
    "hybrid_",
    "rwkv",
    "block_configs",
    "multi_query",
    "num_kv_heads",
)


def _is_mixed(sizes: Mapping[str, Any]) -> bool:
    """Return whether some layers are not standard attention, so that the dimensions do not determine their size."""
    return any(key.startswith(_OTHER_LAYERS) and value for key, value in sizes.items()) or any(
        kind not in ("full_attention", "sliding_attention") for kind in sizes.get("layer_types") or ()
    )


def _number(sizes: Mapping[str, Any], key: str) -> int | None:
    value = sizes.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
