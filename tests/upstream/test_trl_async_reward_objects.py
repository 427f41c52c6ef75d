"""Real training steps of TRL 0.27 - 1.14 with rewards that are asynchronous objects, without vLLM, on the CPU."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.upstream.installed import installed, run_python

PROGRAM = """
import functools, json
import vcompat
ledger = vcompat.patch(only=["transformers_absent_packages", "trl_async_reward_objects"], strict=True)
from datasets import Dataset
from transformers import PreTrainedModel
from trl import GRPOConfig, GRPOTrainer

# TRL 0.27.0 was made for a transformers whose models have it.
PreTrainedModel.warnings_issued = {{}}

class Score:
    def __init__(self, score, **attributes):
        self.score = score
        vars(self).update(attributes)

    async def __call__(self, completions, **others):
        return [self.score] * len(completions)

async def function(completions, **others):
    return [4.0] * len(completions)

def plain(completions, **others):
    return [5.0] * len(completions)

def train(rewards):
    trainer = GRPOTrainer(
        {model!r},
        rewards,
        GRPOConfig(output_dir={model!r}, use_cpu=True, bf16=False, report_to="none", num_generations=2, max_steps=1,
                   per_device_train_batch_size=2, max_completion_length=4, save_strategy="no", logging_steps=1),
        Dataset.from_dict({{"prompt": ["a", "b"]}}),
    )
    trainer.train()
    names = [name for name in trainer.state.log_history[0] if name.startswith("rewards/") and name.endswith("/mean")]
    return {{name.split("/")[1]: trainer.state.log_history[0][name] for name in names}}

def ending(rewards):
    try:
        return train(rewards)
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"

named = Score(1.0, __name__="named")
rewards = [named, function, plain]
endings = {{
    "one": ending(named),
    "several": ending(rewards),
    "given": rewards == [named, function, plain],
    "without a name": ending([Score(2.0)]),
    "partial": ending([functools.partial(Score(3.0), more=1)]),
}}
endings["status"] = vcompat.status()["trl_async_reward_objects"].status
vcompat.unpatch()
endings["unpatched"] = ending(named)
print(json.dumps(endings))
"""
OLDER = ("0.27.0", "0.29.1", "1.8.0", "1.9.0")
FAILURE = "TypeError: 'coroutine' object is not iterable"
#: TRL before 1.9.0 names rewards after their attribute ``__name__`` only.
NAMELESS = {
    "without a name": "AttributeError: 'Score' object has no attribute '__name__'",
    "partial": "AttributeError: 'functools.partial' object has no attribute '__name__'",
}


def outcome(trl: str, tiny_model: Path, folder: Path) -> Any:
    model = folder / "model"
    shutil.copytree(tiny_model, model)
    done = run_python(PROGRAM.format(model=str(model)), *installed(f"trl=={trl}"))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("trl", [*(pytest.param(older, marks=pytest.mark.slow) for older in OLDER), "1.13.0"])
def test_an_asynchronous_object_is_awaited_only_with_the_patch(trl: str, tmp_path: Path, tiny_model: Path) -> None:
    names_classes = trl in ("1.9.0", "1.13.0")
    assert outcome(trl, tiny_model, tmp_path) == {
        "one": {"named": 1.0},
        "several": {"named": 1.0, "function": 4.0, "plain": 5.0},
        "given": True,
        **({"without a name": {"Score": 2.0}, "partial": {"Score": 3.0}} if names_classes else NAMELESS),
        "status": "applied",
        "unpatched": FAILURE,
    }


@pytest.mark.slow
def test_fixed_code_is_left_alone(tmp_path: Path, tiny_model: Path) -> None:
    endings = outcome("1.14.0", tiny_model, tmp_path)
    assert endings["one"] == endings["unpatched"] == {"named": 1.0}
    assert endings["status"] == "not needed"
