"""Runs of axolotl."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched, likely

GRPO = """\
base_model: org/m-3B
rl: grpo
trl:
  use_vllm: true
  vllm_mode: {mode}
  vllm_enable_sleep_mode: true
  vllm_server_host: h
  num_generations: 6
  beta: 0.01
vllm:
  gpu_memory_utilization: 0.3
  tensor_parallel_size: 2
micro_batch_size: 3
gradient_accumulation_steps: 4
optimizer: adamw_8bit
flash_attention: true
"""
COLOCATED = GRPO.format(mode="colocate")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "axolotl train a.yaml",
        "accelerate launch -m axolotl.cli.train a.yaml",
        "python -m axolotl.cli.train a.yaml",
        "axolotl train a.yaml --launcher torchrun -- --nproc_per_node 2",
    ],
)
def test_the_file_states_the_settings_of_the_trainer(command: str) -> None:
    facts = launched(command, a=COLOCATED)
    assert known(facts, "framework model configuration use_vllm vllm_mode") == [
        "axolotl",
        "org/m-3B",
        "GRPOConfig",
        True,
        "colocate",
    ]
    assert known(facts, "num_generations beta per_device_train_batch_size gradient_accumulation_steps optim") == [
        6,
        0.01,
        3,
        4,
        "adamw_8bit",
    ]
    assert known(facts, "attn_implementation") == ["flash_attention_2"]


def test_the_table_of_the_engine_is_the_trainers_in_colocate_mode_only() -> None:
    names = "vllm_gpu_memory_utilization tensor_parallel_size enable_sleep_mode vllm_server_host"
    assert known(launched("axolotl train a.yaml", a=COLOCATED), names) == [0.3, 2, True, "h"]
    assert known(launched("axolotl train a.yaml", a=GRPO.format(mode="server")), names) == [OPEN, OPEN, OPEN, "h"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("axolotl train a.yaml", ["accelerate", OPEN]),
        ("axolotl train a.yaml --num-processes 4", ["accelerate", 4]),
        ("axolotl train a.yaml --launcher torchrun -- --nproc_per_node 2", ["torchrun", 2]),
        ("axolotl train a.yaml --launcher=torchrun -- --nproc_per_node 2", ["torchrun", 2]),
        ("axolotl train a.yaml --no-accelerate", ["python", 1]),
    ],
)
def test_it_starts_the_launcher_that_an_option_names(command: str, expected: list[object]) -> None:
    assert known(launched(command, a=COLOCATED), "launcher world_size") == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", [OPEN, OPEN, OPEN]),
        ("adapter: lora\nlora_r: 16\n", [True, 16, OPEN]),
        ("adapter: qlora\nload_in_4bit: true\n", [True, OPEN, 4]),
        ("lora_r: 16\n", [OPEN, OPEN, OPEN]),
    ],
)
def test_an_adapter_is_trained_if_one_is_named(keys: str, expected: list[object]) -> None:
    facts = launched("axolotl train a.yaml", a=f"base_model: m\nrl: grpo\n{keys}")
    assert known(facts, "peft lora_rank loaded_in_bits") == expected
    assert likely(facts, "peft") == (False if expected[0] == OPEN else OPEN)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--micro-batch-size 8", ["org/m-3B", 8, 6]),
        ("--base-model=org/n", ["org/n", 3, 6]),
        ("--bf16", ["org/m-3B", 3, 6]),
        ("--trl.num-generations 2", [OPEN, OPEN, OPEN]),
        ("$@", [OPEN, OPEN, OPEN]),
    ],
)
def test_options_replace_keys_of_the_file(words: str, expected: list[object]) -> None:
    facts = launched(f"accelerate launch -m axolotl.cli.train a.yaml {words}", a=COLOCATED)
    assert known(facts, "model per_device_train_batch_size num_generations") == expected


def test_a_file_that_is_not_there_states_nothing() -> None:
    facts = launched("axolotl train b.yaml", a=COLOCATED)
    assert known(facts, "framework model use_vllm") == ["axolotl", OPEN, OPEN]


def test_supervised_training_uses_no_engine() -> None:
    facts = launched(
        "axolotl train a.yaml", a="base_model: m\ndeepspeed: ds.yaml\n", ds="zero_optimization: {stage: 2}"
    )
    assert known(facts, "use_vllm configuration deepspeed_stage") == [False, OPEN, 2]


def test_its_server_is_started_beside_the_training() -> None:
    facts = launched("axolotl vllm-serve a.yaml &\naxolotl train a.yaml", a=GRPO.format(mode="server"))
    assert known(facts, "server_started") == [True]


def test_preference_training_uses_no_engine() -> None:
    assert known(launched("axolotl train a.yaml", a="base_model: m\nrl: dpo\n"), "use_vllm configuration") == [
        False,
        OPEN,
    ]
    assert known(launched("axolotl train a.yaml", a="base_model: m\nrl: ebft\n"), "use_vllm") == [OPEN]
