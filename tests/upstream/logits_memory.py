"""Train a tiny model with a real GRPOTrainer on the CPU and print the most memory that the loss takes at one time.

Run as a program: ``python -m tests.upstream.logits_memory CASES``. CASES is a JSON list of tables with the keys of
`LogitsCase`. It prints one line of JSON for each, with the keys of `LogitsMeasured`.

The vocabulary is large and the model is small, so the logits are nearly all of it. The allocations are those that
torch's profiler sees, temporary ones in torch's operators included.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

#: The line that holds a result begins with this.
RESULT = "measured: "
HIDDEN = 16


class LogitsCase(NamedTuple):
    """One training run."""

    batch: int = 4
    """`per_device_train_batch_size`, which is also the number of completions per prompt."""
    length: int = 96
    """`max_completion_length`; no completion ends before."""
    vocabulary: int = 16384
    dtype: str = "float32"
    """The data type of the model."""
    mixed: bool = False
    """Whether autocast to bfloat16 is on."""
    beta: float = 0.0
    """With 0, no logits are computed without gradients."""
    liger: str = ""
    """The setting that switches Liger's loss on; empty to leave it off."""


class LogitsMeasured(NamedTuple):
    """Bytes."""

    with_gradients: int
    """The most from the beginning of the loss to the end of the backward pass."""
    without: int
    """The most in a call that computes log-probabilities without gradients; 0 if there was none."""


class Watch:
    """Notes the most that is allocated at one time between two points, beyond what there was at the first."""

    def __init__(self) -> None:
        self.most = 0
        self._profile: Any = None

    @property
    def is_on(self) -> bool:
        """Whether it is between the two points."""
        return self._profile is not None

    def begin(self) -> None:
        from torch.profiler import ProfilerActivity, profile

        self._profile = profile(activities=[ProfilerActivity.CPU], profile_memory=True)
        self._profile.__enter__()

    def end(self) -> None:
        self._profile.__exit__(None, None, None)
        now = 0
        events = self._profile.profiler.kineto_results.events()
        for event in sorted((e for e in events if e.name() == "[memory]"), key=lambda e: e.start_ns()):
            now += event.nbytes()
            self.most = max(self.most, now)
        self._profile = None


def measure(case: LogitsCase) -> LogitsMeasured:
    """Train for one step."""
    import torch
    from accelerate.state import AcceleratorState
    from trl import GRPOConfig

    AcceleratorState._reset_state()
    # transformers tells accelerate so; the next run has its own.
    os.environ.pop("ACCELERATE_MIXED_PRECISION", None)
    torch.manual_seed(0)
    settings: dict[str, Any] = {case.liger: True} if case.liger else {}
    if case.batch == 1:
        # The completions of a prompt are spread over two micro-steps.
        settings["gradient_accumulation_steps"] = 2
    arguments = GRPOConfig(
        output_dir=tempfile.mkdtemp(), max_steps=1, per_device_train_batch_size=case.batch, report_to=[],
        use_cpu=True, save_strategy="no", disable_tqdm=True, logging_strategy="no", bf16=case.mixed,
        gradient_checkpointing=False, num_generations=max(2, case.batch), max_completion_length=case.length,
        use_vllm=False, beta=case.beta, **settings,
    )  # fmt: skip
    trainer = _trainer(case, arguments)
    training, frozen = Watch(), Watch()
    loss, backward = trainer.compute_loss, trainer.accelerator.backward

    def compute_loss(*rest: Any, **named: Any) -> Any:
        training.begin()
        return loss(*rest, **named)

    def go_back(*rest: Any, **named: Any) -> None:
        backward(*rest, **named)
        training.end()

    trainer.compute_loss, trainer.accelerator.backward = compute_loss, go_back
    name = next(n for n in ("_get_per_token_logps_and_entropies", "_get_per_token_logps") if hasattr(trainer, n))
    logps = getattr(trainer, name)

    def without_gradients(*rest: Any, **named: Any) -> Any:
        # Some releases compute those of the reference model in the loss.
        if torch.is_grad_enabled() or training.is_on:
            return logps(*rest, **named)
        frozen.begin()
        try:
            return logps(*rest, **named)
        finally:
            frozen.end()

    setattr(trainer, name, without_gradients)
    trainer.train()
    return LogitsMeasured(training.most, frozen.most)


def _trainer(case: LogitsCase, arguments: Any) -> Any:
    import torch
    import transformers
    from datasets import Dataset
    from trl import GRPOTrainer

    sizes = {
        "hidden_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
        "intermediate_size": 16, "vocab_size": case.vocabulary, "tie_word_embeddings": True,
        "max_position_embeddings": 2 * case.length, "architectures": ["LlamaForCausalLM"],
        "eos_token_id": None,
    }  # fmt: skip
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).to(getattr(torch, case.dtype))
    folder = Path(tempfile.mkdtemp())
    model.save_pretrained(folder)
    _tokenizer().save_pretrained(folder)
    arguments.model_init_kwargs = {_dtype_key(): case.dtype}
    return GRPOTrainer(
        str(folder),
        reward_funcs=lambda completions, **_: [float(number) for number, _ in enumerate(completions)],
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": "a b c"}] * 16),
    )


def _dtype_key() -> str:
    import transformers
    import trl
    from packaging.version import Version

    old = Version(transformers.__version__) < Version("4.56") or Version(trl.__version__) < Version("0.23")
    return "torch_dtype" if old else "dtype"


def _tokenizer() -> Any:
    from tests.upstream.trainer_memory import tokenizer

    # Without token_type_ids, which some releases of TRL hand to generate(); a Llama refuses them.
    return tokenizer(model_input_names=["input_ids", "attention_mask"])


def main() -> None:
    for case in json.loads(sys.argv[1]):
        print(f"{RESULT}{json.dumps(measure(LogitsCase(**case))._asdict())}", flush=True)


if __name__ == "__main__":
    main()
