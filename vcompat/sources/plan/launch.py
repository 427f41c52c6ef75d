"""Reads launch scripts (shell and Slurm): what they start, with which words, environment, folder and files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_text
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Environment, Invocation
from vcompat.sources.plan.launch_facts import config_file, environment_facts, launch_facts
from vcompat.sources.plan.part import CommandLine, Mention, Part
from vcompat.sources.plan.settings import fact_of, state, state_text
from vcompat.sources.plan.shell import Ran, run_shell, slurm_options
from vcompat.sources.plan.started import Started, read_started

#: Maximum file size in bytes. Launch scripts have a few kilobytes.
SIZE_LIMIT = 1_000_000

_TRAINERS = {"grpo": "GRPOTrainer", "rloo": "RLOOTrainer"}
_CONFIGURATIONS = {"grpo": "GRPOConfig", "rloo": "RLOOConfig"}
_OTHER_COMMANDS = frozenset({"env", "vllm-serve", "chat", "serve", "skills"})
#: Facts that `launch_facts` leaves open for the training script to determine.
_OF_OTHERS = frozenset(
    "deepspeed_stage fsdp fsdp_version fsdp_sharding optimizer_offload parameter_offload deepspeed_accumulation_steps "
    "mixed_precision distributed_type use_cpu".split()
)


class LaunchRuns(NamedTuple):
    """The launchers and scripts that a launch script starts."""

    runs: Sequence[tuple[Started, Invocation]]
    """In the order in which they are started."""
    missing: Sequence[Mention]
    """Files that the launch script runs and that could not be read."""
    directives: Mapping[str, str]
    """The options of the batch job, by long name."""
    environment: Environment
    """The environment after the end of the script."""
    why_incomplete: str = ""
    """Why runs may be missing."""


def read_launch_runs(path: str) -> LaunchRuns:
    """Follow the launch script at `path`. Raises InputError if it cannot be read."""
    text = read_text(path, SIZE_LIMIT, "a launch script")
    first = text.partition("\n")[0]
    if re.match(r"#!.*\b(fish|csh|tcsh|pwsh|perl|node|ruby)\b", first):
        raise InputError(path, f"a script for {first[2:].strip()}", "a script for bash or sh")
    return runs_of(run_shell(text, path, script=path))


def runs_of(ran: Ran) -> LaunchRuns:
    """Return the launchers and scripts among the programs that were started."""
    runs = []
    for invocation in ran.invocations:
        started = read_started(invocation.words)
        if started is not None:
            runs.append((started, invocation))
    options = {name: value for name, (value, _) in slurm_options(ran.directives).items()}
    return LaunchRuns(runs, ran.missing, options, ran.environment, ran.why_incomplete)


def read_launch(path: str) -> Part:
    """Read the launch script at `path`. Raises InputError if it is not a text file or does not start training."""
    launched = read_launch_runs(path)
    trainings = [run for run in launched.runs if _is_training(run[0])]
    if any(started.launcher != "python" or started.wrapped_by for started, _ in trainings):
        trainings = [run for run in trainings if run[0].launcher != "python" or run[0].wrapped_by]
    elif trainings:
        trainings = trainings[:1]
    facts = _merged([_facts(started, invocation, launched) for started, invocation in trainings])
    if not trainings:
        environment_facts(facts, launched.environment)
    _servers(facts, launched, bool(trainings), Place(path))
    mentions = [*launched.missing, *(mention for run in trainings for mention in _mentions(*run))]
    if not trainings and not any(known.value is not None for known in facts.known.values()) and not mentions:
        raise InputError(path, "no training command found", "accelerate launch, torchrun, srun, trl or python")
    return Part(
        facts,
        takes_defaults=any(started.launcher == "trl" for started, _ in trainings),
        mentions=tuple(dict.fromkeys(mentions)),
        command_line=_command_line(*trainings[0]) if trainings else None,
    )


def _is_training(started: Started) -> bool:
    if started.launcher in ("trl", "vllm"):
        return started.launcher == "trl" and started.script not in _OTHER_COMMANDS
    if started.launcher != "python":
        return started.script.endswith(".py") or UNKNOWN in started.script
    return started.script.endswith(".py") or _trl_script(started) in _TRAINERS


def _trl_script(started: Started) -> str:
    """Return the name of the script of TRL that `python -m trl.scripts.name` starts."""
    return started.module.removeprefix("trl.scripts.") if started.module.startswith("trl.scripts.") else ""


def _facts(started: Started, invocation: Invocation, launched: LaunchRuns) -> Facts:
    facts = launch_facts(started, invocation, directives=launched.directives)
    for name in _OF_OTHERS:
        facts.reasons.pop(f"plan.{name}", None)
        facts.open_at.pop(f"plan.{name}", None)
    if invocation.why_uncertain:
        for variable in [fact for fact in facts.known if fact.startswith("env.")]:
            facts.forget(variable, f"set only under a condition: {invocation.why_uncertain}", invocation.place)
    place = invocation.place
    options = options_of(started.arguments)
    for name, value in options.items():
        if isinstance(value, str) and UNKNOWN in value and (fact := fact_of(name)) is not None:
            facts.forget(fact, f"{place}: computed at run time", place)
    if started.launcher == "trl":
        if started.script in _TRAINERS:
            state(facts, "plan.trainer", _TRAINERS[started.script], place)
            state(facts, "plan.configuration", _CONFIGURATIONS[started.script], place)
        state_options(facts, options, place)
    return facts


def _merged(parts: Sequence[Facts]) -> Facts:
    """Return the facts that hold for every training command."""
    merged = parts[0] if parts else Facts()
    for other in parts[1:]:
        for name in {**merged.known, **other.known}:
            one, two = merged.known.get(name), other.known.get(name)
            if one is None or two is None or one.value != two.value:
                merged.forget(name, "the launch script has several training commands that differ")
        for name, reason in other.reasons.items():
            merged.forget(name, reason)
    return merged


def _servers(facts: Facts, launched: LaunchRuns, trains: bool, place: Place) -> None:
    serves = [run for run in launched.runs if run[0].launcher == "trl" and run[0].script == "vllm-serve"]
    for _, invocation in serves:
        devices = str(invocation.environment.values.get("CUDA_VISIBLE_DEVICES") or "")
        if devices and UNKNOWN not in devices:
            state(facts, "plan.server_devices", devices.split(","), invocation.place)
    if trains:
        state(facts, "plan.server_started", bool(serves), place)


def _mentions(started: Started, invocation: Invocation) -> Iterator[Mention]:
    place = invocation.place
    if started.launcher != "trl" and started.script and UNKNOWN not in started.script and started.script != "-":
        yield Mention(started.script, "script", place)
    file = config_file(started)
    if file is not None and UNKNOWN not in file:
        yield Mention(file, "accelerate", place)
    deepspeed = started.launcher_options.get("deepspeed_config_file")
    options = options_of(started.arguments)
    files = ((deepspeed, "deepspeed"), (options.get("config"), "settings"), (options.get("deepspeed"), "deepspeed"))
    for value, kind in files:
        if isinstance(value, str) and UNKNOWN not in value:
            yield Mention(value, kind, place)


def _command_line(started: Started, invocation: Invocation) -> CommandLine:
    options = {
        name: value
        for name, value in options_of(started.arguments).items()
        if value is True or (isinstance(value, str) and UNKNOWN not in value)
    }
    return CommandLine("" if started.launcher == "trl" else started.script, options, invocation.place)


def options_of(words: Sequence[str]) -> dict[str, str | bool]:
    """Return the options of a script by name, with ``_`` for ``-``. Multiple values are joined with commas."""
    options: dict[str, str | bool] = {}
    key = ""
    for word in words:
        if word.startswith("--") or re.fullmatch(r"-[A-Za-z]\w*", word):
            key, equals, value = word.lstrip("-").partition("=")
            key = key.replace("-", "_")
            options[key] = value.replace(UNKNOWN_WORDS, UNKNOWN) if equals else True
        elif word in (UNKNOWN, UNKNOWN_WORDS):
            # Usually an empty variable for optional arguments. It is not a second value of the preceding option.
            key = key if key and options[key] is True else ""
            if key:
                options[key] = UNKNOWN
        elif key:
            known = options[key]
            options[key] = word if known is True else f"{known},{word}"
    return options


def state_options(facts: Facts, options: Mapping[str, str | bool], place: Place) -> None:
    """Record the trainer's settings among the options of a command line."""
    for name, value in options.items():
        fact = fact_of(name)
        if fact is not None and (value is True or (isinstance(value, str) and UNKNOWN not in value)):
            state_text(facts, fact, value, place, f"--{name}")
