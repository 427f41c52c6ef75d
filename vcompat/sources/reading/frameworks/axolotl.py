"""axolotl: ``axolotl train FILE.yaml``, ``accelerate launch -m axolotl.cli.train FILE.yaml``.

Read in its source, releases 0.10 to 0.18: the table ``trl`` becomes settings of a subclass of GRPOConfig under the same
names, ``vllm`` the engine's settings in colocate mode and those of ``axolotl vllm-serve`` otherwise. Options of the
command line replace keys of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Facts
from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.frameworks.facts_of import facts_of, part_of, state_defaults
from vcompat.sources.reading.frameworks.framework_options import Options, read_options, state_option
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.part import Mention, Part
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import begins_with_gap, concat, has_words

#: Keys at the top, in all kinds of training.
_TOP: Mapping[str, str] = {
    "base_model": "plan.model",
    "micro_batch_size": "plan.per_device_train_batch_size",
    "gradient_accumulation_steps": "plan.gradient_accumulation_steps",
    "gradient_checkpointing": "plan.gradient_checkpointing",
    "optimizer": "plan.optim",
    "fp16": "plan.fp16",
    "bf16": "plan.bf16",
    "lora_r": "plan.lora_rank",
    "lora_dropout": "plan.lora_dropout",
    "dataloader_num_workers": "plan.dataloader_num_workers",
}
#: Keys of the table ``trl``.
_TRL = (
    "use_vllm vllm_mode num_generations max_completion_length beta generation_batch_size loss_type "
    "mask_truncated_completions num_iterations temperature top_p top_k min_p"
).split()
#: Keys of the table ``trl`` that TRL gets only if vLLM is used.
_SERVER = ("vllm_server_host", "vllm_server_port")
#: Keys of the table ``vllm``, and what they are in colocate mode.
_ENGINE: Mapping[str, tuple[str, ...]] = {
    "gpu_memory_utilization": ("plan.vllm_gpu_memory_utilization", "plan.gpu_memory_utilization"),
    "tensor_parallel_size": ("plan.vllm_tensor_parallel_size", "plan.tensor_parallel_size"),
}
_ATTENTION = {"flash_attention": "flash_attention_2", "sdp_attention": "sdpa", "eager_attention": "eager"}
_DEFAULTS: Mapping[str, object] = {
    "plan.use_vllm": False,
    "plan.peft": False,
    "plan.loaded_in_bits": None,
    "plan.gradient_accumulation_steps": 1,
}


def read(program: Program, files: Files, presumed: Presumed) -> Part:
    """Return what the file and the words of a program of axolotl state."""
    named = program.words[:1] if not concat(program.words[:1]).startswith("-") else ()
    document = files.document(named[0]) if named else None
    facts = facts_of(program, runs_own_code=True)
    mentions: tuple[Mention, ...] = ()
    if document is not None:
        mentions = _read_file(facts, document)
    unknown = any(has_words(word) or begins_with_gap(word) for word in program.words)
    _replace(facts, read_options(program.words[len(named) :], program.place, {*_TOP, "launcher"}), program, unknown)
    if document is not None and document.get("rl") in ("grpo", "gdpo"):
        state_defaults(facts, program, _DEFAULTS, presumed)
    return part_of(program, facts, files, presumed, mentions)


def _read_file(facts: Facts, document: Document) -> tuple[Mention, ...]:
    """Record what the file states; return DeepSpeed's configuration, which it names."""
    for key, fact in _TOP.items():
        _state(facts, fact, document, key)
    if document.get("rl") in ("grpo", "gdpo"):
        place = document.place("rl")
        state(facts, "plan.configuration", "GRPOConfig", place)
        state(facts, "plan.trainer", "GRPOTrainer", place)
        _read_trl(facts, document)
    elif document.get("rl") in (None, "dpo", "ipo", "kto", "orpo", "simpo"):
        place = document.place("rl")
        facts.set("plan.use_vllm", False, f"{place}, such training does not generate", place)
    for key, attention in _ATTENTION.items():
        if document.get(key) is True:
            state(facts, "plan.attn_implementation", attention, document.place(key))
    _state(facts, "plan.attn_implementation", document, "attn_implementation")
    _read_adapter(facts, document)
    named = document.get("deepspeed")
    if not isinstance(named, str):
        return ()
    place = document.place("deepspeed")
    state(facts, "plan.deepspeed", named, place)
    return (Mention(named, kinds.DEEPSPEED, place),)


def _read_trl(facts: Facts, document: Document) -> None:
    for key in _TRL:
        _state(facts, f"plan.{key}", document, "trl", key)
    _state(facts, "plan.use_liger_kernel", document, "trl", "use_liger_loss")
    if document.get("trl", "use_vllm") is not True:
        return
    for key in _SERVER:
        _state(facts, f"plan.{key}", document, "trl", key)
    if document.get("trl", "vllm_mode") == "colocate":
        _state(facts, "plan.vllm_enable_sleep_mode", document, "trl", "vllm_enable_sleep_mode")
        _state(facts, "plan.enable_sleep_mode", document, "trl", "vllm_enable_sleep_mode")
        for key, names in _ENGINE.items():
            for fact in names:
                _state(facts, fact, document, "vllm", key)


def _read_adapter(facts: Facts, document: Document) -> None:
    adapter, place = document.get("adapter"), document.place("adapter")
    if isinstance(adapter, str):
        state(facts, "plan.peft", True, place)
    else:
        for fact in ("plan.lora_rank", "plan.lora_dropout"):
            facts.drop(fact)
    targets = document.get("lora_target_modules")
    if isinstance(adapter, str) and targets is not None and document.get("lora_target_linear") is not True:
        state(facts, "plan.lora_targets", targets, document.place("lora_target_modules"))
    for key, bits in (("load_in_4bit", 4), ("load_in_8bit", 8)):
        if document.get(key) is True:
            state(facts, "plan.loaded_in_bits", bits, document.place(key))


def _state(facts: Facts, fact: str, document: Document, *keys: str) -> None:
    value: Any = document.get(*keys)
    if value is not None:
        state(facts, fact, value, document.place(*keys))


def _replace(facts: Facts, options: Options, program: Program, unknown: bool) -> None:
    """Record options of the command line, and make unknown what others may replace."""
    for name, option in options.items():
        plain = name.removeprefix("no_")
        if name in _TOP:
            state_option(facts, _TOP[name], option)
        elif plain in _TOP:
            facts.forget(_TOP[plain], f"{option.place}: --{name}", option.place)
        elif name.split("_")[0].split(".")[0] in ("trl", "vllm", "lora", "load", "adapter", "rl"):
            unknown = True
    if not unknown:
        return
    names = {*_TOP.values(), *(f"plan.{key}" for key in (*_TRL, *_SERVER)), "plan.peft", "plan.loaded_in_bits"}
    names |= {fact for each in _ENGINE.values() for fact in each} | {"plan.enable_sleep_mode", "plan.trainer"}
    for fact in names:
        if facts.get(fact) is not None:
            facts.forget(fact, f"{program.place}: options of the command may replace it", program.place)
