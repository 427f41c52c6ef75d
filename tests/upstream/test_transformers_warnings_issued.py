"""Real GRPOTrainers of TRL before 0.27.2, constructed with models of real transformers releases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.upstream.installed import installed, run_python

PROGRAM = """
import vcompat
ledger = vcompat.patch(only=["transformers_absent_packages", *{only!r}])
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

def construct():
    return GRPOTrainer(
        model={model!r},
        reward_funcs=lambda completions, **kwargs: [0.0] * len(completions),
        train_dataset=Dataset.from_dict({{"prompt": ["a"] * 4}}),
        args=GRPOConfig(output_dir={model!r}, use_cpu=True, bf16=False, report_to="none", num_generations=2,
                        per_device_train_batch_size=2),
    )

print(construct().model.warnings_issued)
vcompat.unpatch()
try:
    construct()
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}")
"""
FAILURE = "AttributeError: 'Qwen2ForCausalLM' object has no attribute 'warnings_issued'"


@pytest.mark.parametrize(
    ("trl", "transformers"), [pytest.param("0.27.1", "5.10.0", marks=pytest.mark.slow), ("0.27.1", "5.23.0")]
)
def test_the_trainer_is_constructed_only_with_the_patch(
    trl: str, transformers: str, tmp_path: Path, tiny_model: Path
) -> None:
    shutil.copytree(tiny_model, tmp_path / "model")
    # A tokenizers that transformers 5.10.0 accepts.
    more = ("tokenizers==0.22.2",) if transformers == "5.10.0" else ()
    folders = installed(f"trl=={trl}", f"transformers=={transformers}", *more)
    given = {"model": str(tmp_path / "model")}
    failed = run_python(PROGRAM.format(only=[], **given), *folders)
    assert FAILURE in failed.stderr, failed.stderr
    done = run_python(PROGRAM.format(only=["transformers_warnings_issued"], **given), *folders)
    assert done.stdout.splitlines()[-2:] == ["{'estimate_tokens': True}", FAILURE], done.stderr
