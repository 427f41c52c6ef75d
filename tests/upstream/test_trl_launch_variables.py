"""Real TRL 0.18 - 0.19 building its colocated engine with real vLLM, in a process without a launcher.

The engine stops where it would import its compiled attention kernels, after it has read the variables.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.upstream.installed import installed
from tests.upstream.real_vllm import run_program
from tests.upstream.releases import release
from vcompat.patches.of_trl.trl_launch_variables import PATCH

TRAIN = """
import json, os, sys
import vcompat
if sys.argv[2] == "patched":
    vcompat.patch(only=["trl_launch_variables"], strict=True)
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
assert "RANK" not in os.environ
try:
    GRPOTrainer(
        model=sys.argv[1],
        reward_funcs=lambda completions, **kwargs: [0.0] * len(completions),
        train_dataset=Dataset.from_dict({"prompt": ["a"] * 4}),
        args=GRPOConfig(
            output_dir=sys.argv[1], use_vllm=True, vllm_mode="colocate", use_cpu=True, bf16=False, report_to="none",
            num_generations=2, per_device_train_batch_size=2, max_prompt_length=16, max_completion_length=8,
        ),
    )
except Exception as error:
    ending = f"{type(error).__name__}: {error}"
print()
print(json.dumps({"ending": ending, "rank": os.environ.get("RANK"), "port": os.environ.get("MASTER_PORT")}))
"""


@pytest.fixture
def train(tmp_path: Path, tiny_model: Path, nvml_stub: Path) -> Callable[..., Any]:
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    settings = model / "tokenizer_config.json"
    # The transformers that created the model is newer than the one that reads it.
    settings.write_text(settings.read_text().replace("TokenizersBackend", "PreTrainedTokenizerFast"))

    def trained(trl: str, how: str) -> Any:
        folders = [release("trl", trl), *installed("datasets==3.6.0")]
        return run_program("0.8.5", TRAIN, nvml_stub, "1xA100", str(model), how, first=folders)

    return trained


@pytest.mark.slow
def test_without_the_patch_rank_is_missing(train: Any) -> None:
    assert train("0.18.0", "unpatched") == {"ending": "KeyError: 'RANK'", "rank": None, "port": None}


@pytest.mark.parametrize("trl", [pytest.param("0.18.0", marks=pytest.mark.slow), "0.19.1"])
def test_with_the_patch_all_variables_are_set(trl: str, train: Any) -> None:
    result = train(trl, "patched")
    assert result["rank"] == "0"
    assert int(result["port"]) > 1024
    assert result["ending"].startswith("ImportError: cannot import name 'get_scheduler_metadata'")


@pytest.mark.parametrize("version", ["0.17.0", "0.20.0", "1.16.0"])
def test_other_releases_are_not_patched(version: str, upstream_module: Callable[..., ModuleType], outcome: Any) -> None:
    upstream_module("trl", version, "trl.trainer.grpo_trainer", ("GRPOTrainer.__init__",), {})
    assert outcome(PATCH) == "not needed"
