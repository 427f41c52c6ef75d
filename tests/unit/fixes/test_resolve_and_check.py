"""What `resolve` chooses and leaves, against what `check` finds for the same run files, hardware and packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat
from tests.unit.fixes.combinations import disagreements


@pytest.mark.parametrize(
    ("seed", "count"), [(0, 16), *(pytest.param(seed, 40, marks=pytest.mark.slow) for seed in (0, 1, 2, 3))]
)
def test_check_finds_no_certain_error_that_resolve_does_not_list(seed: int, count: int, tmp_path: Path) -> None:
    assert list(disagreements(seed, count, tmp_path)) == []


@pytest.mark.parametrize(
    ("setting", "keep", "chosen"),
    [
        ('evaluation_strategy="no"', "trl==0.15.2", "transformers==4.50.3"),
        ("max_prompt_length=512", "transformers<5", "trl==0.27.2"),
        ("vllm_enable_sleep_mode=True", "trl<=0.23.1", "trl==0.23.1"),
    ],
)
def test_a_release_without_a_setting_is_not_chosen_if_another_has_it(
    setting: str, keep: str, chosen: str, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    text = f"from trl import GRPOConfig, GRPOTrainer\nargs = GRPOConfig('out', use_vllm=True, bf16=True, {setting})\n"
    script.write_text(f"{text}GRPOTrainer('m', reward_funcs=len, args=args, train_dataset=[]).train()\n")
    answer = vcompat("resolve", "--gpu", "9.0", "--keep", keep, "--plan", str(script))
    assert answer.code == 0, answer.stdout
    assert chosen in answer.stdout.splitlines()


@pytest.mark.parametrize(("adapter", "is_undecided"), [("", False), (", peft_config=LoraConfig()", True)])
def test_without_an_adapter_no_checkpoint_is_quantized_for_which_vllm_needs_a_plugin(
    adapter: str, is_undecided: bool, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    text = "from peft import LoraConfig\nfrom trl import GRPOConfig, GRPOTrainer\n"
    text += "args = GRPOConfig('out', use_vllm=True, vllm_mode='colocate')\n"
    script.write_text(f"{text}GRPOTrainer('m', reward_funcs=len, args=args, train_dataset=[]{adapter}).train()\n")
    answer = vcompat("resolve", "--gpu", "9.0", "--plan", str(script))
    assert ("vllm-bnb-plugin" in answer.stdout) == is_undecided, answer.stdout
