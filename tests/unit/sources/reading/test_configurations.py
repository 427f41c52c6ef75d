"""Configuration files of TRL, accelerate, DeepSpeed, PEFT and models, as users write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.document import read_document
from vcompat.sources.reading.whole import Plan


def plan(tmp_path: Path, **files: str) -> Plan:
    """Write `files` (``grpo_yaml`` becomes ``grpo.yaml``) and read the first of them as a plan."""
    paths = []
    for name, text in files.items():
        path = tmp_path / ".".join(name.rsplit("_", 1))
        path.write_text(text)
        paths.append(str(path))
    return collect(Sources(paths[:1], probe=False)).plan


def values(facts: Facts) -> dict[str, FactValue]:
    return {name: known.value for name, known in facts.known.items()}


def test_a_trl_configuration_sets_trainer_model_and_environment_variables(tmp_path: Path) -> None:
    text = """
# a comment
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
torch_dtype: bfloat16
use_vllm: true
vllm_mode: colocate
vllm_gpu_memory_utilization: 3e-1
use_peft: yes
lora_modules_to_save: [lm_head]
learning_rate: 1.0e-6
env:
  VLLM_USE_V1: 0
  EDITOR: vi
"""
    read = plan(tmp_path, grpo_yaml=text)
    assert values(read.facts) == {
        "plan.model": "Qwen/Qwen2.5-7B-Instruct",
        "plan.model_parameters": 6_440_000_000,
        "plan.vocabulary_size": 151_643,
        "plan.dtype": "bfloat16",
        "plan.use_vllm": True,
        "plan.vllm_mode": "colocate",
        "plan.vllm_gpu_memory_utilization": 0.3,
        "plan.peft": True,
        "plan.modules_to_save": ("lm_head",),
        "plan.lora_dropout": 0.05,
        "plan.lora_rank": 16,
        "plan.lora_targets": (),
        "env.VLLM_USE_V1": "0",
    }
    assert read.takes_defaults
    assert read.facts.known["plan.vllm_mode"].source == "grpo.yaml:6:1"
    assert read.configurations[0].kind == "yaml"


def test_an_accelerate_configuration_sets_processes_precision_and_deepspeed(tmp_path: Path) -> None:
    text = """
compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  zero_stage: 3
  offload_optimizer_device: cpu
  gradient_accumulation_steps: 4
mixed_precision: 'no'
num_machines: 2
num_processes: 16
"""
    read = plan(tmp_path, zero3_yaml=text)
    assert values(read.facts) == {
        "plan.launcher": "accelerate",
        "plan.world_size": 16,
        "plan.num_machines": 2,
        "plan.processes_per_machine": 8,
        "plan.distributed_type": "DEEPSPEED",
        "plan.mixed_precision": "no",
        "plan.deepspeed_stage": 3,
        "plan.deepspeed_accumulation_steps": 4,
        "plan.optimizer_offload": "cpu",
        "plan.parameter_offload": "none",
        "plan.fsdp": None,
        "plan.fsdp_version": None,
    }


def test_a_deepspeed_configuration_sets_the_stage_and_lists_auto_settings(tmp_path: Path) -> None:
    text = """{
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": 8,
  "bf16": {"enabled": "auto"},
  "zero_optimization": {
    "stage": 3,
    "offload_optimizer": {"device": "cpu"}
  }
}"""
    facts = plan(tmp_path, ds_json=text).facts
    assert facts.value("plan.deepspeed_stage") == 3
    assert facts.known["plan.deepspeed_stage"].source == "ds.json:6:5"
    assert facts.known["plan.optimizer_offload"].source == "ds.json:7:27"
    assert facts.value("plan.deepspeed_accumulation_steps") == 8
    assert facts.value("plan.deepspeed_auto") == ("deepspeed_micro_batch_size", "deepspeed_bf16")


def test_adapter_config_and_model_config_are_read(tmp_path: Path) -> None:
    adapter = """{"peft_type": "LORA", "base_model_name_or_path": "Qwen/Qwen3-4B", "modules_to_save": ["lm_head"],
 "r": 32, "target_modules": ["q_proj", "v_proj"], "trainable_token_indices": [7]}"""
    assert values(plan(tmp_path, adapter_config_json=adapter).facts) == {
        "plan.peft": True,
        "plan.modules_to_save": ("lm_head",),
        "plan.lora_rank": 32,
        "plan.lora_targets": ("q_proj", "v_proj"),
        "plan.trainable_tokens": True,
        "plan.model": "Qwen/Qwen3-4B",
        "plan.model_parameters": 3_680_000_000,
        "plan.vocabulary_size": 151_643,
    }
    model = """{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584,
 "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
 "vocab_size": 152064, "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"""
    facts = plan(tmp_path, config_json=model).facts
    assert facts.value("plan.model_architecture") == "Qwen2ForCausalLM"
    assert (facts.value("plan.attention_heads"), facts.value("plan.key_value_heads")) == (28, 4)
    assert facts.value("plan.model_dtype") == "bfloat16"
    # The README of Qwen2.5-7B states 7.61 billion.
    assert round(float(str(facts.value("plan.model_parameters"))) / 1e9, 2) == 7.62
    assert facts.value("plan.kv_bytes_per_token") == 2 * 28 * 4 * 128 * 2


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", 7),
        ("Qwen/Qwen2.5-0.5B", 0.5),
        ("meta-llama/Llama-3.1-70B", 70),
        ("HuggingFaceTB/SmolLM2-135M", 0.135),
        ("google/gemma-3-27b-it", 27),
        ("Qwen/Qwen3-30B-A3B", 30),
        ("deepseek-ai/DeepSeek-R1", None),
        ("./out/checkpoint-500", None),
        ("Qwen/Qwen3-4B-Instruct-2507", 4),
        ("Qwen/Qwen3-0.6B", 0.6),
        ("mistralai/Mistral-7B-Instruct-v0.3", 7),
        ("Qwen/Qwen2.5-7B-Instruct-1M", 7),
        ("internlm/internlm2-1_8b", 1.8),
        ("mistralai/Mixtral-8x7B-v0.1", None),
        ("mistralai/Mixtral-8x22B-Instruct", None),
        ("Qwen/Qwen1.5-MoE-A2.7B", None),
        ("google/gemma-3n-E2B-it", None),
        ("allenai/OLMoE-1B-7B-0924", None),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", None),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", 8),
        ("EleutherAI/pythia-160m-10B-tokens", None),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", 7),
        ("openai/gpt-oss-20b", 20),
        ("meta-llama/Llama-3.2-1B/", 1),
    ],
)
def test_the_parameter_count_is_read_from_a_model_name(name: str, billions: float | None) -> None:
    from vcompat.sources.reading.configurations.model_config import parameters_by_name

    assert parameters_by_name(name) == (None if billions is None else billions * 1e9)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "AWQ"),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "GPTQ"),
        ("unsloth/Llama-3.2-3B-Instruct-bnb-4bit", "bnb"),
        ("mlx-community/Qwen3-4B-4bit", "4bit"),
        ("Qwen/Qwen3-8B-FP8", "FP8"),
        ("nvidia/Llama-3.1-8B-Instruct-NVFP4", "NVFP4"),
        ("openai/gpt-oss-20b", "gpt-oss"),
        ("RedHatAI/Llama-3.1-8B-quantized.w4a16", "quantized"),
        ("x/Llama-3.1-8B-W8A8", "W8A8"),
        ("TheBloke/Llama-2-7B-GGUF", "GGUF"),
        ("x/Llama-2-7B-Q4_K_M", "Q4_K_M"),
        ("x/gemma-3-4b-it-qat-int4", "qat"),
        ("x/llama-7b-8-bit", "8-bit"),
        ("microsoft/bitnet-b1.58-2B-4T", "bitnet"),
        ("Qwen/Qwen2.5-7B-Instruct", ""),
        ("x/Llama-3-8B-fp16", ""),
        ("x/Llama-3-8B-bf16", ""),
        ("awq/Llama-3-8B", ""),
        ("Qwen/QwQ-32B", ""),
    ],
)
def test_a_name_can_stand_for_a_quantized_checkpoint(name: str, word: str) -> None:
    from vcompat.sources.reading.configurations.model_config import quantization_by_name

    assert quantization_by_name(name) == word


def test_named_files_are_read_and_missing_ones_leave_their_facts_unknown(tmp_path: Path) -> None:
    settings = "use_vllm: true\ndeepspeed: ds.json\nmodel_name_or_path: tiny\n"
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "num_attention_heads": 6}')
    read = plan(tmp_path, grpo_yaml=settings, ds_json='{"zero_optimization": {"stage": 2}}')
    assert [Path(path).name for path in read.files] == ["grpo.yaml", "ds.json", "config.json"]
    assert read.facts.value("plan.deepspeed_stage") == 2
    assert read.facts.value("plan.attention_heads") == 6
    (tmp_path / "ds.json").unlink()
    facts = plan(tmp_path, grpo_yaml=settings).facts
    assert facts.why_unknown("plan.deepspeed_stage") == "grpo.yaml:2:1 names ds.json, which was not found"


def test_a_script_with_trl_parser_uses_the_trl_configuration(tmp_path: Path) -> None:
    script = "parser = TrlParser((GRPOConfig,))\n(args,) = parser.parse_args_and_config()\n"
    alone = plan(tmp_path, train_py=script)
    assert not alone.takes_defaults
    assert "read from the command line, which is not known" in alone.facts.why_unknown("plan.use_vllm")
    (tmp_path / "grpo.yaml").write_text("use_vllm: true\n")
    both = collect(Sources([str(tmp_path / "train.py"), str(tmp_path / "grpo.yaml")], probe=False)).plan
    assert both.takes_defaults
    assert both.facts.value("plan.use_vllm") is True


def test_a_configuration_that_the_script_does_not_read_sets_nothing(tmp_path: Path) -> None:
    (tmp_path / "grpo.yaml").write_text("use_vllm: false\nvllm_mode: server\n")
    (tmp_path / "train.py").write_text("GRPOConfig(use_vllm=True)")
    facts = collect(Sources([str(tmp_path / "train.py"), str(tmp_path / "grpo.yaml")], probe=False)).facts
    assert facts.value("plan.use_vllm") is True
    assert facts.get("plan.vllm_mode") is None


def test_toml_settings_are_read_with_their_positions(tmp_path: Path) -> None:
    facts = plan(tmp_path, grpo_toml='# here\nuse_vllm = true\n\n[env]\nVLLM_USE_V1 = "1"\n').facts
    assert facts.known["plan.use_vllm"].source == "grpo.toml:2:1"
    assert facts.known["env.VLLM_USE_V1"].source == "grpo.toml:5:1"


def test_yaml_anchors_and_merge_keys_are_resolved_and_dates_stay_strings(tmp_path: Path) -> None:
    text = "base: &base\n  a: 1\n  b: 2\nit:\n  <<: *base\n  b: 3\nday: 2026-11-21\nlist: [*base]\n"
    path = tmp_path / "x.yaml"
    path.write_text(text)
    document = read_document(str(path))
    assert document.get("it") == {"a": 1, "b": 3}
    assert document.get("day") == "2026-11-21"
    assert document.get("list") == [{"a": 1, "b": 2}]
    assert str(document.place("it", "b")) == "x.yaml:6:3"


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("x.yaml", BOMB.encode(), "more than 200000 values"),
        ("x.yaml", b"a: &a [*a]\n", "nested too deeply"),
        (
            "x.yaml",
            b"a: !!python/object/apply:os.system ['true']\n",
            "x.yaml:1: unsupported tag tag:yaml.org,2002:python",
        ),
        ("x.yaml", b"a: !mine 3\n", "unsupported tag !mine"),
        ("x.yaml", b"[" * 100_000, "nested too deeply"),
        ("x.yaml", b"- " * 10_000 + b"a", "nested too deeply"),
        ("x.yaml", b"".join(b" " * n + b"a:\n" for n in range(3_000)), "nested too deeply"),
        ("x.yaml", b"a: [1\n", "x.yaml:2: not valid YAML"),
        ("x.yaml", b"? [a]\n: 1\n", "x.yaml:1: key is not a scalar"),
        ("x.yaml", b"just a text", "not a table at its top level"),
        ("x.yaml", b"a: \0", "holds binary data"),
        ("x.yaml", b"a: \xff\xfe", "not UTF-8 text"),
        ("x.yaml", b"x: 1\n" * 2_000_000, "larger than 5 MB"),
        ("x.json", b'{"facts":' * 100_000, "nested too deeply"),
        ("x.json", b"[1, 2", "x.json:1: not valid JSON"),
        ("x.json", b'{"a": ' + b"9" * 10_000 + b"}", "not valid JSON"),
        ("x.json", b'{"hello": 1}', "not a supported configuration"),
        ("x.toml", b"a = ", "not valid TOML"),
        ("x.toml", b"a = " + b"[" * 100_000, "x.toml"),
        ("x.bin", b"\x7fELF", "not a supported file"),
    ],
)
def test_malformed_files_are_rejected_in_one_line(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        collect(Sources([str(path)], probe=False))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500 + len(str(path))


SIZES = (
    '"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 99, '
    '"model_type": "mixtral"'
)


@pytest.mark.parametrize(
    ("more", "counts", "caches"),
    [
        ("", True, True),
        (', "sliding_window": 4096, "use_sliding_window": false', True, True),
        (', "sliding_window": 4096', True, False),
        (', "layer_types": ["full_attention", "sliding_attention"]', True, False),
        (', "layer_types": ["full_attention", "linear_attention"]', False, False),
        (', "kv_lora_rank": 512', False, False),
        (', "mamba_d_state": 16', False, False),
    ],
)
def test_parameters_and_cache_are_counted_only_for_standard_decoders(
    tmp_path: Path, more: str, counts: bool, caches: bool
) -> None:
    facts = plan(tmp_path, config_json=f'{{"architectures": ["A"], {SIZES}{more}}}').facts
    assert (facts.get("plan.model_parameters") is not None) is counts
    assert (facts.get("plan.kv_bytes_per_token") is not None) is caches


def described(facts: Facts, *names: str) -> dict[str, str]:
    """The values with their sources; of the facts called `plan.` and one of `names`."""
    return {name: f"{facts.known[f'plan.{name}'].value} {facts.known[f'plan.{name}'].source}" for name in names}


def test_a_deepspeed_configuration_has_deepspeed_s_defaults(tmp_path: Path) -> None:
    facts = plan(tmp_path, ds_json='{"zero_optimization": {"offload_param": {"device": "nvme"}}}').facts
    names = ("deepspeed_bf16", "deepspeed_fp16", "deepspeed_stage", "optimizer_offload", "parameter_offload")
    assert described(facts, *names, "deepspeed_auto") == {
        "deepspeed_bf16": "False ds.json, DeepSpeed's default",
        "deepspeed_fp16": "False ds.json, DeepSpeed's default",
        "deepspeed_stage": "0 ds.json, DeepSpeed's default",
        "optimizer_offload": "none ds.json",
        "parameter_offload": "nvme ds.json:1:42",
        "deepspeed_auto": "() ds.json",
    }
    text = '{"fp16": {"enabled": "auto"}, "bf16": {"enabled": true}, "gradient_accumulation_steps": "auto", "train_micro_batch_size_per_gpu": 3, "zero_optimization": {}}'
    facts = plan(tmp_path, ds_json=text).facts
    assert facts.value("plan.deepspeed_auto") == ("deepspeed_accumulation_steps", "deepspeed_fp16")
    assert (facts.value("plan.deepspeed_bf16"), facts.value("plan.deepspeed_micro_batch_size")) == (True, 3)


@pytest.mark.parametrize(
    ("more", "parameters", "cache"),
    [
        ("", 2 * 99 * 64 + 2 * (4 * 64 * 64 + 128) + 2 * 3 * 64 * 128 + 64, 2 * 2 * 64 * 2),
        (', "tie_word_embeddings": true', 99 * 64 + 2 * (4 * 64 * 64 + 128) + 2 * 3 * 64 * 128 + 64, 512),
        (', "model_type": "gemma3_text"', 99 * 64 + 2 * (4 * 64 * 64 + 128) + 2 * 3 * 64 * 128 + 64, 512),
        (', "head_dim": 32', 2 * 99 * 64 + 2 * (8 * 64 * 64 + 128) + 2 * 3 * 64 * 128 + 64, 1024),
        (', "num_key_value_heads": 2', 2 * 99 * 64 + 2 * (3 * 64 * 64 + 128) + 2 * 3 * 64 * 128 + 64, 256),
        (
            ', "num_experts": 4, "moe_intermediate_size": 32',
            2 * 99 * 64 + 2 * (4 * 64 * 64 + 128) + 2 * (3 * 64 * 4 * 32 + 64 * 4) + 64,
            512,
        ),
        (
            ', "num_local_experts": 4',
            2 * 99 * 64 + 2 * (4 * 64 * 64 + 128) + 2 * (3 * 64 * 4 * 128 + 64 * 4) + 64,
            512,
        ),
        (
            ', "n_routed_experts": 4, "moe_intermediate_size": 32, "n_shared_experts": 2, "first_k_dense_replace": 1',
            2 * 99 * 64 + 2 * (4 * 64 * 64 + 128) + 3 * 64 * 128 + 3 * 64 * (4 * 32 + 64) + 64 * 4 + 64,
            512,
        ),
        (
            ', "num_experts": 4, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 16, "mlp_only_layers": [0]',
            2 * 99 * 64 + 2 * (4 * 64 * 64 + 128) + 3 * 64 * 128 + 3 * 64 * (4 * 32 + 16) + 64 * 4 + 64,
            512,
        ),
    ],
)
def test_parameters_and_cache_follow_from_the_dimensions(
    tmp_path: Path, more: str, parameters: int, cache: int
) -> None:
    facts = plan(tmp_path, config_json=f'{{"architectures": ["A"], {SIZES}{more}}}').facts
    assert (facts.value("plan.model_parameters"), facts.value("plan.kv_bytes_per_token")) == (parameters, cache)


@pytest.mark.parametrize("missing", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
def test_without_a_dimension_parameters_are_unknown(tmp_path: Path, missing: str) -> None:
    text = f'{{"architectures": ["A"], {SIZES}}}'
    for old in (f'"{missing}"', f'"{missing}": '):
        changed = text.replace(old, '"other"' if old.endswith('"') else f'"{missing}": -')
        facts = plan(tmp_path, config_json=changed).facts
        assert facts.get("plan.model_parameters") is None
        assert (facts.get("plan.kv_bytes_per_token") is None) is (missing != "vocab_size")


@pytest.mark.parametrize(
    "layers",
    ['"mamba_d": 1', '"ssm_x": 1', '"linear_a": 1', '"attn_layer_x": 1', '"full_attention_interval": 4', '"hybrid_x": 1', '"rwkv_x": 1'],
)  # fmt: skip
def test_other_layers_than_attention_leave_the_size_unknown(tmp_path: Path, layers: str) -> None:
    facts = plan(tmp_path, config_json=f'{{"architectures": ["A"], {SIZES}, {layers}}}').facts
    assert facts.get("plan.model_parameters") is None and facts.get("plan.kv_bytes_per_token") is None


@pytest.mark.parametrize("section", ["text_config", "llm_config", "language_config"])
def test_a_multimodal_model_has_its_dimensions_in_a_section(tmp_path: Path, section: str) -> None:
    inner = f'{SIZES}, "num_key_value_heads": 2, "max_position_embeddings": 77, "dtype": "float16"'
    text = f'{{"architectures": ["A"],\n"{section}": {{\n{inner}}},\n"quantization_config": {{"quant_method": "fp8"}}}}'
    facts = plan(tmp_path, config_json=text).facts
    columns = {
        key: inner.index(f'"{key}"') + 1
        for key in ("num_attention_heads", "num_key_value_heads", "max_position_embeddings")
    }
    assert described(facts, "attention_heads", "key_value_heads", "model_max_length", "model_quantization") == {
        "attention_heads": f"4 config.json:3:{columns['num_attention_heads']}",
        "key_value_heads": f"2 config.json:3:{columns['num_key_value_heads']}",
        "model_max_length": f"77 config.json:3:{columns['max_position_embeddings']}",
        "model_quantization": "fp8 config.json:4:25",
    }
    assert facts.value("plan.model_dtype") == "float16"
    assert described(facts, "model_parameters")["model_parameters"].endswith(
        "config.json, computed from its dimensions"
    )
    both = plan(tmp_path, config_json=f'{{"architectures": ["A"], "torch_dtype": "bfloat16", {SIZES}}}').facts
    assert described(both, "model_dtype")["model_dtype"] == "bfloat16 config.json:1:26"
    assert both.value("plan.key_value_heads") == 4
