"""Runs of OpenRLHF."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched, likely

RAY = "python3 -m openrlhf.cli.train_ppo_ray"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        "--pretrain org/m-8B --vllm_num_engines 4 --vllm_tensor_parallel_size 2 --vllm_gpu_memory_utilization 0.5 "
        "--enable_prefix_caching --zero_stage 3 --n_samples_per_prompt 8 --actor_num_nodes 1 "
        "--actor_num_gpus_per_node 8 --micro_train_batch_size 2 --generate_max_len 1024",
        "--actor.model_name_or_path org/m-8B --vllm.num_engines 4 --vllm.tensor_parallel_size 2 "
        "--vllm.gpu_memory_utilization 0.5 --vllm.enable_prefix_caching --ds.zero_stage 3 "
        "--rollout.n_samples_per_prompt 8 --actor.num_nodes 1 --actor.num_gpus_per_node 8 --train.micro_batch_size 2 "
        "--rollout.max_new_tokens 1024",
    ],
)
def test_settings_are_known_under_their_old_and_new_names(words: str) -> None:
    facts = launched(f"{RAY} {words}")
    assert known(facts, "framework model use_vllm num_generations") == ["openrlhf", "org/m-8B", True, 8]
    assert known(facts, "tensor_parallel_size gpu_memory_utilization enable_prefix_caching") == [2, 0.5, True]
    assert known(facts, "deepspeed_stage per_device_train_batch_size max_completion_length") == [3, 2, 1024]
    assert known(facts, "launcher num_machines processes_per_machine world_size") == ["ray", 1, 8, 8]


def test_what_is_not_stated_is_not_known() -> None:
    names = (
        "model use_vllm tensor_parallel_size enable_prefix_caching enable_sleep_mode deepspeed_stage world_size peft"
    )
    assert known(launched(RAY), names) == [OPEN] * 8


def test_without_engines_vllm_is_not_used() -> None:
    facts = launched(f"{RAY} --vllm_num_engines 0 --vllm_tensor_parallel_size 2")
    assert known(facts, "use_vllm tensor_parallel_size") == [False, OPEN]


def test_sleep_mode_needs_models_that_share_the_gpus() -> None:
    engines = f"{RAY} --vllm_num_engines 2 --vllm_enable_sleep"
    assert known(launched(engines), "enable_sleep_mode") == [OPEN]
    assert known(launched(f"{engines} --colocate_all_models"), "enable_sleep_mode") == [True]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--flash_attn", "flash_attention_2"),
        ("--flash_attn --packing_samples", "flash_attention_2"),
        ("--attn_implementation eager", "eager"),
        ("--attn_implementation eager --packing_samples", OPEN),
    ],
)
def test_packing_may_replace_the_attention(words: str, expected: object) -> None:
    assert known(launched(f"{RAY} {words}"), "attn_implementation") == [expected]


def test_flags_take_no_value() -> None:
    facts = launched(f"{RAY} --adam_offload --gradient_checkpointing --load_in_4bit --lora_rank 8 --pretrain m")
    assert known(facts, "optimizer_offload gradient_checkpointing loaded_in_bits peft lora_rank model") == [
        "cpu",
        True,
        4,
        True,
        8,
        "m",
    ]


@pytest.mark.parametrize(
    "command",
    [
        "ray job submit --address=http://h:8265 --runtime-env-json='{}' -- python3 -m openrlhf.cli.train_ppo_ray",
        "deepspeed --module openrlhf.cli.train_sft",
    ],
)
def test_its_programs_are_recognized(command: str) -> None:
    assert known(launched(f"{command} --pretrain org/m-8B"), "framework model") == ["openrlhf", "org/m-8B"]


def test_programs_that_do_not_generate_use_no_engine() -> None:
    facts = launched("deepspeed --num_gpus 4 --module openrlhf.cli.train_dpo --pretrain m --zero_stage 2")
    assert known(facts, "use_vllm deepspeed_stage launcher world_size") == [False, 2, "deepspeed", 4]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--prompt_max_len 1000 --generate_max_len 24", 1024),
        ("--prompt_max_len 1000 --generate_max_len 24 --max_len 4096", 4096),
        ("--data.max_len 2048", 2048),
        ("--prompt_max_len 1000", OPEN),
        ('--prompt_max_len 1000 --generate_max_len 24 --max_len "$1"', OPEN),
    ],
)
def test_the_engine_holds_prompts_and_completions(words: str, expected: object) -> None:
    assert known(launched(f"{RAY} --vllm_num_engines 2 {words}"), "max_model_len") == [expected]
    assert known(launched(f"{RAY} {words}"), "max_model_len") == [OPEN]


def test_defaults_are_likely_where_engines_generate() -> None:
    facts = launched(f"{RAY} --vllm_num_engines 2")
    names = "enable_prefix_caching enable_sleep_mode distributed_executor_backend deepspeed_stage peft"
    assert known(facts, names) == [OPEN] * 5
    assert [likely(facts, name) for name in names.split()] == [False, False, "uni", 2, False]
    assert known(facts, "engine_dtype") == ["bfloat16"]
    assert likely(launched(RAY), "enable_prefix_caching") == OPEN
