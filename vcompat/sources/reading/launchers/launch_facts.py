"""The facts of a launch: launcher, processes, devices, precision, sharding and environment variables.

The command line of a launcher outweighs its configuration file for every option. Assumptions: a machine on which
several processes are requested has several GPUs, and no default configuration of accelerate that allows only one
process; the variables ``PET_*``, which change torchrun's defaults, and DeepSpeed's hostfile ``/job/hostfile`` do
not exist unless the script sets them.
"""

from __future__ import annotations

from collections.abc import Mapping

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.sources.reading.commands.started import PROGRAMS, Started
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.frameworks.counts import state_processes
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.launchers import started_processes
from vcompat.sources.reading.launchers.accelerate_facts import accelerate_facts
from vcompat.sources.reading.launchers.accelerate_options import AccelerateOptions, Configuration, of_document, of_trl
from vcompat.sources.reading.launchers.started_processes import Counts
from vcompat.sources.reading.launchers.trl_words import has_unknown_options, options_of_accelerate
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import UNKNOWN, Word, readable

#: Options of accelerate that TRL's parser takes as settings of the trainer.
_OF_THE_TRAINER = frozenset(
    "debug gradient_accumulation_steps fsdp_min_num_params fsdp_transformer_layer_cls_to_wrap help".split()
)


def config_file(started: Started) -> Word | None:
    """Return the configuration file of accelerate that a command names; None if it names none.

    The names of TRL's own configurations are not files.
    """
    name = _launcher_options(started).get("config_file")
    if started.launcher == "trl":
        named = _value(started.arguments, "--accelerate_config")
        if isinstance(named, str) and of_trl(named) is not None:
            return None
        name = named if named is not None else name
    return None if isinstance(name, bool) else name


def launch_facts(
    started: Started,
    invocation: Invocation,
    *,
    accelerate: Document | None = None,
    directives: Mapping[str, Word] | None = None,
    defaults_known: bool = False,
) -> Facts:
    """Return the facts of a training command.

    `accelerate` is accelerate's configuration file: the one that the command names, else the user's default one.
    With `defaults_known`, the user has no default one if `accelerate` is None. `directives` are the options of the
    batch job, by long name.
    """
    facts = Facts()
    environment_facts(facts, invocation.environment)
    place = invocation.place
    if not started.launcher:
        for fact in ("launcher", "world_size", "num_machines", "processes_per_machine", "deepspeed_stage", "fsdp"):
            facts.forget(f"plan.{fact}", f"{place}: {started.why_open}", place)
        return facts
    if started.launcher in PROGRAMS:
        state_processes(facts, started.launcher, invocation.environment, place)
        _devices_of_environment(facts, invocation)
        return facts
    wrapper = started_processes.wrapping(started)
    launcher = wrapper if started.launcher == "python" and wrapper else started.launcher
    state(facts, "plan.launcher", "accelerate" if launcher == "trl" else launcher, place)
    if launcher in ("accelerate", "trl"):
        _devices_of_environment(facts, invocation)
        _of_accelerate(facts, _accelerate_options(started, place, accelerate, defaults_known), place)
        return facts
    counts = _counts(launcher, started, invocation.environment, directives or {})
    _record_counts(facts, counts, place)
    if launcher == "deepspeed":
        _devices_of_deepspeed(facts, counts, place)
    else:
        _devices_of_environment(facts, invocation)
    if launcher == "python" and invocation.environment.values.get("WORLD_SIZE") is not None:
        for fact in ("plan.world_size", "plan.num_machines", "plan.processes_per_machine"):
            facts.forget(fact, f"{place}: WORLD_SIZE is set, so that other processes are started elsewhere", place)
    return facts


def _of_accelerate(facts: Facts, options: AccelerateOptions, place: Place) -> None:
    for name in [name for name in facts.known if name.startswith("env.ACCELERATE_")]:
        facts.forget(name, f"{place}: accelerate sets it for its processes", place)
    facts.update(accelerate_facts(options))
    _open_without_gpus(facts, place)
    if options.get("gpu_ids") is None:
        _open_devices(facts, options.why_open, place)


def _counts(launcher: str, started: Started, environment: Environment, directives: Mapping[str, Word]) -> Counts:
    if launcher == "torchrun":
        return started_processes.of_torchrun(started, environment)
    if launcher == "deepspeed":
        return started_processes.of_deepspeed(started, environment)
    if launcher == "srun":
        return started_processes.of_srun(started, directives)
    if launcher == "mpirun":
        return started_processes.of_mpirun(started)
    return started_processes.one_process()


def _record_counts(facts: Facts, counts: Counts, place: Place) -> None:
    for fact, number in (
        ("plan.num_machines", counts.machines),
        ("plan.processes_per_machine", counts.each),
        ("plan.world_size", counts.total),
    ):
        if number is not None:
            state(facts, fact, number, place)
        else:
            facts.forget(fact, f"{place}: {counts.why}", place)


def _devices_of_deepspeed(facts: Facts, counts: Counts, place: Place) -> None:
    """Record the devices for which DeepSpeed sets the variable of its processes, whatever it was before."""
    if counts.devices is not None:
        state(facts, "plan.trainer_devices", list(counts.devices), place)
        facts.set("env.CUDA_VISIBLE_DEVICES", ",".join(counts.devices), f"{place}, set by DeepSpeed", place)
        return
    for fact in ("plan.trainer_devices", "env.CUDA_VISIBLE_DEVICES"):
        # Where it takes all, the command leaves nothing open: the machine decides.
        facts.forget(fact, f"{place}: DeepSpeed selects the devices", None if counts.takes_all else place)


def _open_without_gpus(facts: Facts, place: Place) -> None:
    """Leave open how many processes accelerate starts, if it may see less than two GPUs.

    Without --multi_gpu or a configuration it starts more than one only if torch sees several
    (``accelerate.commands.launch._validate_launch_command``).
    """
    name = "env.CUDA_VISIBLE_DEVICES"
    devices, world = facts.value(name), facts.value("plan.world_size")
    few = isinstance(devices, str) and len([one for one in devices.split(",") if one.strip()]) < 2
    if (
        facts.get("plan.distributed_type") is None
        and isinstance(world, int)
        and world > 1
        and (few or facts.is_open(name))
    ):
        for fact in ("plan.world_size", "plan.processes_per_machine"):
            facts.forget(fact, f"{place}: accelerate may see less than two GPUs, and then starts one process", place)


def _open_devices(facts: Facts, why: str, place: Place) -> None:
    """Leave open the devices that the caller's variable states: accelerate's `gpu_ids` would outweigh them.

    The option may be among words that are not known, or in the user's configuration file.
    """
    for fact in ("plan.trainer_devices", "env.CUDA_VISIBLE_DEVICES"):
        if facts.get(fact) is not None:
            facts.forget(fact, f"{place}: {why or 'gpu_ids is not known'}", place)


def _devices_of_environment(facts: Facts, invocation: Invocation) -> None:
    devices = invocation.environment.values.get("CUDA_VISIBLE_DEVICES")
    if devices and isinstance(devices, str):
        place = invocation.environment.places.get("CUDA_VISIBLE_DEVICES", invocation.place)
        state(facts, "plan.trainer_devices", devices.split(","), place)


def environment_facts(facts: Facts, environment: Environment) -> None:
    """Record the environment variables of a program that are facts."""
    if environment.others is Others.UNSET:
        facts.close("env")
    elif environment.others is Others.UNKNOWN:
        facts.forget("env", environment.why_open or "the environment is not known")
    for name, value in environment.values.items():
        if ENVIRONMENT.fullmatch(name) is None:
            continue
        fact, place = f"env.{name}", environment.places.get(name)
        if value is not None and not isinstance(value, str):
            facts.forget(fact, f"{place}: computed at run time" if place else "computed at run time", place)
        else:
            facts.set(fact, value, str(place or "launch script"), place)


def _launcher_options(started: Started) -> Mapping[str, Word | bool]:
    """Return the options of accelerate on the command line."""
    if started.launcher != "trl":
        return started.launcher_options
    found = options_of_accelerate(started.arguments)
    return {name: value for name, value in found.items() if name not in _OF_THE_TRAINER}


def _accelerate_options(
    started: Started, place: Place, document: Document | None, defaults_known: bool
) -> AccelerateOptions:
    given, why = _launcher_options(started), started.why_open
    config: Configuration | None = of_document(document) if document is not None else None
    named = config_file(started)
    if started.launcher == "trl":
        if has_unknown_options(started.arguments):
            why = why or "words that are not known are options of trl"
        own = of_trl(readable(_value(started.arguments, "--accelerate_config") or ""))
        config = own or config
        if config is None and _value(started.arguments, "--config") is not None:
            why = why or "TRL's configuration file can set it"
    if config is None and not why:
        if named is not None:
            why = f"{readable(named)} is not known"
        elif not defaults_known and not given.get("cpu"):
            why = "accelerate's default configuration file may set it"
    return AccelerateOptions(given, place, config, why)


def _value(words: tuple[Word, ...], option: str) -> Word | None:
    """Return the value of an option of `trl`."""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name.replace("-", "_") == option.replace("-", "_"):
            return value if equals else words[index + 1] if index + 1 < len(words) else UNKNOWN
    return None
