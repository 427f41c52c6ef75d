"""How many processes torchrun, DeepSpeed, srun and mpirun start."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Environment, Others
from vcompat.sources.plan.started import Started

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


def one_process() -> Counts:
    """Return the counts of a program that is started once."""
    return Counts(1, 1, 1)


def of_torchrun(started: Started, environment: Environment) -> Counts:
    """Return the processes of torchrun. Its defaults come from the variables PET_NNODES and PET_NPROC_PER_NODE."""
    machines = _torchrun_number(started, environment, "nnodes")
    each = _torchrun_number(started, environment, "nproc_per_node")
    return _with_total(Counts(machines, each, None, why=started.why_open or "torchrun gets it at run time"))


def _torchrun_number(started: Started, environment: Environment, name: str) -> int | None:
    value = started.launcher_options.get(name)
    if value is None:
        if started.why_open:
            return None
        value = _variable(environment, f"PET_{name.upper()}", "1")
    text = str(value)
    first, colon, last = text.partition(":")
    if colon and first != last:
        return None  # An elastic job.
    return int(first) if first.isdigit() and len(first) < 8 else None


def _variable(environment: Environment, name: str, default: str) -> str:
    """Return a variable that is hardly ever set; UNKNOWN if the script may set it."""
    if name in environment.values:
        value = environment.values[name]
        return default if value is None else value
    return UNKNOWN if environment.others is Others.UNKNOWN else default


def _with_total(counts: Counts) -> Counts:
    if counts.total is None and counts.machines is not None and counts.each is not None:
        return counts._replace(total=counts.machines * counts.each)
    return counts


def of_deepspeed(started: Started, environment: Environment) -> Counts:
    """Return the processes of DeepSpeed's launcher: one for each device of its machines."""
    options = started.launcher_options
    if started.why_open:
        return Counts(_number(options.get("num_nodes")), _number(options.get("num_gpus")), None, why=started.why_open)
    nodes, gpus = _number(options.get("num_nodes")), _number(options.get("num_gpus"))
    if "hostfile" in options or "num_nodes" in options:
        several = nodes if nodes is not None and nodes > 0 else None
        each = gpus if gpus and gpus > 0 else None
        return _with_total(Counts(several, each, None, _first(gpus), "it is in a hostfile"))
    if "num_gpus" in options:
        return _with_total(Counts(1, gpus if gpus and gpus > 0 else None, None, _first(gpus), "it is not constant"))
    if "include" in options:
        return _included(str(options["include"]))
    if "exclude" in options:
        return Counts(1, None, None, None, "DeepSpeed excludes devices of the machine")
    visible = environment.values.get("CUDA_VISIBLE_DEVICES")
    if visible and UNKNOWN not in visible:
        return _included(f"localhost:{visible}")
    return Counts(1, None, None, None, "DeepSpeed starts one process per GPU")


def _first(number: int | None) -> tuple[str, ...] | None:
    return tuple(map(str, range(number))) if number is not None and 0 < number < 100 else None


def _included(text: str) -> Counts:
    """Return the processes for ``--include host:0,1``."""
    host, colon, slots = text.partition(":")
    if UNKNOWN in text or "@" in text or not colon or not re.fullmatch(r"\d+(,\d+)*", slots):
        return Counts(None if "@" in text or UNKNOWN in text else 1, None, None, None, f"DeepSpeed includes {host}")
    devices = tuple(slots.split(","))
    return Counts(1, len(devices), len(devices), devices)


def _number(value: str | bool | None) -> int | None:
    return int(value) if isinstance(value, str) and value.isdigit() and len(value) < 8 else None


# srun and mpirun.


def wrapping(started: Started) -> str:
    """Return the launcher around the program that starts processes: ``srun``, ``mpirun``; empty if there is none."""
    for word in started.wrapped_by:
        name = os.path.basename(word)
        if name == "srun":
            return "srun"
        if name in _MPI:
            return "mpirun"
    return ""


def of_srun(started: Started, directives: Mapping[str, str]) -> Counts:
    """Return the tasks of srun. `directives` are the options of the job, by long name."""
    own = _long_options(_after(started.wrapped_by, "srun"))
    if not started.wrapper_certain:
        return Counts(why="words that are not known are options of srun")
    known = any(name in own or name in directives for name in ("--nodes", "--ntasks", "--ntasks-per-node"))
    if not known and not directives:
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
    return _with_total(Counts(machines, _number(each), None, why="srun gets it at run time"))


def of_mpirun(started: Started) -> Counts:
    """Return the processes of mpirun."""
    words = _after(started.wrapped_by, "")
    if not started.wrapper_certain:
        return Counts(why="words that are not known are options of mpirun")
    options = dict(itertools.pairwise(words))
    total = next((options[name] for name in ("-n", "-np", "--np", "--n", "-c") if name in options), None)
    names = ("--npernode", "-npernode", "-ppn", "--ppn", "-perhost", "-N")
    each = next((options[name] for name in names if name in options), None)
    tasks, per = _number(total), _number(each)
    machines = tasks // per if tasks and per and tasks % per == 0 else None
    return Counts(machines, per, tasks, why="mpirun gets it at run time")


def _after(words: Sequence[str], name: str) -> Sequence[str]:
    """Return the words after the launcher `name`, or after mpirun."""
    for index, word in enumerate(words):
        base = os.path.basename(word)
        if base == name or (not name and base in _MPI):
            return words[index + 1 :]
    return ()


def _long_options(words: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            name, value = _SRUN_NAMES.get(word[:2], ""), word[2:].removeprefix("=")
            equals = value
        if name in ("--nodes", "--ntasks", "--ntasks-per-node"):
            text = value if equals else words[index + 1] if index + 1 < len(words) else UNKNOWN
            options[name] = text.replace(UNKNOWN_WORDS, UNKNOWN)
    return options
