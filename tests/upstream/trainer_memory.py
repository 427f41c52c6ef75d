"""Train tiny models with real trainers and print the bytes of the tensors that stay allocated.

Run as a program: ``python -m tests.upstream.trainer_memory CASES``, alone or under torchrun. CASES is a JSON list of
tables with the keys of `Case`. Rank 0 prints one line of JSON for each, with the keys of `Measured`.

Only storages of at least `SMALLEST` bytes count: counters of optimizers, rotary tables and batches are smaller, every
part of the models is larger.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

SMALLEST = 200
#: The line that holds a result begins with this.
RESULT = "measured: "
SIZES = {
    "hidden_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 512,
    "vocab_size": 1024,
    "tie_word_embeddings": True,
    "max_position_embeddings": 64,
}
_STEPS = 2


class Case(NamedTuple):
    """One training run."""

    arguments: dict[str, Any]
    """For TrainingArguments or GRPOConfig."""
    dtype: str = "float32"
    """The data type of the model; of the checkpoint if `grpo`."""
    lora: dict[str, Any] | None = None
    """For LoraConfig; None to train the model."""
    fsdp: bool = False
    """Whether CPUs pass as GPUs in accelerate's state, which uses FSDP on GPUs only."""
    grpo: bool = False
    """Whether GRPOTrainer trains, from a checkpoint that it gets by name, without vLLM."""


class Measured(NamedTuple):
    """Bytes on one rank."""

    parameters: int
    """Parameters of the model without the adapter, tied ones once."""
    adapter: int
    """Parameters of the adapter; 0 without one."""
    with_gradients: int
    """All bytes with gradients: the most after a backward pass, before DeepSpeed's step, before the optimizer's step."""
    after_step: int
    """All bytes after the step, without gradients."""
    buckets: int
    """Bytes of DDP's buckets, which belong to no Python object."""


def live() -> dict[int, Any]:
    """Every storage that a tensor refers to, by address."""
    import torch

    gc.collect()
    found: dict[int, Any] = {}
    for thing in gc.get_objects():
        if issubclass(type(thing), torch.Tensor):
            for held in (thing, thing.grad if thing.is_leaf else None):
                tensor = getattr(held, "_local_tensor", held)
                if tensor is not None and tensor.device.type == "cpu":
                    storage = tensor.untyped_storage()
                    found[storage.data_ptr()] = storage
    return {address: storage for address, storage in found.items() if address and storage.nbytes() >= SMALLEST}


class Watch:
    """Notes what is allocated beyond what there was at first."""

    def __init__(self) -> None:
        # Held, so that no other storage gets the address of one of these.
        self.at_first = live()
        self.sizes: dict[str, int] = {}

    def note(self, moment: str) -> None:
        now = live()
        size = sum(storage.nbytes() for address, storage in now.items() if address not in self.at_first)
        self.sizes[moment] = max(size, self.sizes.get(moment, 0))

    def callback(self) -> Any:
        """A callback of transformers' Trainer. DeepSpeed's engine makes its step before `on_pre_optimizer_step`."""
        import transformers

        watch = self

        class Callback(transformers.TrainerCallback):  # type: ignore[misc]
            def on_pre_optimizer_step(self, args: Any, *rest: Any, **named: Any) -> None:
                if not args.deepspeed:
                    watch.note("with_gradients")

            def on_substep_end(self, *rest: Any, **named: Any) -> None:
                watch.note("with_gradients")

            def on_step_end(self, *rest: Any, **named: Any) -> None:
                watch.note("after_step")

        return Callback()

    def watch_deepspeed(self) -> None:
        from deepspeed import DeepSpeedEngine

        step = getattr(DeepSpeedEngine.step, "original", DeepSpeedEngine.step)

        def noted(engine: Any, *arguments: Any, **named: Any) -> Any:
            if engine.is_gradient_accumulation_boundary():
                self.note("with_gradients")
            return step(engine, *arguments, **named)

        noted.original = step  # type: ignore[attr-defined]
        DeepSpeedEngine.step = noted


def cpus_pass_as_gpus() -> None:
    """Let accelerate's state use FSDP, which it does on GPUs only. CPUs have no number, which FSDP1 would compare."""
    import torch
    from torch.distributed.fsdp import _init_utils

    _init_utils._get_device_from_device_id = lambda device, *_: torch.device("cpu")
    from accelerate.state import AcceleratorState, PartialState
    from accelerate.utils import DistributedType

    made = AcceleratorState.__init__

    def make(state: Any, *arguments: Any, fsdp_plugin: Any = None, **named: Any) -> None:
        made(state, *arguments, fsdp_plugin=fsdp_plugin, **named)
        if fsdp_plugin is not None:
            # accelerate keeps it in both: each AcceleratorState() that follows takes over the one of PartialState.
            state.distributed_type = PartialState._shared_state["distributed_type"] = DistributedType.FSDP
            if state._mixed_precision != "no":
                fsdp_plugin.set_mixed_precision(state._mixed_precision)
            state.fsdp_plugin = fsdp_plugin

    AcceleratorState.__init__ = make


def measure(case: Case) -> Measured:
    """Train for two steps, so that the optimizer's state is there when the second one begins."""
    import torch
    import transformers
    from accelerate.state import AcceleratorState
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    AcceleratorState._reset_state()
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)).to(getattr(torch, case.dtype))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    common: dict[str, Any] = {
        "output_dir": tempfile.mkdtemp(),
        "max_steps": _STEPS,
        "per_device_train_batch_size": 2,
        "report_to": [],
        "use_cpu": True,
        "save_strategy": "no",
        "disable_tqdm": True,
        "logging_strategy": "no",
        **case.arguments,
    }
    trainer, watch, adapter = _grpo(case, model, common) if case.grpo else _plain(case, model, common)
    del model
    if case.arguments.get("deepspeed"):
        watch.watch_deepspeed()
    hook = register_optimizer_step_pre_hook(lambda *_: watch.note("with_gradients"))
    trainer.train()
    hook.remove()
    wrapped, buckets = trainer.model_wrapped, 0
    if isinstance(wrapped, torch.nn.parallel.DistributedDataParallel):
        sizes = str(wrapped._get_ddp_logging_data()["bucket_sizes"])
        buckets = sum(int(size) for size in sizes.split(","))
    return Measured(parameters, adapter, watch.sizes["with_gradients"], watch.sizes["after_step"], buckets)


def _plain(case: Case, model: Any, common: dict[str, Any]) -> tuple[Any, Watch, int]:
    import torch
    import transformers

    watch = Watch()
    # What belongs to the model counts, although it was there before.
    for parameter in model.parameters():
        watch.at_first.pop(parameter.untyped_storage().data_ptr(), None)
    adapter = 0
    if case.lora is not None:
        import peft

        model = peft.get_peft_model(model, peft.LoraConfig(task_type="CAUSAL_LM", **case.lora))
        adapter = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    data = [{"input_ids": torch.arange(8), "labels": torch.arange(8)} for _ in range(32)]
    arguments = transformers.TrainingArguments(**common)
    return transformers.Trainer(model, arguments, train_dataset=data, callbacks=[watch.callback()]), watch, adapter


def _grpo(case: Case, model: Any, common: dict[str, Any]) -> tuple[Any, Watch, int]:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    folder = Path(tempfile.mkdtemp())
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    for parameter in model.parameters():
        # The trainer loads its own model; this one goes.
        parameter.data = parameter.data.new_empty(0)
    data = Dataset.from_list([{"prompt": "a b c"}] * 16)
    arguments = GRPOConfig(num_generations=2, max_completion_length=2, use_vllm=False, **common)
    watch = Watch()
    peft_config = None
    if case.lora is not None:
        import peft

        peft_config = peft.LoraConfig(task_type="CAUSAL_LM", **case.lora)
    trainer = GRPOTrainer(
        str(folder),
        reward_funcs=lambda completions, **_: [float(len(text)) for text in completions],
        args=arguments,
        train_dataset=data,
        peft_config=peft_config,
        callbacks=[watch.callback()],
    )
    adapter = sum(p.numel() for p in trainer.model.parameters() if p.requires_grad) if case.lora else 0
    return trainer, watch, adapter


def tokenizer(**more: Any) -> Any:
    """Return a tokenizer of a few words; `more` is for its constructor."""
    import transformers
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = {word: number for number, word in enumerate(["<pad>", "<eos>", "<unk>", *"abcdefghij"])}
    plain = Tokenizer(WordLevel(words, unk_token="<unk>"))
    plain.pre_tokenizer = Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", **more
    )


def main() -> None:
    cases = [Case(**case) for case in json.loads(sys.argv[1])]
    if any(case.fsdp for case in cases):
        cpus_pass_as_gpus()
    for case in cases:
        found = measure(case)
        if os.environ.get("RANK", "0") == "0":
            print(f"{RESULT}{json.dumps(found._asdict())}", flush=True)


if __name__ == "__main__":
    main()
