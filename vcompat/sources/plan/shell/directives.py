"""Directives of batch systems (``#SBATCH --nodes=2``) and the variables that Slurm sets for them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from vcompat.facts.facts import Place

_DIRECTIVE = re.compile(r"#(SBATCH|PBS|BSUB)\s+(.*)")
_SHORT = {"-N": "--nodes", "-n": "--ntasks", "-c": "--cpus-per-task", "-G": "--gpus", "-D": "--chdir"}


class Directive(NamedTuple):
    """One line of directives."""

    system: str
    """``SBATCH``, ``PBS`` or ``BSUB``."""
    options: tuple[str, ...]
    place: Place


def directives(text: str, path: str, line: int) -> Iterator[Directive]:
    """Yield the directives of a script. A batch system reads them up to the first command."""
    for number, content in enumerate(text.split("\n"), line):
        stripped = content.strip()
        if stripped and not stripped.startswith("#"):
            return
        if match := _DIRECTIVE.match(content):
            try:
                options = tuple(shlex.split(match[2], comments=True))
            except ValueError:
                options = (match[2].strip(),)
            yield Directive(match[1], options, Place(path, number, 1))


def slurm_options(found: Iterable[Directive]) -> dict[str, tuple[str, Place]]:
    """Return the options of ``#SBATCH`` lines by long name; the last one counts."""
    options: dict[str, tuple[str, Place]] = {}
    for directive in found:
        words = list(directive.options) if directive.system == "SBATCH" else []
        while words:
            word = words.pop(0)
            name, equals, value = word.partition("=")
            if not word.startswith("--") and word[:2] in _SHORT:
                name, value = _SHORT[word[:2]], word[2:].lstrip("=")
                equals = value
            if not equals and words and not words[0].startswith("-"):
                value = words.pop(0)
            options[name] = (value, directive.place)
    return options


def slurm_variables(options: Mapping[str, tuple[str, Place]]) -> dict[str, tuple[str, Place]]:
    """Return the variables that `sbatch` sets for the options of a job, by long name."""
    variables: dict[str, tuple[str, Place]] = {}
    for option, names in (
        ("--nodes", ("SLURM_NNODES", "SLURM_JOB_NUM_NODES")),
        ("--ntasks", ("SLURM_NTASKS", "SLURM_NPROCS")),
        ("--ntasks-per-node", ("SLURM_NTASKS_PER_NODE",)),
        ("--cpus-per-task", ("SLURM_CPUS_PER_TASK",)),
    ):
        if option in options and options[option][0].isdecimal():
            variables.update(dict.fromkeys(names, options[option]))
    for option in ("--gpus-per-node", "--gres"):
        if option not in options:
            continue
        value, place = options[option]
        number = gpus(value)
        if number is not None:
            variables["SLURM_GPUS_ON_NODE"] = (str(number), place)
            if option == "--gpus-per-node":
                variables["SLURM_GPUS_PER_NODE"] = (value, place)
    return variables


def gpus(value: str) -> int | None:
    """Return the number of GPUs in ``8``, ``h100:8``, ``gpu:8`` or ``gpu:h100:8``; None if it is something else."""
    match = re.fullmatch(r"(?:gpu:)?(?:[A-Za-z][\w.-]*:)?(\d{1,4})", value)
    return int(match[1]) if match else None
