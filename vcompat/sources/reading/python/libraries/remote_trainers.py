"""Trainers of Ray and Kubeflow: they run a function of the script in processes that they start, and that trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.presumption import CALL
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    NONE,
    Const,
    Function,
    Held,
    Lib,
    Obj,
    Table,
    Value,
    function_of,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run


class _Takes(NamedTuple):
    """The arguments of a trainer: the function, what it gets, the variables of its processes."""

    function: str
    given: str
    variables: str = ""


#: By the package of the class.
_TRAINERS = {
    "ray": _Takes("train_loop_per_worker", "train_loop_config"),
    "kubeflow": _Takes("func", "func_args", "env"),
}


def call(run: Run, callee: Lib, site: Site) -> Value | None:
    """Run the function that a trainer of these packages gets; None if `callee` is something else."""
    takes = _TRAINERS.get(callee.root)
    if takes is None or not callee.name.endswith("Trainer"):
        return None
    made = Obj(callee, site.place)
    function = site.argument(0, takes.function)
    if function is None or not isinstance(function_of(function), Function):
        run.calls.unknown_call(site, f"{callee.name} runs what is not followed", callee)
        return made
    run.record("remote", callee.root, site.place, dict(site.keywords), made)
    _enter_processes(run, callee, site, takes)
    given = site.argument(1, takes.given)
    run.calls.call(function, _with_arguments(run, function_of(function), given, site))
    return made


def _enter_processes(run: Run, callee: Lib, site: Site, takes: _Takes) -> None:
    """Leave open which variables of the script the processes get; set those that the trainer gets for them."""
    if run.presuming and run.environ.cells:
        text = f"the processes of {callee.name} get the variables that the script sets"
        run.presume(CALL, text, site.place, [run.environ])
    else:
        run.open_variables(f"{callee.name} runs in other processes")
    variables = site.keywords.get(takes.variables)
    if variables is not None and isinstance(variables.value, Table):
        run.objects.merge(run.environ, variables.value)


def _with_arguments(run: Run, function: Value, given: Value | None, site: Site) -> Site:
    """Return the call of the function: it gets nothing, or a dictionary, whole or by the names of its parameters."""
    if given is None or given == NONE:
        return run.implicit(place=site.place)
    assert isinstance(function, Function)
    names = [parameter.arg for parameter in (*function.node.args.args, *function.node.args.kwonlyargs)]
    if isinstance(given, Table) and not given.why_open and given.cells and {*given.cells} <= {*names}:
        return run.implicit(place=site.place)._replace(keywords={str(key): held for key, held in given.cells.items()})
    return run.implicit(*([Held(given)] if names else []), place=site.place)


def number_of_workers(settings: dict[str, Held]) -> int | None:
    """Return the number of processes that Ray's ScalingConfig states; None if that is not known."""
    scaling = settings.get("scaling_config")
    held = scaling.value.cells.get("num_workers") if scaling is not None and isinstance(scaling.value, Obj) else None
    value = held.value.value if held is not None and isinstance(held.value, Const) and not held.optional else None
    return value if isinstance(value, int) else None
