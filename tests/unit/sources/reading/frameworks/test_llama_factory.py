"""Runs of LLaMA-Factory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched

FILE = """\
model_name_or_path: org/m-4B
stage: dpo
finetuning_type: lora
lora_rank: 8
bf16: true
per_device_train_batch_size: 2
flash_attn: fa2
deepspeed: ds.yaml
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_file_states_model_adapter_and_settings() -> None:
    facts = launched("llamafactory-cli train a.yaml", a=FILE, ds="zero_optimization: {stage: 3}")
    assert known(facts, "framework model use_vllm peft lora_rank") == ["llama-factory", "org/m-4B", False, True, 8]
    assert known(facts, "bf16 per_device_train_batch_size attn_implementation deepspeed_stage") == [
        True,
        2,
        "flash_attention_2",
        3,
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("per_device_train_batch_size=4", ["org/m-4B", 4]),
        ('model_name_or_path="$1"', [OPEN, 2]),
        ("$@", [OPEN, OPEN]),
    ],
)
def test_words_replace_keys_of_the_file(words: str, expected: list[object]) -> None:
    facts = launched(f"lmf train a.yaml {words}", a=FILE)
    assert known(facts, "model per_device_train_batch_size") == expected


def test_without_a_file_the_words_are_options() -> None:
    facts = launched(
        "llamafactory-cli train --stage sft --model_name_or_path m --finetuning_type full --quantization_bit 4"
    )
    assert known(facts, "model peft lora_rank loaded_in_bits") == ["m", False, OPEN, 4]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ("FORCE_TORCHRUN=1 NPROC_PER_NODE=4", ["torchrun", 4]),
        ("FORCE_TORCHRUN=1", ["torchrun", OPEN]),
        ("NPROC_PER_NODE=4", [OPEN, OPEN]),
    ],
)
def test_a_variable_makes_it_start_torchrun(variables: str, expected: list[object]) -> None:
    facts = launched(f"{variables} llamafactory-cli train a.yaml", a=FILE)
    assert known(facts, "launcher world_size") == expected
