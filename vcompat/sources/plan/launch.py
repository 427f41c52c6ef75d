"""Reads launch scripts (shell and Slurm): processes, training script, options, files and environment variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_text
from vcompat.sources.plan.command_line import Started, known, options_of, read_command
from vcompat.sources.plan.old_shell import UNKNOWN, Command, Directive, read_shell
from vcompat.sources.plan.part import CommandLine, Mention, Part
from vcompat.sources.plan.settings import fact_of, state, state_text

#: Maximum file size in bytes. Launch scripts have a few kilobytes.
SIZE_LIMIT = 1_000_000

#: The built-in configurations of `trl ... --accelerate_config NAME`, with the ZeRO stage of each.
_TRL_CONFIGS: Mapping[str, int] = {"zero1": 1, "zero2": 2, "zero3": 3, "multi_gpu": 0, "single_gpu": 0}
_FSDP_CONFIGS: Mapping[str, int] = {"fsdp1": 1, "fsdp2": 2}
_TRAINERS = {"grpo": "GRPOTrainer", "rloo": "RLOOTrainer"}
_CONFIGURATIONS = {"grpo": "GRPOConfig", "rloo": "RLOOConfig"}


def read_launch(path: str) -> Part:
    """Read the launch script at `path`. Raises InputError if it is not a text file or does not start training."""
    text = read_text(path, SIZE_LIMIT, "a launch script")
    reader = _Reader(path)
    for item in read_shell(text, reader.exported):
        if isinstance(item, Directive):
            reader.directive(item)
        else:
            reader.command(item)
    if not reader.started and not reader.facts.known and not reader.mentions:
        raise InputError(path, "no training command found", "accelerate launch, torchrun, srun, trl or python")
    if reader.started:
        state(reader.facts, "plan.server_started", reader.serves, Place(path))
    return Part(
        reader.facts,
        takes_defaults=reader.is_trl_command,
        mentions=tuple(reader.mentions),
        command_line=reader.command_line,
    )


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.facts = Facts()
        self.slurm: dict[str, str | bool] = {}
        self.mentions: list[Mention] = []
        self.command_line: CommandLine | None = None
        self.started = False
        self.serves = False
        self.is_trl_command = False
        self.exported: dict[str, str] = {}

    def directive(self, directive: Directive) -> None:
        """Record a batch directive, and the variables that Slurm sets for it."""
        self.slurm.update(options_of(directive.options))
        nodes = known(self.slurm.get("nodes", self.slurm.get("N")))
        tasks = known(self.slurm.get("ntasks_per_node"))
        gpus = known(self.slurm.get("gpus_per_node", self.slurm.get("gres")))
        if nodes is not None:
            self.exported.update(SLURM_NNODES=nodes, SLURM_JOB_NUM_NODES=nodes)
        if tasks is not None:
            self.exported.update(SLURM_NTASKS_PER_NODE=tasks)
        if gpus is not None:
            self.exported.update(SLURM_GPUS_ON_NODE=gpus.rpartition(":")[2], SLURM_GPUS_PER_NODE=gpus)

    def command(self, command: Command) -> None:
        place = Place(self.path, command.line, 1)
        if command.words[0] in ("export", "declare"):
            self._export(command, place)
        elif command.words[0] in ("source", ".") and len(command.words) > 1 and UNKNOWN not in command.words[1]:
            if command.words[1].endswith((".sh", ".env", ".bash")):
                self.mentions.append(Mention(command.words[1], "launch", place))
        elif (started := read_command(command.words)) is not None:
            if started.launcher == "trl" and started.script == "vllm-serve":
                self._server(command, place)
            elif self._is_training(started):
                self._training(started, command, place)

    def _export(self, command: Command, place: Place) -> None:
        for word in command.words[1:]:
            name, equals, value = word.partition("=")
            if equals and ENVIRONMENT.fullmatch(name):
                self._variable(name, value, place, command.certain)

    def _variable(self, name: str, value: str, place: Place, certain: bool) -> None:
        if UNKNOWN in value:
            self.facts.forget(f"env.{name}", f"{place}: computed at run time", place)
        elif not certain:
            self.facts.forget(f"env.{name}", f"{place}: set only under a condition; it may be {value!r}", place)
        else:
            self.facts.set(f"env.{name}", value, str(place), place)

    def _is_training(self, started: Started) -> bool:
        """Return whether this is the training command: one with a launcher, or the first Python command."""
        if started.launcher == "trl":
            return started.script not in ("env", "vllm-serve", "chat")
        if started.launcher != "python":
            return started.script.endswith(".py") or UNKNOWN in started.script
        return started.script.endswith(".py") and not self.started

    def _server(self, command: Command, place: Place) -> None:
        self.serves = True
        devices = command.variables.get("CUDA_VISIBLE_DEVICES", self.exported.get("CUDA_VISIBLE_DEVICES", ""))
        if devices and UNKNOWN not in devices:
            state(self.facts, "plan.server_devices", devices.split(","), place)

    def _training(self, started: Started, command: Command, place: Place) -> None:
        self.started = True
        for name, value in command.variables.items():
            if ENVIRONMENT.fullmatch(name):
                self._variable(name, value, place, command.certain)
        devices = command.variables.get("CUDA_VISIBLE_DEVICES", self.exported.get("CUDA_VISIBLE_DEVICES", ""))
        if devices and UNKNOWN not in devices:
            state(self.facts, "plan.trainer_devices", devices.split(","), place)
        self._processes(started, place)
        if started.launcher == "trl":
            self._trl(started, place)
        elif UNKNOWN not in started.script:
            self.mentions.append(Mention(started.script, "script", place))
        for name in ("config_file", "deepspeed_config_file"):
            if (file := known(started.launcher_options.get(name))) is not None:
                self.mentions.append(Mention(file, "accelerate" if name == "config_file" else "deepspeed", place))
        options = {name: value for name, value in started.options.items() if value is True or known(value) is not None}
        for name, kind in (("config", "settings"), ("deepspeed", "deepspeed")):
            if (file := known(options.get(name))) is not None:
                self.mentions.append(Mention(file, kind, place))
        for name in started.options.keys() - options.keys():
            if (fact := fact_of(name)) is not None:
                self.facts.forget(fact, f"{place}: computed at run time", place)
        self.command_line = CommandLine("" if started.launcher == "trl" else started.script, options, place)

    def _trl(self, started: Started, place: Place) -> None:
        self.is_trl_command = True
        if started.script in _TRAINERS:
            state(self.facts, "plan.trainer", _TRAINERS[started.script], place)
            state(self.facts, "plan.configuration", _CONFIGURATIONS[started.script], place)
        state(self.facts, "plan.launcher", "accelerate", place, "started by `trl`")
        state_options(self.facts, started.options, place)
        name = known(started.options.get("accelerate_config"))
        if name is not None and name in _TRL_CONFIGS:
            state(self.facts, "plan.deepspeed_stage", _TRL_CONFIGS[name], place, f"accelerate_config {name}")
            if name == "single_gpu":
                state(self.facts, "plan.world_size", 1, place, f"accelerate_config {name}")
        elif name is not None and name in _FSDP_CONFIGS:
            state(self.facts, "plan.fsdp_version", _FSDP_CONFIGS[name], place, f"accelerate_config {name}")
            state(self.facts, "plan.fsdp", name, place, f"accelerate_config {name}")
        elif name is not None:
            self.mentions.append(Mention(name, "accelerate", place))

    def _processes(self, started: Started, place: Place) -> None:
        options = {**(started.options if started.launcher == "trl" else {}), **started.launcher_options}
        machines, each, total = self._counts(started, options)
        launcher = "srun" if started.launcher == "python" and "srun" in started.wrapped_by else started.launcher
        if launcher != "trl":
            state(self.facts, "plan.launcher", launcher, place)
        if launcher == "python":
            machines, each = 1, 1
        if total is None and each is not None and machines is not None:
            total = each * machines
        for fact, number in (
            ("plan.num_machines", machines),
            ("plan.processes_per_machine", each),
            ("plan.world_size", total),
        ):
            if number is not None:
                state(self.facts, fact, number, place)
        if (precision := known(options.get("mixed_precision"))) is not None:
            state(self.facts, "plan.mixed_precision", precision, place)
        if (stage := known(options.get("zero_stage"))) is not None:
            state_text(self.facts, "plan.deepspeed_stage", stage, place)

    def _counts(self, started: Started, options: Mapping[str, str | bool]) -> tuple[int | None, int | None, int | None]:
        """Return the number of machines, processes per machine and total processes; None for those not stated."""
        if started.launcher in ("accelerate", "trl"):
            return _number(options.get("num_machines")), None, _number(options.get("num_processes"))
        if started.launcher == "torchrun":
            machines = _number(options.get("nnodes")) if "nnodes" in options else 1
            each = _number(options.get("nproc_per_node")) if "nproc_per_node" in options else 1
            return machines, each, None
        if started.launcher == "deepspeed":
            return _number(options.get("num_nodes")), _number(options.get("num_gpus")), None
        if "srun" in started.wrapped_by:
            slurm = {**self.slurm, **options_of(started.wrapped_by)}
            machines = _number(slurm.get("nodes", slurm.get("N", "1")))
            each = _number(slurm.get("ntasks_per_node"))
            return machines, each, _number(slurm.get("ntasks", slurm.get("n")))
        return None, None, None


def state_options(facts: Facts, options: Mapping[str, str | bool], place: Place) -> None:
    """Record the trainer's settings among the options of a command line."""
    for name, fact, value in _settings(options):
        state_text(facts, fact, value, place, f"--{name}")


def _settings(options: Mapping[str, str | bool]) -> Iterator[tuple[str, str, str | bool]]:
    for name, value in options.items():
        fact = fact_of(name)
        if fact is not None and (value is True or known(value) is not None):
            yield name, fact, value


def _number(value: str | bool | None) -> int | None:
    text = known(value)
    return int(text) if text is not None and text.isdigit() else None
