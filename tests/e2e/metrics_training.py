"""Real GRPO runs with colocated vLLM on the CPU, healthy or broken on purpose; ``metrics_record`` starts this.

The first argument is the folder of the models: ``random``, and ``taught``, which is made here from the former. It is
trained on a few sentences, so that its distributions are as narrow as those of a trained model. On standard input is a
line of JSON for each run; on standard output, after ``record:``, a line with each run's log. Runs with the same type of
weights share an engine, which gets the first checkpoint again before each run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import vcompat

vcompat.patch()

import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402
from trl.generation import vllm_generation  # noqa: E402
from trl.generation.vllm_generation import VLLMGeneration  # noqa: E402

#: What a broken run does to its weights begins with this synchronization; the first one is before the first step.
LATER = 6
PROMPTS = ["The quick brown", "one and one", "the lazy dog", "fox jumps", "a dog and", "over the", "is two", "and one"]
SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and one and one is two.",
    "one and one is two, and the lazy dog jumps over the quick brown fox.",
    "the lazy dog and the quick brown fox jumps over one and one.",
    "over the dog is the fox, and two is one and one.",
]


def share_of_vowels(completions: list[str], **_: Any) -> list[float]:
    return [sum(letter in "aeiou" for letter in text) / (len(text) or 1) for text in completions]


def _changed(change: Callable[[str, torch.Tensor, int], torch.Tensor | None]) -> None:
    """Synchronize what `change` returns for a name, a weight and the number of the synchronization; None is not sent."""
    original = VLLMGeneration._iter_named_params
    count = 0

    def changed(self: VLLMGeneration) -> Iterator[tuple[str, torch.Tensor]]:
        nonlocal count
        count += 1
        for name, weight in original(self):
            sent = change(name, weight.detach(), count)
            if sent is not None:
                yield name, sent

    VLLMGeneration._iter_named_params = changed


def _noise(weight: torch.Tensor) -> torch.Tensor:
    return torch.randn_like(weight) * weight.float().std().nan_to_num(0.02).to(weight.dtype)


def not_synchronized() -> None:
    VLLMGeneration.sync_weights = lambda self: None


def stops_synchronizing() -> None:
    _changed(lambda name, weight, count: weight if count < LATER else None)


def layer_skipped() -> None:
    _changed(lambda name, weight, count: None if "layers.1." in name else weight)


def one_step_late() -> None:
    before: dict[str, torch.Tensor] = {}

    def change(name: str, weight: torch.Tensor, count: int) -> torch.Tensor:
        late = before.get(name, weight)
        before[name] = weight.clone()
        return late

    _changed(change)


def garbage() -> None:
    _changed(lambda name, weight, count: _noise(weight))


def garbage_later() -> None:
    _changed(lambda name, weight, count: weight if count < LATER else _noise(weight))


def layer_garbage_later() -> None:
    _changed(lambda name, weight, count: _noise(weight) if count >= LATER and "layers.1.mlp" in name else weight)


def garbage_in_every_other_step() -> None:
    _changed(lambda name, weight, count: _noise(weight) if count % 2 == 0 else weight)


def buffers_lost() -> None:
    """What level-2 sleep does to the table of the rotary embedding: it comes back as zeros."""
    original = VLLMGeneration.sync_weights

    def sync(self: VLLMGeneration) -> None:
        original(self)
        for name, buffer in self.llm.llm_engine.model_executor.driver_worker.model_runner.model.named_buffers():
            if "cos_sin_cache" in name:
                buffer.zero_()

    VLLMGeneration.sync_weights = sync


def raw_logprobs() -> None:
    """Nothing to change here: `_Engines` starts such an engine."""


VARIANTS: dict[str, Callable[[], None]] = {
    "healthy": lambda: None,
    **{
        break_it.__name__: break_it
        for break_it in (
            not_synchronized,
            stops_synchronizing,
            layer_skipped,
            one_step_late,
            garbage,
            garbage_later,
            layer_garbage_later,
            garbage_in_every_other_step,
            buffers_lost,
            raw_logprobs,
        )
    },
}


class _Engines:
    """Starts engines for TRL, one for each type of weights and of log-probabilities."""

    def __init__(self) -> None:
        self._start = vllm_generation.LLM
        self._engines: dict[tuple[str, str], Any] = {}
        self._buffers: dict[tuple[str, str], dict[str, torch.Tensor]] = {}
        self.dtype = ""
        self.logprobs_mode = ""

    def __call__(self, **settings: Any) -> Any:
        key = (self.dtype, self.logprobs_mode or settings["logprobs_mode"])
        if key not in self._engines:
            self._engines[key] = self._start(**{**settings, "dtype": key[0], "logprobs_mode": key[1]})
            self._buffers[key] = {name: each.clone() for name, each in self._model(key).named_buffers()}
        for name, buffer in self._model(key).named_buffers():
            buffer.copy_(self._buffers[key][name])
        first = AutoModelForCausalLM.from_pretrained(settings["model"], dtype=torch.float32).state_dict()
        self._model(key).load_weights(first.items())
        self._engines[key].reset_prefix_cache()
        return self._engines[key]

    def _model(self, key: tuple[str, str]) -> Any:
        return self._engines[key].llm_engine.model_executor.driver_worker.model_runner.model


def teach(source: str, folder: str) -> None:
    """Train the model of `source` until it can almost say the sentences, and save it in `folder`."""
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(source)
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    batch = tokenizer(SENTENCES, return_tensors="pt", padding=True)
    labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for _ in range(40):
        loss = model(**batch, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def train(settings: dict[str, Any], models: str) -> list[dict[str, Any]]:
    """Train with `settings`, and return the trainer's log."""
    VARIANTS[settings.get("variant", "healthy")]()
    config = GRPOConfig(
        output_dir=os.path.join(models, "output"),
        use_vllm=True,
        vllm_mode="colocate",
        vllm_max_model_length=128,
        use_cpu=True,
        bf16=False,
        learning_rate=settings.get("learning_rate", 1e-3),
        lr_scheduler_type="constant",
        max_steps=settings.get("steps", 14),
        per_device_train_batch_size=8,
        num_generations=4,
        num_iterations=settings.get("iterations", 1),
        max_completion_length=32,
        temperature=settings.get("temperature", 1.0),
        top_p=settings.get("top_p", 1.0),
        beta=settings.get("beta", 0.0),
        seed=settings.get("seed", 0),
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=os.path.join(models, settings.get("model", "taught")),
        reward_funcs=share_of_vowels,
        args=config,
        train_dataset=Dataset.from_dict({"prompt": PROMPTS * 16}),
    )
    trainer.train()
    return trainer.state.log_history


def main() -> None:
    models = sys.argv[1]
    if not os.path.isdir(os.path.join(models, "taught")):
        teach(os.path.join(models, "random"), os.path.join(models, "taught"))
    engines = vllm_generation.LLM = _Engines()
    originals = VLLMGeneration.sync_weights, VLLMGeneration._iter_named_params
    for line in sys.stdin:
        settings = json.loads(line)
        VLLMGeneration.sync_weights, VLLMGeneration._iter_named_params = originals
        engines.dtype = settings.get("engine_dtype", "float32")
        engines.logprobs_mode = "raw_logprobs" if settings.get("variant") == "raw_logprobs" else ""
        print("record:", json.dumps({"settings": settings, "log": train(settings, models)}), flush=True)


if __name__ == "__main__":
    main()
