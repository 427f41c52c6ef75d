"""Configurations of frameworks that are handed over without a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, likely
from vcompat.sources.reading.files import read_plan
from vcompat.sources.reading.recognize import recognize
from vcompat.sources.reading.whole import Plan


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plan_of(text: str) -> Plan:
    Path("a.yaml").write_text(text)
    return read_plan([recognize("a.yaml")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("base_model: m\ndatasets: []\nrl: grpo\ntrl: {use_vllm: true}\n", ["axolotl", "m", True]),
        ("rlhf_type: grpo\nmodel: m\nuse_vllm: true\n", ["ms-swift", "m", True]),
        ("stage: sft\nfinetuning_type: full\nmodel_name_or_path: m\n", ["llama-factory", "m", False]),
        ("model_name_or_path: m\nuse_vllm: true\n", [OPEN, "m", True]),
    ],
)
def test_a_configuration_is_recognized_by_its_keys(text: str, expected: list[object]) -> None:
    assert known(plan_of(text).facts, "framework model use_vllm") == expected


def test_defaults_of_trl_are_not_those_of_a_framework() -> None:
    assert plan_of("model_name_or_path: m\n").takes_defaults
    assert not plan_of("rlhf_type: grpo\nmodel: m\n").takes_defaults
    assert likely(plan_of("rlhf_type: grpo\nmodel: m\n").facts, "peft") is True


def test_no_setting_of_grpoconfig_is_added_to_a_framework_s_file() -> None:
    assert plan_of("model_name_or_path: m\n").configurations
    assert not plan_of("rlhf_type: grpo\nmodel: m\n").configurations
