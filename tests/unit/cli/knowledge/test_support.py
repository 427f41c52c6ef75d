"""`vcompat support`, with the shipped records."""

from __future__ import annotations

import pytest

from tests.unit.cli.command_line import vcompat


def test_settings_of_grpo_that_came_or_went_are_listed_within_the_width() -> None:
    done = vcompat("support", "trl", "--settings", COLUMNS="80")
    lines = done.stdout.splitlines()
    assert (done.code, done.stderr) == (0, "")
    assert lines[0].startswith("GRPOConfig of trl 0.14.0 - ")
    assert "max_prompt_length                        0.14.0 - 0.25.1  512" in lines
    assert max(map(len, lines)) <= 80


def test_a_class_is_listed_with_all_its_settings() -> None:
    lines = vcompat("support", "trl", "--settings", "ModelConfig").stdout.splitlines()
    assert any(line.split()[:3] == ["lora_r", "since", "0.14.0"] for line in lines)


def test_a_setting_is_listed_for_every_class_that_has_it() -> None:
    lines = vcompat("support", "trl", "--settings", "vllm-mode", "optim").stdout.splitlines()
    assert lines[0] == "vllm_mode" and "optim" in lines
    first = [line.split()[0] for line in lines[1 : lines.index("")]]
    assert {"GRPOConfig", "RLOOConfig"} <= set(first)
    assert any(line.split()[0] == "TrainingArguments" for line in lines[lines.index("optim") + 1 :])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trl", "--settings", "max_promt_length"], "expected 'max_prompt_length'"),
        (["torch", "--settings", "nproc_pernode"], "expected 'nproc_per_node'"),
        (["trl", "vllm_mode"], "without --settings"),
    ],
)
def test_what_is_not_recorded_is_an_error(arguments: list[str], message: str) -> None:
    done = vcompat("support", *arguments)
    assert done.code == 2 and message in done.stderr
