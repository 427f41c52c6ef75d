"""Starts programs: those behind `env` and `nohup`, other shells, and programs whose output or files can be followed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.commands.wrappers import (
    BATCH,
    KEEPS_VARIABLES,
    LAUNCHING,
    TRANSPARENT,
    Changes,
    inner_of,
    keeps_variables,
    unwrapped,
)
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.shell.running import effects
from vcompat.sources.reading.shell.running.batch import submit
from vcompat.sources.reading.shell.running.execution import Machine, into
from vcompat.sources.reading.shell.running.searching import grep
from vcompat.sources.reading.shell.running.shells import SHELLS, run_script, run_shell_program
from vcompat.sources.reading.shell.running.targets import PROGRAMS as TARGETS
from vcompat.sources.reading.shell.words.shell_values import ONE, bounded, program_of, public
from vcompat.sources.reading.shell.words.state import EXPECTED, LIKELY, NO_MATTER, State, Variable
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, joined

_TRAINING = re.compile(
    r"python[\d.]*|torchrun|accelerate(-launch)?|deepspeed|trl|vllm|srun|mpirun|mpiexec|uv|ray|make|cmake"
    r"|modal|swift|megatron|llamafactory-cli|lmf|axolotl"
)
#: Programs that are expected to succeed.
_SUCCEEDING = frozenset(
    "mkdir cp mv ln touch chmod chown rm sleep pip pip3 conda mamba micromamba apt apt-get git wget curl tar unzip tee "
    "cat sed module ml huggingface-cli hf wandb aws gsutil rsync date hostname clear docker".split()
)
_SILENT = frozenset("mkdir cp mv ln touch chmod chown rm sleep".split())
#: Code that tests whether a package is there, and packages that no machine with NVIDIA's GPUs has.
_IMPORTING = re.compile(r"\s*import\s+([A-Za-z_]\w*)\s*;?\s*")
_OF_OTHER_ACCELERATORS = frozenset({"torch_npu", "torch_xla", "torch_mlu", "torch_musa", "habana_frameworks"})
#: What starts programs in another environment.
_ELSEWHERE = frozenset("docker podman nvidia-docker singularity apptainer ssh".split())
#: The number of nodes of a job whose names may be listed.
_NODES = re.compile(r"[1-9]\d?")
_LIBRARIES = ("LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "PATH")


def is_program(name: str) -> bool:
    """Return whether `name` is a program that scripts start by its name, and not a function of the user."""
    base = os.path.basename(name)
    return (
        "/" in name
        or base in effects.PROGRAMS
        or base in _SUCCEEDING
        or base in SHELLS
        or base in LAUNCHING
        or base in TRANSPARENT
        or base in BATCH
        or base in TARGETS
        or _TRAINING.fullmatch(base) is not None
    )


def start(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    """Start a program in the environment of `state`."""
    name = program_of(words[0])
    if (name in ("conda", "mamba", "micromamba") and words[1:2] and words[1] in ("activate", "deactivate")) or (
        name in ("module", "ml")
    ):
        return _activated(name, state, place)
    plain = unwrapped(list(map(public, words)))
    rest = words[len(words) - len(plain.words) :]
    inner = state
    if plain.changes:
        inner = state.copy()
        for changes in plain.changes:
            _change(inner, changes, place)
    if not rest:
        # `env` alone prints the environment.
        state.output += UNKNOWN
        state.status = None
        return state
    if len(rest) < len(words) and not isinstance(rest[0], str):
        inner = inner.copy()
    _run(machine, rest, inner, place)
    if inner is not state:
        state.files, state.output = dict(inner.files), inner.output
        state.status, state.success = inner.status, inner.success
    return state


def _activated(name: str, state: State, place: Place) -> State:
    """Change what activating an environment or loading a module changes."""
    for variable in _LIBRARIES if name in ("module", "ml") else ("PATH",):
        state.set(variable, UNKNOWN, place)
        state.variables[variable] = Variable(UNKNOWN, None, place)
    state.status, state.success = None, EXPECTED
    return state


def _change(state: State, changes: Changes, place: Place) -> None:
    if changes.cleared:
        state.variables.clear()
        state.others = Others.UNSET
    if changes.replaced or changes.opened:
        state.variables.clear()
        state.others, state.why_open = Others.UNKNOWN, f"{place}: the environment of sudo or env is not known"
    for name in changes.unset:
        if isinstance(name, str):
            state.variables[name] = Variable(None, False, place)
    for variable, value in changes.values.items():
        state.variables[variable] = Variable(value, True, place)
    if changes.folder:
        state.folder = into(state.folder, changes.folder) if isinstance(state.folder, str) else UNKNOWN


def _run(machine: Machine, words: Sequence[Word], state: State, place: Place) -> None:
    name = program_of(words[0])
    state.status = None
    state.success = EXPECTED if name in _SUCCEEDING else LIKELY if _TRAINING.fullmatch(name) else NO_MATTER
    for follow in (_FIRST.get(name), _script, _launched, _LAST.get(name), _imports):
        if follow is not None and follow(machine, words, state, place):
            return
    machine.invoke(words, state, place, state.environment())
    if not (name == "scontrol" and _prints_hosts(machine, words, state)) and not effects.run(words, state):
        state.output = bounded(state.output + ("" if name in _SILENT else UNKNOWN))


def _script(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    return "/" in words[0] and run_script(machine, words, state, place)


def _launched(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Run a shell, or what another wrapper starts, behind a launcher such as `srun`."""
    wrapped = inner_of(list(map(public, words)), LAUNCHING)
    if wrapped is None or not (wrapped.certain or state.presumed is not None):
        return False
    name, rest = program_of(words[0]), words[wrapped.start :]
    if name == "ssh":
        rest = ("bash", "-c", joined(" ", rest))
    is_shell = program_of(rest[0]) in SHELLS or rest[0].endswith((".sh", ".bash"))
    if not is_shell and not inner_of(list(map(public, rest)), TRANSPARENT):
        return False
    if not _wrapped(machine, words[: wrapped.start], rest, state, place):
        return False
    if not wrapped.certain and state.presumed is not None:
        text = f"words of {name} that are not known are its options"
        state.presumed.append(Presumption(CALLER, text, place))
    return True


def _prints_hosts(machine: Machine, words: Sequence[Word], state: State) -> bool:
    """Run `scontrol show hostnames` in a job with a known number of nodes: it prints one name for each."""
    number = state.get("SLURM_NNODES")
    if list(words[1:3]) not in (["show", "hostnames"], ["show", "hostname"]) or len(words) > 4:
        return False
    if len(words) == 4 and machine.spelling(words[3]).strip("${}") not in ("SLURM_JOB_NODELIST", "SLURM_NODELIST"):
        return False
    if not isinstance(number, str) or number != state.get("SLURM_JOB_NUM_NODES") or not _NODES.fullmatch(number):
        return False
    state.output = bounded(state.output + joined("", [ONE, "\n"] * int(number)))
    return True


def _imports(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Presume of `python -c "import X"` that X is installed, but for the packages of other accelerators."""
    is_code = len(words) == 3 and words[1] == "-c" and re.fullmatch(r"python[\d.]*", program_of(words[0]))
    code = words[2] if is_code else ""
    match = _IMPORTING.fullmatch(code) if isinstance(code, str) else None
    if match is None or state.presumed is None:
        return False
    name = match[1]
    is_there = name not in _OF_OTHER_ACCELERATORS
    state.status = 0 if is_there else 1
    state.presumed.append(Presumption(CALLER, f"{name} is {'' if is_there else 'not '}installed", place))
    return True


def _wrapped(machine: Machine, outer: Sequence[Word], rest: Sequence[Word], state: State, place: Place) -> bool:
    """Run a shell that a launcher such as `srun` starts. The programs in it are started by the launcher."""
    before = machine.prefix
    machine.prefix = (*before, *outer)
    copy = state.copy()
    in_container = program_of(outer[0]) in _ELSEWHERE
    if state.presumed is not None and program_of(outer[0]) in KEEPS_VARIABLES and keeps_variables(outer):
        state.presumed.append(Presumption(CALLER, "the image changes no variable that is set outside", place))
    elif in_container:
        where = "on the other machine" if program_of(outer[0]) == "ssh" else "in the container"
        copy.variables.clear()
        copy.others, copy.why_open = Others.UNKNOWN, f"{place}: the environment {where} is not known"
        copy.folder = UNKNOWN
    try:
        count = len(machine.invocations)
        _run_inner(machine, rest, copy, place)
        followed = len(machine.invocations) > count or machine.muted > 0
    finally:
        machine.prefix = before
    for name, text in copy.files.items():
        # The folder of a file in a container may be one of this machine.
        state.files[name] = text if not in_container or state.files.get(name) == text else None
    if followed:
        # The launcher may print, start it several times, or fail itself.
        state.output = bounded(state.output + UNKNOWN)
    return followed


def _run_inner(machine: Machine, words: Sequence[Word], state: State, place: Place) -> None:
    plain = unwrapped(list(map(public, words)))
    for changes in plain.changes:
        _change(state, changes, place)
    if plain.words:
        _run(machine, words[len(words) - len(plain.words) :], state, place)


def _xargs(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    index = 1
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in ("-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s") else 1
    machine.invoke(words, state, place, state.environment())
    if index < len(words) and not effects.is_harmless(words[index]):
        with machine.uncertain(f"{place}: started by xargs, as in a loop"):
            machine.invoke((*words[index:], UNKNOWN_WORDS), state, place, state.environment())
    state.output = bounded(state.output + UNKNOWN)
    return True


#: What follows programs by their names: before a file of that name, or a launcher, is looked for, and afterwards.
_FIRST: Mapping[str, Callable[[Machine, Sequence[Word], State, Place], bool]] = {
    **dict.fromkeys(SHELLS, run_shell_program),
    **TARGETS,
    "sbatch": submit,
}
_LAST: Mapping[str, Callable[[Machine, Sequence[Word], State, Place], bool]] = {
    "xargs": _xargs,
    "grep": grep,
    "egrep": grep,
    **dict.fromkeys(("cp", "cat", "sed"), effects.of_files),
}
