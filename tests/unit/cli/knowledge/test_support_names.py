"""``vcompat support PACKAGE --names NAME``, from the recorded index."""

from __future__ import annotations

import pytest

from tests.unit.cli.command_line import vcompat


def printed(*words: str) -> str:
    answer = vcompat("support", *words)
    assert answer.code == 0, answer.stderr
    return answer.stdout


def test_who_defines_a_name_and_who_imports_it() -> None:
    lines = printed("trl", "--names", "ConstantLengthDataset").splitlines()
    assert lines[1].split("  ")[1] == "0.4.2 - 0.19.1"
    assert lines[1].endswith("class in trl.trainer.utils")
    assert any(line.endswith("imported by trl.trainer") for line in lines)


def test_an_attribute_of_a_class() -> None:
    lines = printed("trl", "--names", "GRPOTrainer.llm").splitlines()
    assert [line.strip() for line in lines[1:]] == [
        "0.14.0 - 0.15.2, 0.18.0 - 0.27.2",
        "attribute of trl.trainer.grpo_trainer.GRPOTrainer",
    ]


def test_an_argument_and_an_entry_of_a_registry() -> None:
    assert "argument of vllm.entrypoints.llm.LLM.__init__" in printed("vllm", "--names", "LLM.gpu_memory_utilization")
    assert "_TEXT_GENERATION_MODELS" in printed("vllm", "--names", "Qwen3NextForCausalLM")


def test_a_name_that_no_release_has() -> None:
    answer = vcompat("support", "unsloth", "--names", "never_there")
    assert (answer.code, answer.stdout[:30]) == (1, "No recorded release of unsloth")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("trl", "--names"), "no name"),
        (("trl", "--names", "--models"), "exclude each other"),
        (("verl",), "only the names of this package are recorded"),
    ],
)
def test_bad_input(words: tuple[str, ...], problem: str) -> None:
    answer = vcompat("support", *words)
    assert answer.code == 2
    assert problem in answer.stderr
