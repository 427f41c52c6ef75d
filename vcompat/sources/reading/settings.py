"""Maps the names of settings to facts and records their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import from_json
from vcompat.facts.vocabulary import NUMBER, VOCABULARY, Spec, spec_of
from vcompat.foundation.errors import InputError

#: Settings whose facts have other names: those of TRL's ModelConfig, former and later names.
_OTHER_NAMES: Mapping[str, str] = {
    "model_name_or_path": "plan.model",
    "torch_dtype": "plan.dtype",
    "use_peft": "plan.peft",
    "activation_checkpointing": "plan.gradient_checkpointing",
    "lora_modules_to_save": "plan.modules_to_save",
}
#: Settings that count instead of others, their former names, if they have a value. Releases without them refuse them.
COUNTS_INSTEAD: Mapping[str, str] = {
    # From transformers 5.23 on.
    "activation_checkpointing": "gradient_checkpointing",
}
#: Plan facts that are not settings of a trainer's configuration.
_NOT_SETTINGS = frozenset(
    "patched trainer launcher world_size num_machines gpus_per_node peft modules_to_save deepspeed_stage "
    "deepspeed_overlap_comm init_torch_dtype engine_dtype loaded_in_bits lora_rank lora_dropout lora_targets "
    "linear_sizes device_map model_by_name framework fast_inference trl_before_unsloth max_seq_length "
    "gpu_memory_utilization engine_lora max_lora_rank resumes_checkpoint reward_kinds tools ends_process_groups "
    "model_ties_embeddings standby standby_at_import full_finetuning command_options lora_options scores_all "
    "pads_with_eos raises_batch_size finetune_vision_layers trainable_tokens".split()
)


def fact_of(setting: str) -> str | None:
    """Return the fact of a setting of a trainer's configuration or TRL's ModelConfig; None if it is not a fact."""
    other = _OTHER_NAMES.get(setting)
    if other is not None:
        return other
    name = f"plan.{setting}"
    return name if name in VOCABULARY and setting not in _NOT_SETTINGS else None


def state(facts: Facts, fact: str, value: Any, place: Place, remark: str = "") -> None:
    """Record the plain `value` that a file sets at `place`. A value of a wrong type makes the fact unknown.

    Who reads the file converts the text of a number: YAML 1.1 parses 1e-5 as a text.
    """
    try:
        if is_text_of_number(fact, value):
            value = _number(value)
        parsed = from_json(_spec(fact), _as_list(_spec(fact), value), str(place))
    except InputError as error:
        facts.forget(fact, str(error), place)
        return
    facts.set(fact, parsed, f"{place}, {remark}" if remark else str(place), place)


def _spec(fact: str) -> Spec:
    return spec_of(fact, fact)


def _as_list(spec: Spec, value: Any) -> Any:
    """Return `value` as JSON has it: tuples and sets as lists, and for a list fact one string as a list of one."""
    if isinstance(value, tuple | set):
        value = list(value)
    if spec.many and isinstance(value, str):
        return [value]
    if spec.many and value is None:
        return []
    return value


def is_text_of_number(fact: str, value: Any) -> bool:
    """Return whether `value` is a text where the fact is a number."""
    return _spec(fact).kind == NUMBER and isinstance(value, str)


def _number(text: str) -> Any:
    """Return the number that a text is; the text if it is none."""
    try:
        return float(text) if not text.lstrip("+-").isdecimal() else int(text)
    except ValueError:
        return text
