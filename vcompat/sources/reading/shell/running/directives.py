"""Directives of batch systems (``#SBATCH --nodes=2``) and the variables that Slurm sets for them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.word import Word, mapped, readable

_DIRECTIVE = re.compile(r"#(SBATCH|PBS|BSUB)\s+(.*)")
_SHORT = {"-N": "--nodes", "-n": "--ntasks", "-c": "--cpus-per-task", "-G": "--gpus", "-D": "--chdir"}


class Directive(NamedTuple):
    """One line of directives."""

    system: str
    """``SBATCH``, ``PBS`` or ``BSUB``."""
    options: tuple[Word, ...]
    place: Place


def directives(text: Word, path: str, line: int) -> Iterator[Directive]:
    """Yield the directives of a script. A batch system reads them up to the first command."""
    for number, content in enumerate(text.split("\n"), line):
        stripped = content.strip()
        if stripped and not stripped.startswith("#"):
            return
        if words := mapped(content, _words):
            yield Directive(readable(words[0]), tuple(words[1:]), Place(path, number, 1))


def _words(line: str) -> list[str]:
    """Return the system and the options of a line of directives; none if it is another line."""
    match = _DIRECTIVE.match(line)
    if match is None:
        return []
    try:
        return [match[1], *shlex.split(match[2], comments=True)]
    except ValueError:
        return [match[1], match[2].strip()]


def slurm_options(given: Iterable[Directive]) -> dict[str, tuple[Word, Place]]:
    """Return the options of ``#SBATCH`` lines by long name; the last one counts."""
    options: dict[str, tuple[Word, Place]] = {}
    for directive in given:
        words = list(directive.options) if directive.system == "SBATCH" else []
        while words:
            word = words.pop(0)
            name, equals, value = word.partition("=")
            has_value, short = bool(equals), word[:2]
            if isinstance(short, str) and short in _SHORT:
                name, value = _SHORT[short], word[2:].lstrip("=")
                has_value = bool(value)
            if not has_value and words and not words[0].startswith("-"):
                value = words.pop(0)
            if isinstance(name, str):
                options[name] = (value, directive.place)
    return options


def slurm_variables(options: Mapping[str, tuple[Word, Place]]) -> dict[str, tuple[Word, Place]]:
    """Return the variables that `sbatch` sets for the options of a job, by long name."""
    variables: dict[str, tuple[Word, Place]] = {}
    for option, names in (
        ("--nodes", ("SLURM_NNODES", "SLURM_JOB_NUM_NODES")),
        ("--ntasks", ("SLURM_NTASKS", "SLURM_NPROCS")),
        ("--ntasks-per-node", ("SLURM_NTASKS_PER_NODE",)),
        ("--cpus-per-task", ("SLURM_CPUS_PER_TASK",)),
    ):
        value, _ = options.get(option, ("", None))
        if isinstance(value, str) and value.isdecimal():
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


def gpus(value: Word) -> int | None:
    """Return the number of GPUs in ``8``, ``h100:8``, ``gpu:8`` or ``gpu:h100:8``; None if it is something else."""
    match = re.fullmatch(r"(?:gpu:)?(?:[A-Za-z][\w.-]*:)?(\d{1,4})", value) if isinstance(value, str) else None
    return int(match[1]) if match else None
