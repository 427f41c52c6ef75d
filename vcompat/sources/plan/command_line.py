"""Parses the command lines that start training: accelerate, torchrun, deepspeed, srun, python and `trl`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.sources.plan.old_shell import UNKNOWN

#: Options without a value; every other option takes one. A test compares them with the launchers' parsers.
_FLAGS: Mapping[str, frozenset[str]] = {
    "accelerate": frozenset(
        "cpu debug downcast_bf16 dynamo_use_dynamic dynamo_use_fullgraph dynamo_use_regional_compilation "
        "enable_cpu_affinity fp8_use_autocast_during_eval h help ipex m module multi_gpu no_python "
        "no_tpu_cluster q quiet same_network tpu tpu_cluster tpu_use_sudo use_deepspeed use_fsdp "
        "use_megatron_lm use_parallelism_config use_xpu".split()
    ),
    "torchrun": frozenset("standalone no_python m module run_path virtual_local_rank h help".split()),
    "deepspeed": frozenset(
        "no_python no_local_rank m module force_multi bind_cores_to_rank elastic_training no_ssh no_ssh_check "
        "save_pid quiet q h help".split()
    ),
    "python": frozenset("u B E I O OO s S v q b d x i P".split()),
}
_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate.commands.launch": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
    "trl.cli": "trl",
}
_PROGRAMS = ("accelerate", "torchrun", "deepspeed", "trl", "vllm")


class Started(NamedTuple):
    """The launcher, script and options of one command."""

    launcher: str
    """accelerate, torchrun, deepspeed, python or trl."""
    launcher_options: Mapping[str, str | bool]
    script: str
    """The path of the script, or the subcommand of `trl`."""
    options: Mapping[str, str | bool]
    """The options of the script."""
    wrapped_by: tuple[str, ...]
    """The words before the launcher, such as `srun` and its options."""


def read_command(words: Sequence[str]) -> Started | None:
    """Parse the command with these `words`. Returns None if it starts neither a launcher nor Python."""
    for index, word in enumerate(words):
        name = os.path.basename(word)
        before = tuple(words[:index])
        if name in ("bash", "sh") and "-c" in words[index + 1 : index + 3]:
            inner = words[index + 1 + words[index + 1 : index + 3].index("-c") + 1 :][:1]
            return read_command([*before, *inner[0].split()]) if inner else None
        if name in _PROGRAMS:
            return _launched(name, words[index + 1 :], before)
        if re.fullmatch(r"python[\d.]*", name):
            return _python(words[index + 1 :], before)
    return None


def _launched(name: str, rest: Sequence[str], before: tuple[str, ...]) -> Started | None:
    if name == "accelerate":
        return (
            _with_script("accelerate", rest[1:], before) if rest[:1] == ["launch"] or rest[:1] == ("launch",) else None
        )
    if name in ("trl", "vllm"):
        if not rest or rest[0].startswith("-"):
            return None
        return Started("trl", {}, rest[0] if name == "trl" else "vllm-serve", options_of(rest[1:]), before)
    return _with_script(name, rest, before)


def _python(rest: Sequence[str], before: tuple[str, ...]) -> Started | None:
    options, remaining = _until_script("python", rest)
    module = options.get("m")
    if isinstance(module, str):
        name = _MODULES.get(module)
        if name == "accelerate":
            return _with_script(name, remaining, before)
        if name is not None:
            return _launched(name, remaining, before)
        if module.startswith("trl.scripts."):
            return Started("python", {}, module.rpartition(".")[2].replace("_", "-"), options_of(remaining), before)
        return None
    if "c" in options or not remaining:
        return None
    return Started("python", {}, remaining[0], options_of(remaining[1:]), before)


def _with_script(name: str, rest: Sequence[str], before: tuple[str, ...]) -> Started | None:
    options, remaining = _until_script(name, rest)
    if not remaining:
        return None
    return Started(name, options, remaining[0], options_of(remaining[1:]), before)


def _until_script(name: str, words: Sequence[str]) -> tuple[dict[str, str | bool], Sequence[str]]:
    """Return the launcher's own options and the remaining words."""
    options: dict[str, str | bool] = {}
    index = 0
    while index < len(words) and words[index].startswith("-") and len(words[index]) > 1:
        key, equals, value = words[index].lstrip("-").partition("=")
        key = key.replace("-", "_")
        index += 1
        if equals:
            options[key] = value
        elif key in _FLAGS[name] or index >= len(words):
            options[key] = True
        else:
            options[key] = words[index]
            index += 1
            if name == "python" and key in ("m", "c"):
                break
    return options, words[index:]


def options_of(words: Sequence[str]) -> dict[str, str | bool]:
    """Return the options of a script by name, with ``_`` for ``-``. Multiple values are joined with commas."""
    options: dict[str, str | bool] = {}
    key = ""
    for word in words:
        if word.startswith("--") or re.fullmatch(r"-[A-Za-z]\w*", word):
            key, equals, value = word.lstrip("-").partition("=")
            key = key.replace("-", "_")
            options[key] = value if equals else True
        elif word == UNKNOWN:
            # Usually an empty variable for optional arguments. It is not a second value of the preceding option.
            key = key if key and options[key] is True else ""
            if key:
                options[key] = UNKNOWN
        elif key:
            known = options[key]
            options[key] = word if known is True else f"{known},{word}"
    return options


def known(value: str | bool | None) -> str | None:
    """Return the value of an option; None if it is missing, a flag, or not constant."""
    return value if isinstance(value, str) and UNKNOWN not in value else None
