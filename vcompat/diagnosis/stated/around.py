"""Facts from beside a log: of the machine that wrote it, of the run's files. What the log states counts more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, Known
from vcompat.facts.frameworks import TRL, UNSLOTH
from vcompat.facts.value import FactValue, show
from vcompat.sources.gather import Sources, collect, override, set_by_hand

#: Families of facts that hold for one process: another shell has other variables than the run had.
_OF_ONE_PROCESS = ("env",)
#: By how much the memory of a GPU differs between what is sold, what the driver reports and what torch can use.
_ROUGHLY = 0.1


class Around(NamedTuple):
    """What is known from beside a log."""

    facts: Facts
    """Without derived ones."""
    takes_defaults: bool = False
    """Whether settings that no file states have their defaults."""


def facts_around(files: Sequence[str], here: bool) -> Around:
    """Return the facts of run files, lock files and reports of `vcompat probe`; with `here`, of this machine, too.

    The variables of this process's environment are left out. Raises InputError for a file that cannot be read.
    """
    gathered = collect(Sources(files, probe=here))
    facts = gathered.facts
    if here:
        reason = "not known of the process that wrote the log"
        for family in _OF_ONE_PROCESS:
            facts.reopen(family)
            for name, known in list(facts.known.items()):
                # Without a place, a variable was read from this process, not from a file that sets it.
                if name.startswith(f"{family}.") and known.place is None:
                    facts.forget(name, reason)
    return Around(facts, gathered.plan.takes_defaults)


def combined(around: Around, stated: Facts, settings: Mapping[str, str]) -> tuple[Facts, tuple[str, ...]]:
    """Return the facts that a log states and, where it states none, those `around` it; also where they differ.

    `settings` override both, as ``--set`` does. Raises InputError for one that does not exist.
    """
    facts = around.facts.copy()
    override(facts, stated)
    if dtype := stated.get("vllm.dtype"):
        # What the engine computes in; with this argument it would do the same.
        facts.offer("plan.engine_dtype", *dtype)
    set_by_hand(facts, settings)
    if not around.takes_defaults and _may_be_unsloth(stated, facts):
        why = "unsloth is installed, which replaces TRL's trainers if the script imports it"
        facts.forget("plan.framework", why, candidates=(TRL, UNSLOTH))
    facts = derive(facts, around.takes_defaults)
    conflicts = []
    for name, known in sorted(stated.known.items()):
        # What follows from the run's files, such as a run on CPU, can differ from what the log states, too.
        same = _same_memory if name == "gpu.memory_mib" else _agree
        other = next((one for one in (around.facts.get(name), facts.get(name)) if _differs(known, one, same)), None)
        if other is not None and not facts.is_by_hand(name):
            conflicts.append(f"{name}: {show(known.value)} in the log, {show(other.value)} here ({other.source})")
            facts.set(name, *known)
    return facts, tuple(conflicts)


def _may_be_unsloth(stated: Facts, facts: Facts) -> bool:
    """Whether the log or the user states a release of unsloth, and nothing tells whether the run uses it."""
    name = "packages.unsloth"
    is_stated = stated.get(name) is not None or facts.is_by_hand(name)
    is_open = facts.get("plan.framework") is None and not facts.is_open("plan.framework")
    return is_stated and is_open and isinstance(facts.value(name), Version)


def _differs(known: Known, other: Known | None, same: Callable[[FactValue, FactValue], bool]) -> bool:
    return other is not None and other is not known and not same(known.value, other.value)


def _same_memory(stated: FactValue, other: FactValue) -> bool:
    """Whether the log and the machine have GPUs of the same size; neither states the size exactly."""
    sizes, others = (
        [one for one in value if isinstance(one, int)] if isinstance(value, tuple) else [] for value in (stated, other)
    )
    return all(any(abs(one - size) <= _ROUGHLY * size for size in sizes) for one in others)


def _agree(stated: FactValue, other: FactValue) -> bool:
    """Whether two values are the same as far as both are known: a log may leave out the build, or all GPUs but one."""
    if isinstance(stated, tuple) and isinstance(other, tuple):
        return set(stated) == set(other)
    if isinstance(stated, Version) and isinstance(other, Version) and not (stated.local and other.local):
        # A path, such as python3.11/, has the first numbers of a version only.
        short, whole = sorted((stated, other), key=lambda version: len(version.release))
        return stated.public == other.public or short.public == ".".join(map(str, whole.release[: len(short.release)]))
    return stated == other
