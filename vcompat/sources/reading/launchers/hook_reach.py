"""Whether what `vcompat run` sets in the environment reaches the Python of a training command."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from vcompat.sources.probe.shared_folder import is_shared
from vcompat.sources.reading.commands.started import PYTHON
from vcompat.sources.reading.commands.wrappers import KEEPS_VARIABLES
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.launchers import started_processes
from vcompat.sources.reading.starts import Start
from vcompat.sources.reading.word import Word, base_name, readable

#: Options of Python, alone or together, with which it ignores PYTHONPATH or does not import sitecustomize.
_ALONE = re.compile(r"-[A-Za-z]*[EIS]")
#: Options whose value is the next word.
_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})


#: Options of mpirun that name machines.
_HOSTS = frozenset("-H -host --host -hosts --hosts -hostfile --hostfile -machinefile --machinefile -f".split())


def why_not_reached(start: Start, machines: int | None, hook: str) -> str:
    """Return why the Python of a command does not get the patches, by the folder `hook` on PYTHONPATH; else empty.

    `machines` is the number of machines of the run; None if it is not known.
    """
    option = _isolating(start.invocation.words)
    if option:
        return f"python {option} does not import sitecustomize"
    container = next((name for name in map(base_name, start.started.wrapped_by) if name in KEEPS_VARIABLES), "")
    if container:
        return f"the container of {readable(container)} may have no {hook}"
    return _lost(start.invocation.environment, hook) or _elsewhere(start, machines, hook)


def _elsewhere(start: Start, machines: int | None, hook: str) -> str:
    """Return why processes on other machines, if the command starts them, do not get the patches; else empty."""
    starter = _starts_elsewhere(start, machines)
    if not starter:
        return ""
    if starter == "mpirun":
        return "mpirun may start it on other machines without PYTHONPATH"
    # The others have the same file at the same path, which they execute.
    return "" if is_shared(hook) else f"{starter} may start it on other machines, which may have no {hook}"


def _starts_elsewhere(start: Start, machines: int | None) -> str:
    """Return which program may start the command on other machines than this one; empty if none does.

    DeepSpeed's launcher passes PYTHONPATH on, and in a process of the run also what the patches need. accelerate passes
    on every variable if it uses that launcher. torchrun starts processes on this machine only.
    """
    started, values = start.started, start.invocation.environment.values
    wrapper = started_processes.wrapping(started)
    allocated = values.get("SLURM_JOB_NUM_NODES") or values.get("SLURM_NNODES")
    if wrapper == "srun":
        known = started_processes.of_srun(started, start.directives).machines
        return "" if known == 1 or (known is None and allocated == "1") else "srun"
    if wrapper == "mpirun":
        names_hosts = any(word.partition("=")[0] in _HOSTS for word in started.wrapped_by)
        return "mpirun" if names_hosts or allocated not in (None, "1") else ""
    if started.launcher == "deepspeed" and machines != 1:
        return "deepspeed"
    if started.launcher == "accelerate" and "deepspeed_hostfile" in started.launcher_options and machines != 1:
        return "accelerate"
    return ""


def _lost(environment: Environment, hook: str) -> str:
    if environment.others is not Others.INHERITED:
        return environment.why_open or "the command starts with another environment"
    path = environment.values.get("PYTHONPATH")
    if not path or hook not in path.split(os.pathsep):
        place = environment.places.get("PYTHONPATH")
        return f"PYTHONPATH is set without its former value{f' at {place}' if place else ''}"
    return ""


def _isolating(words: Sequence[Word]) -> str:
    """Return the option of the first Python in `words` that keeps sitecustomize away; empty if there is none."""
    for index, word in enumerate(words):
        if PYTHON.fullmatch(readable(base_name(word))):
            return _option_of(words[index + 1 :])
    return ""


def _option_of(words: Sequence[Word]) -> str:
    skip = False
    for word in map(readable, words):
        if skip:
            skip = False
        elif not word.startswith("-") or re.match(r"-[A-Za-z]*[cm]", word) or word in ("-", "--"):
            return ""
        elif word in _WITH_VALUE:
            skip = True
        elif not word.startswith(("--", "-W", "-X")) and _ALONE.match(word):
            return word
    return ""
