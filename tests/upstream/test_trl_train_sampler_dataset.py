"""Real training steps of TRL 0.15 and 0.16 under transformers 4.52, without vLLM, on the CPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.upstream.installed import installed, run_python

PROGRAM = """
import vcompat
vcompat.patch(only={only!r}, strict=True)
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

def train():
    trainer = GRPOTrainer(
        model={model!r},
        reward_funcs=lambda completions, **kwargs: [float(len(text)) for text in completions],
        train_dataset=Dataset.from_dict({{"prompt": ["a", "b", "c", "d"]}}),
        args=GRPOConfig(output_dir={model!r}, use_cpu=True, bf16=False, report_to="none", num_generations=2,
                        per_device_train_batch_size=2, max_steps=2, max_completion_length=4, save_strategy="no"),
    )
    return trainer.train().global_step

print(train())
vcompat.unpatch()
try:
    train()
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}")
"""
OLD = ("transformers==4.52.4", "tokenizers==0.21.4", "huggingface-hub==0.36.0", "datasets==3.6.0")
FAILURE = "_get_train_sampler() takes 1 positional argument but 2 were given"


@pytest.mark.parametrize("trl", [pytest.param("0.15.0", marks=pytest.mark.slow), "0.16.1"])
def test_train_takes_a_step_only_with_the_patch(trl: str, tmp_path: Path, tiny_model: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    settings = model / "tokenizer_config.json"
    # The transformers that created the model is newer than the one that reads it.
    settings.write_text(settings.read_text().replace("TokenizersBackend", "PreTrainedTokenizerFast"))
    folders = installed(f"trl=={trl}", *OLD)
    done = run_python(PROGRAM.format(only=["trl_train_sampler_dataset"], model=str(model)), *folders)
    assert done.stdout.splitlines()[-2:-1] == ["2"], done.stdout + done.stderr
    assert FAILURE in done.stdout.splitlines()[-1]
