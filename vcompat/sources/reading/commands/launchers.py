"""The options of the launchers, and how their command lines are parsed. A test compares them with the real parsers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, as_one, readable

#: Long names with ``_`` for ``-``, and letters.
_ACCELERATE_FLAGS = (
    "cpu debug downcast_bf16 dynamo_use_dynamic dynamo_use_fullgraph dynamo_use_regional_compilation "
    "enable_cpu_affinity fp8_use_autocast_during_eval help h ipex m module multi_gpu no_python no_tpu_cluster q quiet "
    "same_network tpu tpu_cluster tpu_use_sudo use_deepspeed use_fsdp use_megatron_lm use_parallelism_config use_xpu"
)
_ACCELERATE_VALUED = (
    "config_file mixed_precision num_processes num_machines num_cpu_threads_per_process dynamo_backend dynamo_mode "
    "gpu_ids machine_rank main_process_ip main_process_port t tee log_dir role rdzv_backend rdzv_conf max_restarts "
    "monitor_interval vm env main_training_function deepspeed_config_file zero_stage offload_optimizer_device "
    "offload_param_device offload_optimizer_nvme_path offload_param_nvme_path gradient_accumulation_steps "
    "gradient_clipping zero3_init_flag zero3_save_16bit_model deepspeed_hostfile deepspeed_exclusion_filter "
    "deepspeed_inclusion_filter deepspeed_multinode_launcher deepspeed_moe_layer_cls_names fsdp_version "
    "fsdp_offload_params fsdp_min_num_params fsdp_sharding_strategy fsdp_reshard_after_forward fsdp_auto_wrap_policy "
    "fsdp_transformer_layer_cls_to_wrap fsdp_backward_prefetch fsdp_backward_prefetch_policy fsdp_state_dict_type "
    "fsdp_forward_prefetch fsdp_use_orig_params fsdp_cpu_ram_efficient_loading fsdp_sync_module_states "
    "fsdp_activation_checkpointing fsdp_activation_checkpointing_offload megatron_lm_tp_degree "
    "megatron_lm_use_custom_fsdp megatron_lm_no_load_optim megatron_lm_eod_mask_loss "
    "megatron_lm_overlap_cpu_optimizer_d2h_h2d megatron_lm_no_save_optim megatron_lm_optimizer_cpu_offload "
    "megatron_lm_use_precision_aware_optimizer megatron_lm_decoder_last_pipeline_num_layers megatron_lm_pp_degree "
    "megatron_lm_num_micro_batches megatron_lm_sequence_parallelism megatron_lm_recompute_activations "
    "megatron_lm_use_distributed_optimizer megatron_lm_gradient_clipping megatron_lm_recompute_granularity "
    "megatron_lm_recompute_method megatron_lm_recompute_num_layers megatron_lm_attention_backend "
    "megatron_lm_expert_model_parallel_size megatron_lm_context_parallel_size megatron_lm_attention_dropout "
    "megatron_lm_hidden_dropout megatron_lm_attention_softmax_in_fp32 megatron_lm_expert_tensor_parallel_size "
    "megatron_lm_calculate_per_token_loss megatron_lm_use_rotary_position_embeddings fp8_backend fp8_margin "
    "fp8_interval fp8_format fp8_amax_history_len fp8_amax_compute_algo fp8_override_linear_precision fp8_opt_level "
    "fp8_enable_fsdp_float8_all_gather fp8_pad_inner_dim aws_access_key_id aws_secret_access_key mpirun_hostfile "
    "mpirun_ccl parallelism_config_dp_replicate_size parallelism_config_dp_shard_size parallelism_config_tp_size "
    "parallelism_config_cp_size parallelism_config_cp_backend parallelism_config_cp_comm_strategy "
    "parallelism_config_sp_size parallelism_config_sp_backend parallelism_config_sp_seq_length "
    "parallelism_config_sp_seq_length_is_variable parallelism_config_sp_attn_implementation"
)
_TORCHRUN_VALUED = (
    "nnodes nproc_per_node rdzv_backend rdzv_endpoint rdzv_id rdzv_conf max_restarts monitor_interval start_method "
    "event_log_handler role log_dir log_line_prefix_template r redirects t tee local_ranks_filter "
    "duplicate_stdout_filters duplicate_stderr_filters node_rank master_addr master_port local_addr logs_specs "
    "numa_binding signals_to_handle shutdown_timeout"
)
_DEEPSPEED_VALUED = (
    "H hostfile i include e exclude num_nodes min_elastic_nodes max_elastic_nodes num_gpus num_accelerators "
    "master_port master_addr node_rank launcher launcher_args enable_each_rank_log autotuning bind_core_list ssh_port "
    "venv_script log_level"
)


class Launcher(NamedTuple):
    """The options of a launcher."""

    flags: frozenset[str]
    """Options without a value."""
    valued: frozenset[str]
    """Options with one value."""
    abbreviates: bool = False
    """Whether a long option can be shortened as long as it is unique."""
    letters: Mapping[str, str] = {}
    """The long names of options with one letter, and of synonyms."""
    ends: frozenset[str] = frozenset()
    """Options with a value that is the last option: what follows belongs to the program."""


def _launcher(flags: str, valued: str, abbreviates: bool = False, letters: str = "", ends: str = "") -> Launcher:
    pairs = dict(pair.split("=") for pair in letters.split())
    return Launcher(frozenset(flags.split()), frozenset(valued.split()), abbreviates, pairs, frozenset(ends.split()))


LAUNCHERS: Mapping[str, Launcher] = {
    "accelerate": _launcher(_ACCELERATE_FLAGS, _ACCELERATE_VALUED, letters="m=module q=quiet t=tee h=help"),
    "torchrun": _launcher(
        "standalone no_python m module run_path use_env virtual_local_rank h help",
        _TORCHRUN_VALUED,
        True,
        "m=module r=redirects t=tee h=help",
    ),
    "deepspeed": _launcher(
        "no_python no_local_rank module force_multi bind_cores_to_rank elastic_training no_ssh no_ssh_check save_pid "
        "quiet q h help",
        _DEEPSPEED_VALUED,
        True,
        "H=hostfile i=include e=exclude q=quiet h=help num_accelerators=num_gpus",
    ),
    "modal": _launcher(
        "d detach q quiet i interactive timestamps m module h help",
        "e env w write_result n name",
        letters="d=detach q=quiet i=interactive m=module e=env w=write_result n=name h=help",
    ),
    "python": _launcher(
        "u B E I O s S v q b d x i P R h V version help", "W X check_hash_based_pycs m c", letters="h=help", ends="m c"
    ),
}


class Parsed(NamedTuple):
    """The options of a launcher on a command line."""

    options: Mapping[str, Word | bool]
    """By long name; True for an option without a value. The last one counts."""
    rest: tuple[Word, ...]
    """The words from the script on."""
    why_open: str = ""
    """Why there can be other options than those."""
    unknown: str = ""
    """The first long option that no release of the launcher has, as it is written; what follows may be the script's."""


def parse_launcher(name: str, words: Sequence[Word]) -> Parsed:
    """Parse the options of the launcher `name`, up to the script that it starts."""
    launcher = LAUNCHERS[name]
    options: dict[str, Word | bool] = {}
    index, why, unknown = 0, "", ""
    while index < len(words):
        word = words[index]
        if word == UNKNOWN_WORDS or (word == UNKNOWN and _is_option(words[index + 1 : index + 2])):
            why = why or f"words that are not known are options of {name}"
            if word == UNKNOWN_WORDS or record_option(launcher, words, index + 1, {}) is not None:
                outweighed(options)
            # Otherwise, the one word is the script: what follows is none of the launcher's options.
            index += 1
            continue
        if word == "--":
            index += 1
            break
        if not word.startswith("-") or word == "-":
            break
        step = record_option(launcher, words, index, options)
        if step is None:
            if why:
                # The script is among the words that are not known.
                return Parsed(options, (UNKNOWN, *words[index:]), why, unknown)
            unknown = _long_name(word)
            why = f"{name} is not known to have the option {readable(word)}"
            if not isinstance(word, str):
                outweighed(options)
            step = 1 if "=" in word or not _may_be_value(words[index + 1 : index + 3]) else 2
        index += step
        if options.keys() & launcher.ends:
            break
    return Parsed(options, tuple(words[index:]), why, unknown)


def outweighed(options: dict[str, Word | bool]) -> None:
    """Forget the values of options that words after them may set again. An option without a value remains set."""
    options.update((name, UNKNOWN) for name, value in options.items() if value is not True)


def _long_name(word: Word) -> str:
    """Return a long option without dashes and value; empty for another word, or if it is not known."""
    name = word.partition("=")[0]
    return name[2:] if isinstance(name, str) and re.fullmatch(r"--[A-Za-z][\w-]*", name) else ""


def _is_option(words: Sequence[Word]) -> bool:
    return bool(words) and words[0].startswith("-")


def _may_be_value(words: Sequence[Word]) -> bool:
    """Return whether the first of two words is the value of an option rather than the script."""
    return len(words) == 2 and not words[0].startswith("-") and not words[0].endswith(".py")


def record_option(launcher: Launcher, words: Sequence[Word], index: int, options: dict[str, Word | bool]) -> int | None:
    """Record the option at `index`. Returns the number of its words; None if the launcher has no such option."""
    word = words[index]
    if not word.startswith("--"):
        return _letters(launcher, words, index, options)
    name, equals, value = word[2:].partition("=")
    found = _long(launcher, name.replace("-", "_")) if isinstance(name, str) else None
    if found is None:
        return None
    long = launcher.letters.get(found, found)
    if found in launcher.flags:
        options[long] = True
        return 1
    if equals:
        options[long] = as_one(value)
        return 1
    options[long] = _value(words, index + 1)
    return 2


def _long(launcher: Launcher, name: str) -> str | None:
    """Return the option that `name` stands for, which may be abbreviated."""
    names = {option for option in launcher.flags | launcher.valued if len(option) > 1}
    if name in names:
        return name
    if not launcher.abbreviates or not name:
        return None
    matching = [option for option in names if option.startswith(name)]
    return matching[0] if len(matching) == 1 else None


def _letters(launcher: Launcher, words: Sequence[Word], index: int, options: dict[str, Word | bool]) -> int | None:
    """Record options with one letter, such as ``-m`` or ``-uB``."""
    text = words[index][1:]
    while text:
        letter, rest = text[:1], text[1:]
        if not isinstance(letter, str):
            return None
        long = launcher.letters.get(letter, letter)
        if letter in launcher.valued:
            if rest:
                options[long] = as_one(rest.removeprefix("="))
                return 1
            options[long] = _value(words, index + 1)
            return 2
        if letter not in launcher.flags:
            return None
        options[long] = True
        text = rest
    return 1


def _value(words: Sequence[Word], index: int) -> Word:
    """Return a value. A variable without quotes is taken to be one word where an option needs one."""
    return as_one(words[index]) if index < len(words) else UNKNOWN
