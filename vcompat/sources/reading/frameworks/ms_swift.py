"""ms-swift: ``swift rlhf``, ``swift sft``, ``swift pt`` and the same of ``megatron``.

Read in its source, releases 3.5 to 4.5: a setting of GRPOConfig keeps its name and its meaning (`RLHFArguments`), and
its vLLM engine gets what the words say (`_prepare_vllm_engine`). Its trainers are its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.commands.started import PROGRAMS
from vcompat.sources.reading.configurations.deepspeed_config import state_table
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.frameworks.counts import state_processes
from vcompat.sources.reading.frameworks.facts_of import facts_of, part_of, state_defaults
from vcompat.sources.reading.frameworks.framework_options import (
    Option,
    Options,
    flag,
    options_of,
    read_options,
    state_options,
)
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.part import Mention, Part
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import base_name, concat

#: Settings of GRPOConfig and TrainingArguments.
_TRAINER = (
    "beta bf16 dataloader_num_workers fp16 generation_batch_size gradient_accumulation_steps gradient_checkpointing "
    "loss_type max_completion_length min_p num_generations num_iterations optim per_device_train_batch_size "
    "steps_per_generation temperature top_entropy_quantile top_k top_p use_liger_kernel"
)
#: Settings of vLLM's engine.
_ROLLOUT = {
    "model": "plan.model",
    "use_vllm": "plan.use_vllm",
    "vllm_mode": "plan.vllm_mode",
    "vllm_gpu_memory_utilization": "plan.vllm_gpu_memory_utilization",
    "vllm_tensor_parallel_size": "plan.vllm_tensor_parallel_size",
    "num_generations": "plan.num_generations",
    "max_completion_length": "plan.max_completion_length",
}
#: Settings of the engine in the trainer's process; in server mode, another command starts the engine.
_COLOCATED = {
    "vllm_gpu_memory_utilization": "plan.gpu_memory_utilization",
    "vllm_tensor_parallel_size": "plan.tensor_parallel_size",
    "vllm_max_model_len": "plan.max_model_len",
    "vllm_enable_prefix_caching": "plan.enable_prefix_caching",
}
_SERVER = {"vllm_server_host": "plan.vllm_server_host", "vllm_server_port": "plan.vllm_server_port"}
_MODEL = {"torch_dtype": "plan.dtype", "lora_rank": "plan.lora_rank", "lora_dropout": "plan.lora_dropout"}
#: Options that are flags, with a value or without.
_FLAGS = frozenset(
    {"use_vllm", "bf16", "fp16", "gradient_checkpointing", "use_liger_kernel", "vllm_enable_prefix_caching"}
)
#: How the names of its configuration files end.
_FILES = (".yaml", ".yml", ".json")
#: Options with which it imports modules of the user.
_OWN_CODE = ("external_plugins", "custom_register_path")
#: Options that take a value, beside those that are facts.
_VALUED = (
    "rlhf_type dataset val_dataset output_dir system train_type tuner_type deepspeed template model_type reward_model "
    "ref_model adapters ref_adapters max_length learning_rate num_train_epochs max_steps save_steps eval_steps "
    "logging_steps attn_impl external_plugins sleep_level target_modules lora_alpha"
).split()
#: All options that matter here.
_NAMES = frozenset({*_VALUED, *_TRAINER.split(), *_ROLLOUT, *_COLOCATED, *_SERVER, *_MODEL})
#: The configurations of DeepSpeed that have names: the stage, and the devices of the optimizer and of the weights.
_DEEPSPEED = {
    "zero0": (0, "none", "none"),
    "zero1": (1, "none", "none"),
    "zero2": (2, "none", "none"),
    "zero3": (3, "none", "none"),
    "zero2_offload": (2, "cpu", "none"),
    "zero3_offload": (3, "cpu", "cpu"),
}
_DEFAULTS = {"plan.use_vllm": False, "plan.peft": True, "plan.gradient_checkpointing": True}
_OF_ADAPTERS = {"plan.lora_rank": 8, "plan.lora_dropout": 0.05, "plan.loaded_in_bits": None}
_OF_GRPO = {
    "plan.num_generations": 8,
    "plan.max_completion_length": 512,
    "plan.num_iterations": 1,
    "plan.loss_type": "grpo",
}
_OF_COLOCATION = {
    "plan.vllm_gpu_memory_utilization": 0.9,
    "plan.gpu_memory_utilization": 0.9,
    "plan.vllm_tensor_parallel_size": 1,
    "plan.tensor_parallel_size": 1,
    "plan.enable_prefix_caching": True,
    "plan.enable_sleep_mode": False,
    "plan.vllm_sleep_level": None,
}
_AUTOMATIC = ["deepspeed_micro_batch_size", "deepspeed_accumulation_steps", "deepspeed_bf16", "deepspeed_fp16"]


def read(program: Program, files: Files, presumed: Presumed) -> Part:
    """Return what a program of ms-swift states."""
    document = _document(program, files)
    options = _with_config(_options(program, document), program, files)
    facts = facts_of(program, runs_own_code=any(name in options for name in _OWN_CODE))
    is_megatron = program.command.startswith("megatron")
    kind = options.get("rlhf_type")
    trains_alone = program.command.endswith((".sft", ".pt"))
    state_options(facts, options, _ROLLOUT)
    if trains_alone or (kind is not None and kind.value in ("dpo", "orpo", "simpo", "kto", "cpo", "rm")):
        facts.set("plan.use_vllm", False, f"{program.place}, {program.command} does not generate", program.place)
    _engine(facts, options, program, presumed)
    table = document.get("ENV") if document is not None else None
    if isinstance(table, dict):
        _variables(facts, {str(name): value for name, value in table.items()}, program, presumed)
    mentions: tuple[Mention, ...] = ()
    if not is_megatron:
        state_options(facts, options, {name: f"plan.{name}" for name in _TRAINER.split()} | _MODEL)
        _precision(facts, options)
        _attention(facts, options)
        _adapter(facts, options, program)
        mentions = _deepspeed(facts, options)
        _state_defaults(facts, options, program, presumed)
    return part_of(program, facts, files, presumed, mentions=mentions)


def _document(program: Program, files: Files) -> Document | None:
    """Return the file that comes first among the words; None if there is none, or it is not known."""
    first = concat(program.words[:1])
    return files.document(first) if first.endswith(_FILES) else None


def _options(program: Program, document: Document | None) -> Options:
    """Return the options of the file that comes first among the words, and those of the words after it."""
    of_file = options_of(document) if document is not None else {}
    words = program.words[1:] if concat(program.words[:1]).endswith(_FILES) else program.words
    return read_options(words, program.place, {*_NAMES, "config"} - _FLAGS, before=of_file)


def _with_config(options: Options, program: Program, files: Files) -> Options:
    """Return the options with those of the file that ``--config`` names, which come after all words."""
    config = options.pop("config", None)
    if config is None:
        return options
    document = files.document(config.value) if config.value is not None else None
    if document is not None:
        return options | options_of(document)
    why = f"{config.place}: the file of settings is not known"
    return {name: Option(None, config.place, why) for name in (*_NAMES, *_FLAGS, *options)}


def _variables(facts: Facts, table: Mapping[str, object], program: Program, presumed: Presumed) -> None:
    """Record the environment variables of the file, which do not replace those that are set."""
    environment, place = program.invocation.environment, program.place
    names = [name for name in table if environment.values.get(name) is None]
    if presumed is None and environment.others is not Others.UNSET:
        counts = ("plan.launcher", "plan.num_machines", "plan.processes_per_machine", "plan.world_size")
        open_ = [f"env.{name}" for name in names if ENVIRONMENT.fullmatch(name)]
        for fact in (*open_, *(counts if {"NPROC_PER_NODE", "NNODES"} & set(names) else ())):
            facts.forget(fact, f"{place}: the file sets it, unless the caller does", place)
        return
    values = {name: str(table[name]) for name in names}
    for name in filter(ENVIRONMENT.fullmatch, names):
        facts.set(f"env.{name}", values[name], f"{place}, ENV in the file", place)
    if {"NPROC_PER_NODE", "NNODES"} & values.keys() and program.command.split(".")[0] in PROGRAMS:
        merged = environment._replace(values={**environment.values, **values})
        state_processes(facts, program.command.split(".")[0], merged, place, presumed)


def _engine(facts: Facts, options: Options, program: Program, presumed: Presumed) -> None:
    """Record the engine's settings, which are those of the trainer's process in colocate mode only."""
    used, mode = flag(options.get("use_vllm")), options.get("vllm_mode")
    if (mode is None or mode.value == "colocate") and (servers := {*_SERVER, "vllm_server_base_url"} & options.keys()):
        # Releases before 3.7 then use the server, whatever the mode is.
        place = options[min(servers)].place
        facts.forget("plan.vllm_mode", f"{place}: a server is named, and the mode is not server", place)
        return
    if used and mode is None and presumed is not None:
        presumed.append(Presumption(RELEASE, "ms-swift has the default vllm_mode=colocate", program.place))
        mode = Option(("colocate",), options["use_vllm"].place)
        state_options(facts, {"vllm_mode": mode}, _ROLLOUT)
    if not used or mode is None:
        return
    if mode.value == "server":
        state_options(facts, {name: options[name] for name in _SERVER if name in options}, _SERVER)
    if mode.value != "colocate":
        return
    state_options(facts, options, _COLOCATED)
    facts.set("plan.distributed_executor_backend", "external_launcher", f"ms-swift, {mode.place}", mode.place)
    facts.set("plan.llm_seed", 0, f"ms-swift passes the index of the data-parallel group, {mode.place}", mode.place)
    if (dtype := options.get("torch_dtype")) is not None:
        state_options(facts, {"torch_dtype": dtype}, {"torch_dtype": "plan.engine_dtype"})
    if (level := options.get("sleep_level")) is not None:
        _sleep(facts, level)


def _sleep(facts: Facts, level: Option) -> None:
    if level.value not in ("0", "1", "2"):
        why = level.why_unknown or f"{level.place}: {' '.join(level.values or ())} is not a level"
        for fact in ("plan.enable_sleep_mode", "plan.vllm_sleep_level"):
            facts.forget(fact, why, level.place)
        return
    state(facts, "plan.enable_sleep_mode", level.value != "0", level.place)
    state(facts, "plan.vllm_sleep_level", int(level.value) or None, level.place)


def _state_defaults(facts: Facts, options: Options, program: Program, presumed: Presumed) -> None:
    """Record the defaults that are the same in all releases."""
    state_defaults(facts, program, _DEFAULTS, presumed)
    by_accelerate = any(base_name(word).startswith("accelerate") for word in program.invocation.words)
    if not by_accelerate and not {"deepspeed", "fsdp"} & options.keys():
        state_defaults(facts, program, {"plan.deepspeed_stage": 0}, presumed)
    if facts.value("plan.peft") is True and not {"quant_bits", "quant_method"} & options.keys():
        state_defaults(facts, program, _OF_ADAPTERS, presumed)
    kind = options.get("rlhf_type")
    if kind is not None and kind.value == "grpo":
        state_defaults(facts, program, _OF_GRPO, presumed)
    if facts.value("plan.use_vllm") is True and facts.value("plan.vllm_mode") == "colocate":
        state_defaults(facts, program, _OF_COLOCATION, presumed)


def _precision(facts: Facts, options: Options) -> None:
    """Record the mixed precision that follows from the data type, unless it is stated."""
    dtype = options.get("torch_dtype")
    if dtype is None or dtype.value not in ("bfloat16", "float16", "float32") or {"bf16", "fp16"} & options.keys():
        return
    for name, value in (("bf16", dtype.value == "bfloat16"), ("fp16", dtype.value != "bfloat16")):
        state(facts, f"plan.{name}", value, dtype.place, "by torch_dtype")


def _attention(facts: Facts, options: Options) -> None:
    attention = options.get("attn_impl")
    if attention is not None and attention.value == "flash_attn":
        attention = attention._replace(values=("flash_attention_2",))
    if attention is not None:
        state_options(facts, {"attn_impl": attention}, {"attn_impl": "plan.attn_implementation"})


def _targets(facts: Facts, targets: Option) -> None:
    if targets.values is not None:
        is_special = any("all-" in each or "\\" in each for each in targets.values)
        state(facts, "plan.lora_targets", ["all-linear"] if is_special else list(targets.values), targets.place)


def _adapter(facts: Facts, options: Options, program: Program) -> None:
    """Record whether an adapter is trained: ``tuner_type``, before 4.0 ``train_type``."""
    option = options.get("tuner_type") or options.get("train_type")
    if {"tuner_type", "train_type"} <= options.keys():
        facts.forget("plan.peft", f"{program.place}: both tuner_type and train_type", program.place)
        return
    if option is None:
        return
    if option.value in ("lora", "full"):
        state(facts, "plan.peft", option.value == "lora", option.place)
    else:
        facts.forget("plan.peft", option.why_unknown or f"{option.place}: another adapter", option.place)
    if option.value == "full":
        for fact in ("plan.lora_rank", "plan.lora_dropout"):
            facts.drop(fact)
    targets = options.get("target_modules")
    if option.value == "lora" and targets is not None:
        _targets(facts, targets)
    bits, method = options.get("quant_bits"), options.get("quant_method")
    if bits is not None and method is not None and method.value == "bnb":
        state_options(facts, {"quant_bits": bits}, {"quant_bits": "plan.loaded_in_bits"})


def _deepspeed(facts: Facts, options: Options) -> tuple[Mention, ...]:
    """Record DeepSpeed's configuration: one of ms-swift's own names, a file, or its text. Returns the file."""
    option = options.get("deepspeed")
    if option is None:
        return ()
    name = option.value
    if name is None:
        for fact in ("plan.deepspeed", "plan.deepspeed_stage", "plan.optimizer_offload", "plan.parameter_offload"):
            facts.forget(fact, option.why_unknown or f"{option.place}: not one value", option.place)
        return ()
    state(facts, "plan.deepspeed", name, option.place)
    if name.startswith("{"):
        _deepspeed_text(facts, name, option)
        return ()
    if name not in _DEEPSPEED:
        return (Mention(name, kinds.DEEPSPEED, option.place),)
    stage, optimizer, weights = _DEEPSPEED[name]
    state(facts, "plan.deepspeed_stage", stage, option.place)
    state(facts, "plan.optimizer_offload", optimizer, option.place)
    state(facts, "plan.parameter_offload", weights, option.place)
    state(facts, "plan.deepspeed_auto", list(_AUTOMATIC), option.place)
    return ()


def _deepspeed_text(facts: Facts, text: str, option: Option) -> None:
    """Record the settings of a configuration that is written on the command line."""
    try:
        table = json.loads(text)
    except ValueError:
        facts.forget("plan.deepspeed_stage", f"{option.place}: not valid JSON", option.place)
        return
    state_table(facts, table, lambda _: option.place)
