"""OpenRLHF: ``python -m openrlhf.cli.train_ppo_ray --vllm_num_engines 2 ...`` and its other programs.

Read in its source, releases 0.5 to 0.10. Since 0.10, options have the name of their part before a dot, such as
``--vllm.num_engines``. Its engines are actors of Ray; what it passes to them is what the words state.
"""

from __future__ import annotations

from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.sources.reading.frameworks.facts_of import facts_of, part_of, state_defaults
from vcompat.sources.reading.frameworks.framework_options import (
    Option,
    Options,
    flag,
    read_options,
    state_option,
    state_options,
)
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.settings import state

#: Options of all programs.
_MODEL: Mapping[str, str] = {
    "pretrain": "plan.model",
    "actor.model_name_or_path": "plan.model",
    "model.model_name_or_path": "plan.model",
    "zero_stage": "plan.deepspeed_stage",
    "ds.zero_stage": "plan.deepspeed_stage",
    "micro_train_batch_size": "plan.per_device_train_batch_size",
    "train.micro_batch_size": "plan.per_device_train_batch_size",
    "gradient_checkpointing": "plan.gradient_checkpointing",
    "actor.gradient_checkpointing_enable": "plan.gradient_checkpointing",
    "model.gradient_checkpointing_enable": "plan.gradient_checkpointing",
}
#: Options of the programs that generate.
_ROLLOUT: Mapping[str, str] = {
    "n_samples_per_prompt": "plan.num_generations",
    "rollout.n_samples_per_prompt": "plan.num_generations",
    "prompt_max_len": "plan.max_prompt_length",
    "generate_max_len": "plan.max_completion_length",
    "rollout.max_new_tokens": "plan.max_completion_length",
    "temperature": "plan.temperature",
    "rollout.temperature": "plan.temperature",
    "top_p": "plan.top_p",
    "rollout.top_p": "plan.top_p",
}
#: Options of vLLM's engines.
_ENGINE: Mapping[str, str] = {
    "vllm_tensor_parallel_size": "plan.tensor_parallel_size",
    "vllm.tensor_parallel_size": "plan.tensor_parallel_size",
    "vllm_gpu_memory_utilization": "plan.gpu_memory_utilization",
    "vllm.gpu_memory_utilization": "plan.gpu_memory_utilization",
    "enable_prefix_caching": "plan.enable_prefix_caching",
    "vllm.enable_prefix_caching": "plan.enable_prefix_caching",
}
#: Defaults of all releases, and of those with engines.
_DEFAULTS: Mapping[str, object] = {"plan.deepspeed_stage": 2, "plan.peft": False}
_OF_ENGINES: Mapping[str, object] = {"plan.tensor_parallel_size": 1, "plan.enable_prefix_caching": False}
_FLAGS = frozenset(
    "gradient_checkpointing actor.gradient_checkpointing_enable model.gradient_checkpointing_enable "
    "enable_prefix_caching vllm.enable_prefix_caching enforce_eager vllm.enforce_eager vllm_enable_sleep "
    "vllm.enable_sleep adam_offload ds.adam_offload bf16 load_in_4bit ds.load_in_4bit flash_attn "
    "colocate_all_models train.colocate_all packing_samples ds.packing_samples apply_chat_template".split()
)
_VALUED = frozenset(
    "reward_pretrain critic_pretrain remote_rm_url save_path ckpt_path prompt_data input_key label_key "
    "max_len data.max_len train_batch_size rollout_batch_size micro_rollout_batch_size max_samples max_epochs "
    "advantage_estimator "
    "vllm_num_engines vllm.num_engines actor_num_nodes actor_num_gpus_per_node ref_num_nodes "
    "ref_num_gpus_per_node use_wandb wandb_run_name lora_rank".split()
)
#: Options with which it imports modules of the user.
_OWN_CODE = ("agent_func_path", "train.agent_func_path", "remote_rm_url", "reward.remote_url")


def read(program: Program, files: Files, presumed: Presumed) -> Part:
    """Return what the words of a program of OpenRLHF state."""
    place, by_ray = program.place, program.command.endswith("_ray")
    valued = (_VALUED | _MODEL.keys() | _ROLLOUT.keys() | _ENGINE.keys()) - _FLAGS
    options = read_options(program.words, place, valued, _FLAGS)
    facts = facts_of(program, runs_own_code=any(name in options for name in _OWN_CODE))
    state_options(facts, options, _MODEL)
    if _set(options, "adam_offload", "ds.adam_offload"):
        state(facts, "plan.optimizer_offload", "cpu", place)
    _attention(facts, options)
    if _set(options, "load_in_4bit", "ds.load_in_4bit"):
        state(facts, "plan.loaded_in_bits", 4, place)
    _adapter(facts, options)
    if by_ray:
        _generation(facts, options)
        _processes(facts, options, program)
        _state_defaults(facts, options, program, presumed)
    else:
        facts.set("plan.use_vllm", False, f"{place}, {program.command} does not generate", place)
    return part_of(program, facts, files, presumed)


def _set(options: Options, *names: str) -> bool:
    return any(flag(options.get(name)) for name in names)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _first(options: Options, *names: str) -> Option | None:
    return next((options[name] for name in names if name in options), None)


def _attention(facts: Facts, options: Options) -> None:
    """Record the attention. Packing requires FlashAttention, and replaces another one."""
    attention = _first(options, "attn_implementation", "ds.attn_implementation")
    packed = _first(options, "packing_samples", "ds.packing_samples")
    if attention is None and _set(options, "flash_attn"):
        attention = options["flash_attn"]._replace(values=("flash_attention_2",))
    if attention is not None and packed is not None and "flash_attention" not in (attention.value or ""):
        attention = attention._replace(values=None, why_unknown=f"{packed.place}: packing may replace it")
    if attention is not None:
        state_option(facts, "plan.attn_implementation", attention)


def _adapter(facts: Facts, options: Options) -> None:
    rank = _first(options, "lora_rank", "ds.lora.rank")
    if rank is None:
        return
    if rank.value is None or not _is_count(rank.value):
        facts.forget("plan.peft", rank.why_unknown or f"{rank.place}: not a rank", rank.place)
        return
    state(facts, "plan.peft", rank.value != "0", rank.place)
    if rank.value != "0":
        state_option(facts, "plan.lora_rank", rank)


def _generation(facts: Facts, options: Options) -> None:
    """Record how completions are generated: by engines of vLLM if there are any."""
    state_options(facts, options, _ROLLOUT)
    engines = _first(options, "vllm_num_engines", "vllm.num_engines")
    if engines is None:
        return
    if engines.value is None or not _is_count(engines.value):
        facts.forget("plan.use_vllm", engines.why_unknown or f"{engines.place}: not a number", engines.place)
        return
    state(facts, "plan.use_vllm", engines.value != "0", engines.place)
    if engines.value == "0":
        return
    state_options(facts, options, _ENGINE)
    facts.set("plan.engine_dtype", "bfloat16", f"{engines.place}, the type of OpenRLHF's engines", engines.place)
    _length(facts, options)
    if _set(options, "vllm_enable_sleep", "vllm.enable_sleep") and _set(
        options, "colocate_all_models", "train.colocate_all"
    ):
        state(facts, "plan.enable_sleep_mode", True, engines.place)


def _length(facts: Facts, options: Options) -> None:
    """Record the maximum length of a sequence: one option, in old releases the sum of two if it is not given."""
    whole = _first(options, "max_len", "data.max_len")
    if whole is not None:
        state_option(facts, "plan.max_model_len", whole)
        return
    parts = [options[name] for name in ("prompt_max_len", "generate_max_len") if name in options]
    lengths = [int(part.value) for part in parts if part.value is not None and _is_count(part.value)]
    if len(lengths) == 2:
        source = f"{parts[0].place}, prompt_max_len + generate_max_len"
        facts.set("plan.max_model_len", sum(lengths), source, parts[0].place)


def _state_defaults(facts: Facts, options: Options, program: Program, presumed: Presumed) -> None:
    """Record defaults, where the words state that engines generate."""
    state_defaults(facts, program, _DEFAULTS, presumed)
    if facts.value("plan.use_vllm") is True:
        state_defaults(facts, program, _OF_ENGINES, presumed)
        sleeps = _first(options, "vllm_enable_sleep", "vllm.enable_sleep")
        shares = _first(options, "colocate_all_models", "train.colocate_all")
        if sleeps is None or shares is None:
            state_defaults(facts, program, {"plan.enable_sleep_mode": False}, presumed)
        size = facts.value("plan.tensor_parallel_size")
        if isinstance(size, int):
            backend = {"plan.distributed_executor_backend": "uni" if size == 1 else "ray"}
            state_defaults(facts, program, backend, presumed)


def _processes(facts: Facts, options: Options, program: Program) -> None:
    """Record the actor's workers, one for each GPU, which Ray starts. The program itself is one process."""
    place = program.place
    facts.set("plan.launcher", "ray", f"{place}, OpenRLHF starts its workers by Ray", place)
    for fact in ("plan.num_machines", "plan.processes_per_machine", "plan.world_size"):
        facts.forget(fact, f"{place}: the words do not state it", place)
    names = {
        "actor_num_nodes": "plan.num_machines",
        "actor.num_nodes": "plan.num_machines",
        "actor_num_gpus_per_node": "plan.processes_per_machine",
        "actor.num_gpus_per_node": "plan.processes_per_machine",
    }
    state_options(facts, options, names)
    machines, each = facts.value("plan.num_machines"), facts.value("plan.processes_per_machine")
    if isinstance(machines, int) and isinstance(each, int):
        facts.set("plan.world_size", machines * each, f"{place}, nodes x GPUs of the actor", place)
