"""How many processes torchrun, DeepSpeed, srun and mpirun start."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from vcompat.sources.reading.commands.started import Started
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.word import UNKNOWN, Word, as_one, base_name, readable

_MPI = frozenset("mpirun mpiexec orterun prterun mpiexec.hydra mpirun.real".split())
_SRUN_NAMES = {"-N": "--nodes", "-n": "--ntasks"}


class Counts(NamedTuple):
    """Numbers of processes; None for those that are not known."""

    machines: int | None = None
    each: int | None = None
    total: int | None = None
    devices: tuple[str, ...] | None = None
    """The devices of the processes, if the launcher selects them."""
    why: str = ""
    """Why a number is not known."""
    takes_all: bool = False
    """Whether the launcher takes all devices of the machine."""


def one_process() -> Counts:
    """Return the counts of a program that is started once."""
    return Counts(1, 1, 1)


def of_torchrun(started: Started, environment: Environment) -> Counts:
    """Return the processes of torchrun. Its defaults come from the variables PET_NNODES and PET_NPROC_PER_NODE."""
    machines = _torchrun_number(started, environment, "nnodes")
    each = _torchrun_number(started, environment, "nproc_per_node")
    return _with_total(machines, each, started.why_open or "torchrun gets it at run time")


def _torchrun_number(started: Started, environment: Environment, name: str) -> int | None:
    value = started.launcher_options.get(name)
    if value is None:
        if started.why_open:
            return None
        value = _variable(environment, f"PET_{name.upper()}", "1")
    text = value if not isinstance(value, bool) else ""
    first, colon, last = text.partition(":")
    if (colon and first != last) or not isinstance(first, str):
        return None  # An elastic job, or not known.
    return int(first) if first.isdecimal() and len(first) < 8 else None


def _variable(environment: Environment, name: str, default: str) -> Word:
    """Return a variable that is hardly ever set; UNKNOWN if the script may set it."""
    if name in environment.values:
        value = environment.values[name]
        return default if value is None else value
    return UNKNOWN if environment.others is Others.UNKNOWN else default


def _with_total(machines: int | None, each: int | None, why: str, devices: tuple[str, ...] | None = None) -> Counts:
    total = machines * each if machines is not None and each is not None else None
    return Counts(machines, each, total, devices, why)


def of_deepspeed(started: Started, environment: Environment) -> Counts:
    """Return the processes of DeepSpeed's launcher: one for each device of its machines."""
    options = started.launcher_options
    nodes, gpus = _number(options.get("num_nodes")), _number(options.get("num_gpus"))
    if started.why_open:
        return Counts(nodes, gpus, None, why=started.why_open)
    if "hostfile" in options or "num_nodes" in options:
        return _with_total(nodes or None, gpus or None, "it is in a hostfile", _first(gpus))
    if "num_gpus" in options:
        return _with_total(1, gpus or None, "it is not constant", _first(gpus))
    if "include" in options:
        included = options["include"]
        return _included("" if isinstance(included, bool) else included)
    if "exclude" in options:
        return Counts(1, why="DeepSpeed excludes devices of the machine")
    visible = environment.values.get("CUDA_VISIBLE_DEVICES")
    if visible and isinstance(visible, str):
        return _included(f"localhost:{visible}")
    return Counts(1, why="DeepSpeed starts one process per GPU", takes_all=not visible)


def _first(number: int | None) -> tuple[str, ...] | None:
    return tuple(map(str, range(number))) if number and number < 100 else None


def _included(text: Word) -> Counts:
    """Return the processes for ``--include host:0,1``."""
    host, _, slots = text.partition(":")
    several = "@" in text or not isinstance(text, str)
    if several or not isinstance(slots, str) or not re.fullmatch(r"\d+(,\d+)*", slots):
        return Counts(None if several else 1, why=f"DeepSpeed includes {readable(host)}")
    devices = tuple(slots.split(","))
    return Counts(1, len(devices), len(devices), devices)


def _number(value: Word | bool | None) -> int | None:
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 8 else None


# srun and mpirun.


def wrapping(started: Started) -> str:
    """Return the launcher around the program that starts processes: ``srun``, ``mpirun``; empty if there is none."""
    for word in started.wrapped_by:
        name = base_name(word)
        if name == "srun":
            return "srun"
        if name in _MPI:
            return "mpirun"
    return ""


#: What counts in the options of srun and of a batch job.
_COUNTING = ("--nodes", "--ntasks", "--ntasks-per-node")


def of_srun(started: Started, directives: Mapping[str, Word]) -> Counts:
    """Return the tasks of srun. `directives` are the options of the job, by long name."""
    own = _long_options(_after(started.wrapped_by, {"srun"}))
    if not started.wrapper_certain:
        return Counts(why="words that are not known are options of srun")
    if not own and not directives:
        return Counts(why="it is set where the job is submitted")
    nodes = own.get("--nodes", directives.get("--nodes"))
    total = own.get("--ntasks", directives.get("--ntasks") if "--ntasks-per-node" not in own else None)
    each = own.get("--ntasks-per-node", directives.get("--ntasks-per-node") if "--ntasks" not in own else None)
    machines = _number(nodes)
    if nodes is None and total is None and directives:
        machines = 1
    if total is not None:
        tasks = _number(total)
        split = tasks // machines if tasks and machines and tasks % machines == 0 else None
        return Counts(machines, split, tasks, why="srun gets it at run time")
    if each is None:
        # One task per machine.
        return Counts(machines, 1, machines, why="srun gets it at run time")
    return _with_total(machines, _number(each), "srun gets it at run time")


def of_mpirun(started: Started) -> Counts:
    """Return the processes of mpirun."""
    words = _after(started.wrapped_by, _MPI)
    if not started.wrapper_certain:
        return Counts(why="words that are not known are options of mpirun")
    options = dict(itertools.pairwise(words))
    total = next((options[name] for name in ("-n", "-np", "--np", "--n", "-c") if name in options), None)
    names = ("--npernode", "-npernode", "-ppn", "--ppn", "-perhost", "-N")
    each = next((options[name] for name in names if name in options), None)
    tasks, per = _number(total), _number(each)
    machines = tasks // per if tasks and per and tasks % per == 0 else None
    return Counts(machines, per, tasks, why="mpirun gets it at run time")


def _after(words: Sequence[Word], names: Set[str]) -> Sequence[Word]:
    """Return the words after the launcher, which has one of `names`."""
    start = next(index for index, word in enumerate(words) if base_name(word) in names)
    return words[start + 1 :]


def _long_options(words: Sequence[Word]) -> dict[Word, Word]:
    options: dict[Word, Word] = {}
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            letter, value = word[:2], word[2:].removeprefix("=")
            name = _SRUN_NAMES.get(letter, "") if isinstance(letter, str) else ""
            equals = "=" if value else ""
        if name in _COUNTING:
            text = value if equals else words[index + 1] if index + 1 < len(words) else UNKNOWN
            options[name] = as_one(text)
    return options
