"""How many processes the programs start that start torchrun themselves, as variables tell them."""

from __future__ import annotations

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.frameworks.framework_program import Presumed
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import UNKNOWN, Word

_COUNTS = ("plan.num_machines", "plan.processes_per_machine", "plan.world_size")
_EACH, _MACHINES = "NPROC_PER_NODE", "NNODES"
_TRUE = ("1", "true", "y")


def state_processes(
    facts: Facts, program: str, environment: Environment, place: Place, presumed: Presumed = None
) -> None:
    """Record launcher and processes of ``swift``, ``megatron`` or ``llamafactory-cli``.

    NNODES is taken to be set only where the run file sets it, if it sets NPROC_PER_NODE.
    """
    starts = _starts_torchrun(program, environment, place, presumed)
    if starts is None:
        for fact in ("plan.launcher", *_COUNTS):
            facts.forget(fact, f"{place}: variables of the caller decide how many processes {program} starts", place)
        return
    state(facts, "plan.launcher", "torchrun" if starts else "python", place)
    if not starts:
        for fact in _COUNTS:
            state(facts, fact, 1, place)
        return
    each = _count(environment, _EACH, "1" if program != "llamafactory-cli" else "")
    machines = _count(environment, _MACHINES, "1")
    total = each * machines if each is not None and machines is not None else None
    for fact, count in zip(_COUNTS, (machines, each, total), strict=True):
        if count is not None:
            state(facts, fact, count, place)
        else:
            facts.forget(fact, f"{place}: {program} gets it at run time", place)


def _starts_torchrun(program: str, environment: Environment, place: Place, presumed: Presumed) -> bool | None:
    """Return whether a program starts torchrun; None if that is not known."""
    if program not in ("swift", "megatron"):
        # It starts torchrun also if the machine has several GPUs.
        forced = _value(environment, "FORCE_TORCHRUN", place, presumed)
        return True if isinstance(forced, str) and forced.lower() in _TRUE else None
    given = (environment.values.get(name) for name in (_EACH, _MACHINES))
    if any(isinstance(value, str) for value in given):
        return True
    values = [_value(environment, name, place, presumed) for name in (_EACH, _MACHINES)]
    return None if UNKNOWN in values or program == "megatron" else False


def _value(environment: Environment, name: str, place: Place, presumed: Presumed) -> Word | None:
    """Return a variable; UNKNOWN if it is not known whether it is set, None if it is not set."""
    if name in environment.values:
        value = environment.values[name]
        # A value that is not known may also be that the variable is not set.
        return value if value is None or isinstance(value, str) else UNKNOWN
    if environment.others is Others.UNSET:
        return None
    if presumed is not None and environment.others is Others.INHERITED:
        presumed.append(Presumption(CALLER, f"the caller does not set {name}", place))
        return None
    return UNKNOWN


def _count(environment: Environment, name: str, default: str) -> int | None:
    value = environment.values.get(name)
    if value is None:
        value = default if environment.others is not Others.UNKNOWN else ""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and 0 < len(value) < 7 else None
