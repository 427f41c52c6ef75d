"""A model's config.json."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told, told_part
from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import FactValue
from vcompat.sources.reading.configurations.model_config import (
    parameters_by_name,
    quantization_by_name,
    read_model_config,
    state_name,
    vocabulary_by_name,
)
from vcompat.sources.reading.document import parse_document

FILES = r"""
> {}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"architectures": ["A", "B"],
>  "dtype": "float32",
>  "torch_dtype": "float16",
>  "num_attention_heads": 4,
>  "num_key_value_heads": 2,
>  "max_position_embeddings": 77}
attention_heads = 4 (config.json:4:2)
key_value_heads = 2 (config.json:5:2)
model_architecture = 'A' (config.json:1:2)
model_bits = None (config.json)
model_dtype = 'float32' (config.json:2:2)
model_max_length = 77 (config.json:6:2)
model_quantization = None (config.json)

> {"architectures": [],
>  "torch_dtype": "float16",
>  "num_attention_heads": 4}
attention_heads = 4 (config.json:3:2)
key_value_heads = 4 (config.json)
model_bits = None (config.json)
model_dtype = 'float16' (config.json:2:2)
model_quantization = None (config.json)

> {"architectures": "A", "dtype": 1, "num_key_value_heads": 2.5, "max_position_embeddings": "1"}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"architectures": [1], "num_key_value_heads": 2}
key_value_heads = 2 (config.json:1:24)
model_bits = None (config.json)
model_quantization = None (config.json)

> {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 5, "model_type": "mixtral"}
attention_heads = 4 (config.json:1:44)
head_size = 2 (config.json:1:2, hidden_size / num_attention_heads)
key_value_heads = 4 (config.json)
kv_bytes_per_token = 96 (config.json, computed from its dimensions)
model_bits = None (config.json)
model_code = () (config.json)
model_parameters = 2784 (config.json, computed from its dimensions)
model_quantization = None (config.json)
model_type = 'mixtral' (config.json:1:113)
vocabulary_size = 100 (config.json:1:70)

> {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 5, "num_key_value_heads": 2, "head_dim": 16, "tie_word_embeddings": true, "model_type": "mixtral"}
attention_heads = 4 (config.json:1:44)
head_size = 16 (config.json:1:139)
key_value_heads = 2 (config.json:1:113)
kv_bytes_per_token = 384 (config.json, computed from its dimensions)
model_bits = None (config.json)
model_code = () (config.json)
model_parameters = 5824 (config.json, computed from its dimensions)
model_quantization = None (config.json)
model_ties_embeddings = True (config.json:1:155)
model_type = 'mixtral' (config.json:1:184)
vocabulary_size = 100 (config.json:1:70)

> {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 5, "model_type": "llama"}
attention_heads = 4 (config.json:1:44)
head_size = 2 (config.json:1:2, hidden_size / num_attention_heads)
key_value_heads = 4 (config.json)
kv_bytes_per_token = 96 (config.json, computed from its dimensions)
linear_sizes = ('q_proj=48', 'k_proj=48', 'v_proj=48', 'o_proj=48', 'gate_proj=39', 'up_proj=39', 'down_proj=39') (config.json, computed from its dimensions)
model_bits = None (config.json)
model_code = () (config.json)
model_is_moe = False (config.json:1:113, a family without experts)
model_parameters = 2784 (config.json, computed from its dimensions)
model_quantization = None (config.json)
model_type = 'llama' (config.json:1:113)
vocabulary_size = 100 (config.json:1:70)

> {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 5, "model_type": "qwen3", "head_dim": 3, "num_key_value_heads": 2}
attention_heads = 4 (config.json:1:44)
head_size = 3 (config.json:1:136)
key_value_heads = 2 (config.json:1:151)
kv_bytes_per_token = 72 (config.json, computed from its dimensions)
linear_sizes = ('q_proj=60', 'k_proj=42', 'v_proj=42', 'o_proj=60', 'gate_proj=39', 'up_proj=39', 'down_proj=39') (config.json, computed from its dimensions)
model_bits = None (config.json)
model_code = () (config.json)
model_is_moe = False (config.json:1:113, a family without experts)
model_parameters = 2880 (config.json, computed from its dimensions)
model_quantization = None (config.json)
model_type = 'qwen3' (config.json:1:113)
vocabulary_size = 100 (config.json:1:70)

> {"text_config": {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "dtype": "float16", "max_position_embeddings": 9, "model_type": "mixtral"}, "hidden_size": 1, "dtype": "float32"}
attention_heads = 4 (config.json:1:60)
head_size = 2 (config.json:1:18, hidden_size / num_attention_heads)
key_value_heads = 4 (config.json)
kv_bytes_per_token = 96 (config.json, computed from its dimensions)
model_bits = None (config.json)
model_dtype = 'float32' (config.json:1:199)
model_max_length = 9 (config.json:1:125)
model_parameters = 4728 (config.json, computed from its dimensions)
model_quantization = None (config.json)
vocabulary_size = 100 (config.json:1:86)

> {"text_config": {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "torch_dtype": "float16", "model_type": "mixtral"}}
attention_heads = 4 (config.json:1:60)
head_size = 2 (config.json:1:18, hidden_size / num_attention_heads)
key_value_heads = 4 (config.json)
kv_bytes_per_token = 96 (config.json, computed from its dimensions)
model_bits = None (config.json)
model_dtype = 'float16' (config.json)
model_parameters = 4728 (config.json, computed from its dimensions)
model_quantization = None (config.json)
vocabulary_size = 100 (config.json:1:86)

> {"num_experts": null, "n_routed_experts": 4, "num_local_experts": 0}
model_bits = None (config.json)
model_is_moe = True (config.json:1:23)
model_quantization = None (config.json)

> {"text_config": {"num_attention_heads": 4, "moe_num_experts": [64, 64]}, "num_experts": 0}
attention_heads = 4 (config.json:1:18)
key_value_heads = 4 (config.json)
model_bits = None (config.json)
model_is_moe = True (config.json:1:44)
model_quantization = None (config.json)

> {"num_local_experts": 0, "model_type": "gemma4_text"}
model_bits = None (config.json)
model_code = () (config.json)
model_is_moe = False (config.json:1:2)
model_quantization = None (config.json)
model_type = 'gemma4_text' (config.json:1:26)

> {"num_experts": [], "num_local_experts": "8"}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"llm_config": {"num_attention_heads": 4, "num_key_value_heads": 2}}
attention_heads = 4 (config.json:1:17)
key_value_heads = 2 (config.json:1:43)
model_bits = None (config.json)
model_quantization = None (config.json)

> {"language_config": {"num_attention_heads": 4}}
attention_heads = 4 (config.json:1:22)
key_value_heads = 4 (config.json)
model_bits = None (config.json)
model_quantization = None (config.json)

> {"text_config": {"hidden_size": 4}, "num_attention_heads": 2}
attention_heads = 2 (config.json:1:37)
key_value_heads = 2 (config.json)
model_bits = None (config.json)
model_quantization = None (config.json)

> {"text_config": 5, "num_attention_heads": 2}
attention_heads = 2 (config.json:1:20)
key_value_heads = 2 (config.json)
model_bits = None (config.json)
model_quantization = None (config.json)

> {"rope_parameters": {"rope_theta": 500000.0, "rope_type": "llama3"}}
model_bits = None (config.json)
model_quantization = None (config.json)
model_rope_theta = 500000.0 (config.json:1:22)

> {"text_config": {"num_attention_heads": 4, "rope_parameters": {"rope_theta": 1000000}}}
attention_heads = 4 (config.json:1:18)
key_value_heads = 4 (config.json)
model_bits = None (config.json)
model_quantization = None (config.json)
model_rope_theta = 1000000 (config.json:1:64)

> {"rope_parameters": {"rope_theta": 500000.0}, "rope_theta": 500000.0}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"rope_parameters": {"full_attention": {"rope_theta": 500000.0}}, "rope_theta": null}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"rope_scaling": {"type": "longrope", "short_factor": [1.0]}, "original_max_position_embeddings": 4096}
model_bits = None (config.json)
model_longrope_limit = 4096 (config.json:1:2)
model_quantization = None (config.json)

> {"rope_parameters": {"rope_type": "longrope", "original_max_position_embeddings": 32768}}
model_bits = None (config.json)
model_longrope_limit = 32768 (config.json:1:2)
model_quantization = None (config.json)

> {"rope_scaling": {"type": "yarn", "original_max_position_embeddings": 4096}}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"tie_word_embeddings": false}
model_bits = None (config.json)
model_quantization = None (config.json)
model_ties_embeddings = False (config.json:1:2)

> {"tie_word_embeddings": null}
model_bits = None (config.json)
model_quantization = None (config.json)

> {"text_config": {"num_attention_heads": 4}, "tie_word_embeddings": true}
attention_heads = 4 (config.json:1:18)
key_value_heads = 4 (config.json)
model_bits = None (config.json)
model_quantization = None (config.json)

> {"rope_parameters": {"rope_theta": "large"}}
model_bits = None (config.json)
model_quantization = None (config.json)
model_rope_theta ? config.json:1:22: plan.model_rope_theta is 'large'; expected a number

> {"quantization_config": {"quant_method": "awq", "bits": 4}}
model_bits = 4 (config.json:1:2)
model_quantization = 'awq' (config.json:1:26)

> {"quantization_config": {"quant_method": "gptq", "bits": 8}}
model_bits = 8 (config.json:1:2)
model_quantization = 'gptq' (config.json:1:26)

> {"quantization_config": {"quant_method": "gptq", "bits": "4"}}
model_bits = None (config.json:1:2)
model_quantization = 'gptq' (config.json:1:26)

> {"quantization_config": {"quant_method": "gptq"}}
model_bits = None (config.json:1:2)
model_quantization = 'gptq' (config.json:1:26)

> {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": true}}
model_bits = 4 (config.json:1:2)
model_quantization = 'bitsandbytes' (config.json:1:26)

> {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": false}}
model_bits = 8 (config.json:1:2)
model_quantization = 'bitsandbytes' (config.json:1:26)

> {"quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": true}}
model_bits = 8 (config.json:1:2)
model_quantization = 'bitsandbytes' (config.json:1:26)

> {"quantization_config": {"quant_method": "bitsandbytes"}}
model_bits = 8 (config.json:1:2)
model_quantization = 'bitsandbytes' (config.json:1:26)

> {"quantization_config": {"quant_method": "fp8"}}
model_bits = 8 (config.json:1:2)
model_quantization = 'fp8' (config.json:1:26)

> {"quantization_config": {"quant_method": "fbgemm_fp8"}}
model_bits = 8 (config.json:1:2)
model_quantization = 'fbgemm_fp8' (config.json:1:26)

> {"quantization_config": {"quant_method": "mxfp4"}}
model_bits = 4 (config.json:1:2)
model_quantization = 'mxfp4' (config.json:1:26)

> {"quantization_config": {"quant_method": "new", "bits": 4}}
model_bits = None (config.json:1:2)
model_quantization = 'new' (config.json:1:26)

> {"quantization_config": null}
model_bits = None (config.json:1:2)
model_quantization = None (config.json)

> {"quantization_config": {"bits": 4}}
model_bits ? config.json:1:2: the method is not stated
model_quantization ? config.json:1:2: the method is not stated

> {"quantization_config": {"quant_method": 8}}
model_bits = None (config.json:1:2)
model_quantization ? config.json:1:26: plan.model_quantization is 8; expected a text

> {"model_type": "own", "auto_map": {"AutoModel": "m.A", "AutoConfig": "m.B"}}
model_bits = None (config.json)
model_code = ('AutoConfig', 'AutoModel') (config.json:1:23)
model_quantization = None (config.json)
model_type = 'own' (config.json:1:2)

> {"quantization_config": {}}
model_bits = None (config.json:1:2)
model_quantization = None (config.json)
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(FILES)])
def test_a_file_states_architecture_heads_and_quantization(text: str, expected: list[str]) -> None:
    assert told_part(read_model_config(parse_document("dir/config.json", text))) == expected


SIZES = (
    '{"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100, "model_type": "mixtral", '
)


@pytest.mark.parametrize(
    ("more", "sizes"),
    [
        ('"intermediate_size": 5', (4, 96, 2784, '')),
        ('"intermediate_size": 5, "num_key_value_heads": 2, "head_dim": 16, "tie_word_embeddings": true', (2, 384, 5824, '')),
        ('"model_type": "gemma2"', (4, 96, 3928, '')),
        ('"model_type": "gemma2", "tie_word_embeddings": false', (4, 96, 4728, '')),
        ('"model_type": "agemma"', (4, 96, None, '')),
        ('"model_type": "phi"', (4, 96, None, '')),
        ('"model_type": null', (4, 96, None, '')),
        ('"num_experts": 2', (4, 96, 7080, '')),
        ('"num_local_experts": 2, "intermediate_size": 5', (4, 96, 3192, '')),
        ('"n_routed_experts": 2, "moe_intermediate_size": 6, "n_shared_experts": 3, "first_k_dense_replace": 1', (4, 96, 4664, '')),
        ('"num_experts": 2, "moe_intermediate_size": 6, "shared_expert_intermediate_size": 7, "mlp_only_layers": [0, 1]', (4, 96, 4432, '')),
        ('"num_experts": 2, "num_local_experts": 3, "n_routed_experts": 4, "n_shared_experts": 1, "shared_expert_intermediate_size": 7', (4, 96, 7584, '')),
        ('"intermediate_size": 5, "model_type": "llama"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "qwen3", "head_dim": 3, "num_key_value_heads": 2', (2, 72, 2880, '60,42,42,60,39,39,39')),
        ('"sliding_window": 5', (4, None, 4728, '')),
        ('"sliding_window": null', (4, 96, 4728, '')),
        ('"sliding_window": 5, "use_sliding_window": false', (4, 96, 4728, '')),
        ('"sliding_window": 5, "use_sliding_window": true', (4, None, 4728, '')),
        ('"layer_types": []', (4, 96, 4728, '')),
        ('"layer_types": ["full_attention"]', (4, 96, 4728, '')),
        ('"layer_types": ["full_attention", "sliding_attention"]', (4, None, 4728, '')),
        ('"layer_types": ["full_attention", "other"]', (None, None, None, '')),
        ('"mamba_x": 1', (None, None, None, '')),
        ('"ssm_x": 1', (None, None, None, '')),
        ('"linear_x": 1', (None, None, None, '')),
        ('"kv_lora_rank": 1', (None, None, None, '')),
        ('"attn_layer_x": 1', (None, None, None, '')),
        ('"full_attention_interval": 2', (None, None, None, '')),
        ('"hybrid_x": 1', (None, None, None, '')),
        ('"rwkv": 1', (None, None, None, '')),
        ('"mamba_x": 0', (4, 96, 4728, '')),
        ('"x_mamba": 1', (4, 96, 4728, '')),
        ('"num_key_value_heads": 2', (2, 48, 4536, '')),
        ('"num_key_value_heads": 1', (1, 24, 4440, '')),
        ('"num_key_value_heads": null', (None, 96, 4728, '')),
        ('"head_dim": 1', (4, 48, 4344, '')),
        ('"head_dim": 3', (4, 144, 5112, '')),
        ('"hidden_size": 9', (4, 96, 5643, '')),
        ('"num_hidden_layers": 1', (4, 32, 2648, '')),
        ('"vocab_size": 1', (4, 96, 3144, '')),
        ('"intermediate_size": 1', (4, 96, 2496, '')),
        ('"tie_word_embeddings": true', (4, 96, 3928, '')),
        ('"tie_word_embeddings": false', (4, 96, 4728, '')),
        ('"num_experts": 1', (4, 96, 4752, '')),
        ('"num_experts": 2, "n_shared_experts": 1', (4, 96, 9384, '')),
        ('"num_experts": 2, "mlp_only_layers": [1]', (4, 96, 6296, '')),
        ('"num_experts": 2, "mlp_only_layers": null', (4, 96, 7080, '')),
        ('"num_experts": 2, "first_k_dense_replace": 2, "mlp_only_layers": [1]', (4, 96, 5512, '')),
        ('"num_experts": 2, "intermediate_size": 5, "n_shared_experts": 2', (4, 96, 3912, '')),
        ('"block_configs": [1]', (None, None, None, '')),
        ('"multi_query": true', (None, None, None, '')),
        ('"multi_query_group_num": 2', (None, None, None, '')),
        ('"num_kv_heads": 2', (None, None, None, '')),
        ('"num_kv_heads": 2, "num_key_value_heads": 1', (1, None, None, '')),
        ('"hidden_size": null', (4, None, None, '')),
        ('"hidden_size": 0', (4, None, None, '')),
        ('"hidden_size": 1', (4, 0, 243, '')),
        ('"num_hidden_layers": null', (4, None, None, '')),
        ('"num_hidden_layers": 0', (4, None, None, '')),
        ('"num_attention_heads": null', (None, None, None, '')),
        ('"num_attention_heads": 0', (0, None, None, '')),
        ('"num_attention_heads": 1', (1, 96, 4728, '')),
        ('"vocab_size": null', (4, 96, None, '')),
        ('"vocab_size": 0', (4, 96, None, '')),
        ('"intermediate_size": 5, "model_type": "mistral"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "qwen2"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "qwen3"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "gemma"', (4, 96, 1984, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "gemma2"', (4, 96, 1984, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "gemma3_text"', (4, 96, 1984, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "granite"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "olmo2"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "smollm3"', (4, 96, 2784, '48,48,48,48,39,39,39')),
        ('"intermediate_size": 5, "model_type": "mixtral"', (4, 96, 2784, '')),
        ('"intermediate_size": 5, "model_type": "qwen3_moe"', (4, 96, 2784, '')),
        ('"model_type": "llama"', (4, 96, 4728, '')),
        ('"intermediate_size": 5, "model_type": "llama", "hidden_size": null', (4, None, None, '')),
        ('"intermediate_size": 5, "model_type": "llama", "num_hidden_layers": null', (4, None, None, '')),
        ('"intermediate_size": 5, "model_type": "llama", "num_attention_heads": null', (None, None, None, '')),
        ('"intermediate_size": 5, "model_type": "llama", "num_key_value_heads": 2, "head_dim": 3', (2, 72, 2880, '60,42,42,60,39,39,39')),
    ],
)  # fmt: skip
def test_sizes_follow_from_the_dimensions(more: str, sizes: tuple[int | None, int | None, int | None, str]) -> None:
    facts = read_model_config(parse_document("config.json", SIZES + more + "}")).facts
    linear = facts.value("plan.linear_sizes") or ()
    assert isinstance(linear, tuple)
    names = [str(each).partition("=")[0] for each in linear]
    assert names == ("q_proj k_proj v_proj o_proj gate_proj up_proj down_proj".split() if linear else [])
    each = ",".join(str(size).partition("=")[2] for size in linear)
    found = [facts.value(f"plan.{name}") for name in ("key_value_heads", "kv_bytes_per_token", "model_parameters")]
    assert (*found, each) == sizes


@pytest.mark.parametrize(
    ("model", "before", "expected"),
    [
        ("a/b-7B", {}, ["model_parameters = 6440000000 (lower bound inferred from the model name a/b-7B (x)) at y.sh:1"]),
        ("a/b-7B", {"plan.model_parameters": 5}, ["model_parameters = 5 (z) at no position"]),
        ("a/b-AWQ", {}, ["model_quantization ? 'AWQ' in the name a/b-AWQ stands for quantized weights at y.sh:1"]),
        ("a/b-AWQ", {"plan.model_quantization": None}, ["model_quantization = None (z) at no position"]),
        ("a/b", {}, []),
        ("a/Qwen3", {}, ["vocabulary_size = 151643 (lower bound inferred from the model name a/Qwen3 (x)) at y.sh:1"]),
        ("a/Qwen3", {"plan.vocabulary_size": 7}, ["vocabulary_size = 7 (z) at no position"]),
    ],
)  # fmt: skip
def test_a_name_implies_a_lower_bound_and_perhaps_quantized_weights(
    model: str, before: dict[str, FactValue], expected: list[str]
) -> None:
    facts = Facts()
    for name, value in before.items():
        facts.set(name, value, "z")
    state_name(facts, model, Place("y.sh", 1), "x")
    assert told(facts) == expected


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("x-7B", 7e9), ("x-7b", 7e9), ("x-7M", 7e6), ("x-7m", 7e6), ("x_7B", 7e9), ("7B", 7e9), ("7B/x", None), ("x/7B/", 7e9),
        ("x-1.5B", 1.5e9), ("x-1_8B", 1.8e9), ("x7B", None), ("x-7Bx", None), ("x.7B", None), ("x-7B-1M", 7e9), ("x-7B-2M", None),
        ("x-1M", 1e6), ("x-7B-7B", 7e9), ("x-7B-3B", None), ("x-17B-16E", None), ("x-17B-E", 17e9), ("x-17B-x16E", 17e9),
        ("x-0.5B", 0.5e9), ("x-7G", None), ("", None),
    ],
)  # fmt: skip
def test_the_size_in_a_name(name: str, parameters: float | None) -> None:
    assert parameters_by_name(name) == parameters


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", 151643),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B/", 151643),
        ("meta-llama/Meta-Llama-3-8B", 128256),
        ("x/Llama-3.2-1B", 128256),
        ("x/llama-2-7b", 32000),
        # Of which Llama it is, the name says nothing.
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", 32000),
        ("x/Llama-4-Scout", None),
        ("x/gemma-2-2b", 256000),
        ("x/gemma-3-1b-it", 262144),
        ("x/SmolLM2-135M", 49152),
        ("x/SmolLM3-3B", 128256),
        # A word in another word, or in the name of the owner.
        ("x/CodeQwen1.5-7B", None),
        ("x/TinyLlama-1.1B", None),
        ("Qwen/x", None),
    ],
)
def test_the_least_vocabulary_of_the_family_in_a_name(name: str, size: int | None) -> None:
    assert vocabulary_by_name(name) == size


@pytest.mark.parametrize(
    "word",
    "awq gptq gguf ggml exl2 exl3 bnb hqq aqlm quip vptq eetq marlin autoround auto-round quark quant quantized qat fp4 "
    "fp6 fp8 nvfp4 mxfp4 nf4 int2 int3 int4 int8 uint4 w4a16 w8a8 4bit 4-bit 4bits 1.58bit q2 q4 q8 q4_k_m q8_0 bitnet "
    "gpt-oss".split(),
)
def test_the_words_for_quantized_checkpoints(word: str) -> None:
    for each in (word, word.upper()):
        assert quantization_by_name(f"a/x-{each}") == each
        assert quantization_by_name(f"a/{each}-7B/") == each
        assert quantization_by_name(f"{each}/x") == ""
        assert quantization_by_name(f"a/y{each}") == ("58" + each[4:] if word == "1.58bit" else "")


@pytest.mark.parametrize("word", ["fp16", "bf16", "int16", "q1", "q9", "exl4", "w4", "a16", "bit", "gpt-os"])
def test_other_words_do_not_stand_for_quantized_checkpoints(word: str) -> None:
    assert quantization_by_name(f"a/x-{word}") == ""
