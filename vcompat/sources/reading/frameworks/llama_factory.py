"""LLaMA-Factory: ``llamafactory-cli train FILE.yaml``, or with options.

It has no trainer that generates with vLLM. The model, the adapter and the settings of transformers' Trainer are read.
"""

from __future__ import annotations

from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.frameworks.facts_of import facts_of, part_of
from vcompat.sources.reading.frameworks.framework_options import (
    Option,
    Options,
    options_of,
    read_options,
    state_options,
)
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.part import Mention, Part
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import has_words

_SETTINGS: Mapping[str, str] = {
    "model_name_or_path": "plan.model",
    "bf16": "plan.bf16",
    "fp16": "plan.fp16",
    "per_device_train_batch_size": "plan.per_device_train_batch_size",
    "gradient_accumulation_steps": "plan.gradient_accumulation_steps",
    "optim": "plan.optim",
    "dataloader_num_workers": "plan.dataloader_num_workers",
}
_ADAPTER: Mapping[str, str] = {"lora_rank": "plan.lora_rank", "lora_dropout": "plan.lora_dropout"}
#: Stages of training; none of them uses vLLM.
_STAGES = frozenset("pt sft rm ppo dpo kto".split())
_ATTENTION = {"fa2": "flash_attention_2", "sdpa": "sdpa"}


def read(program: Program, files: Files, presumed: Presumed) -> Part:
    """Return what the file and the words of LLaMA-Factory state."""
    options = _options(program, files)
    facts, place = facts_of(program), program.place
    state_options(facts, options, _SETTINGS)
    stage = options.get("stage")
    if stage is not None and stage.value in _STAGES:
        facts.set("plan.use_vllm", False, f"{stage.place}, {stage.value} does not use vLLM", stage.place)
    tuning = options.get("finetuning_type")
    if tuning is not None and tuning.value in ("lora", "full", "freeze"):
        state(facts, "plan.peft", tuning.value == "lora", tuning.place)
        if tuning.value == "lora":
            state_options(facts, options, _ADAPTER)
    attention = options.get("flash_attn")
    if attention is not None and attention.value in _ATTENTION:
        state(facts, "plan.attn_implementation", _ATTENTION[attention.value], attention.place)
    bits = options.get("quantization_bit")
    if bits is not None and options.get("quantization_method", Option(("bnb",), place)).value in (
        "bnb",
        "bitsandbytes",
    ):
        state_options(facts, {"bits": bits}, {"bits": "plan.loaded_in_bits"})
    return part_of(program, facts, files, presumed, _deepspeed(facts, options))


def _options(program: Program, files: Files) -> Options:
    """Return the options: of the file, then words such as ``key=value``; or those of a command line without a file."""
    words, place = program.words, program.place
    if not words or words[0].startswith("-"):
        return read_options(words, place, {*_SETTINGS, *_ADAPTER, "stage", "dataset", "output_dir", "template"})
    document = files.document(words[0])
    options = options_of(document) if document is not None else {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if has_words(word) or not isinstance(name, str):
            why = f"{place}: words that are not known may set it"
            options = {key: Option(None, option.place, why) for key, option in options.items()}
        elif equals and not isinstance(value, str):
            options[name] = Option(None, place, f"{place}: computed at run time")
        elif equals and isinstance(value, str):
            options[name] = Option((value,), place)
    return options


def _deepspeed(facts: Facts, options: Options) -> tuple[Mention, ...]:
    named = options.get("deepspeed")
    if named is None or named.value is None:
        return ()
    state(facts, "plan.deepspeed", named.value, named.place)
    return (Mention(named.value, kinds.DEEPSPEED, named.place),)
