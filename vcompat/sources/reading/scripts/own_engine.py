"""States that a script may generate with an engine of its own, beside a trainer that gets none by its settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from vcompat.facts.facts import Place
from vcompat.sources.reading.python.classes.configurations import UNREAD
from vcompat.sources.reading.python.values.abstract_run import reachable_births
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    ClassValue,
    Function,
    Mutable,
    Obj,
    Unknown,
    function_of,
    text_of,
)
from vcompat.sources.reading.scripts.executed import Executed
from vcompat.sources.reading.scripts.script_facts import ScriptFacts

#: A call that makes an engine of vLLM.
_ENGINE = re.compile(rb"\b(?:Async)?LLM(?:Engine)?\(")
#: How trainers name an attribute that keeps an engine.
_KEPT = re.compile(r"(?!.*deepspeed)(?:\w+_|_)?(?:llm|engine)")
#: How functions begin that generate for something else than the training.
_BESIDE = ("eval", "test", "predict")
_OWN = "the script makes an engine of its own"


def open_engine(facts: ScriptFacts, ran: Executed) -> None:
    """Leave open whether vLLM generates if the script makes an engine besides a trainer that gets none.

    Presumably, an engine that no code of the trainer uses is there for something else, such as an evaluation.
    """
    fact = "plan.use_vllm"
    if not ran.trainers or facts.value(fact) is True or facts.is_open(fact):
        return
    engines = [*ran.engines, *ran.events("other engine")]
    found = _presumably_used(ran, engines) if ran.presuming else _perhaps_used(ran, engines)
    found = found or _kept_as_engine(ran)
    if found is not None:
        place, why = found
        facts.forget(fact, f"{place}: {why}; it may be True", place, (False, True))


def _kept_as_engine(ran: Executed) -> tuple[Place, str] | None:
    """Return where a trainer gets an attribute that is an engine by its name; None if none does."""
    subjects = [trainer.subject for trainer in ran.trainers if isinstance(trainer.subject, Obj)]
    for name, held in (cell for subject in subjects for cell in subject.cells.items()):
        if isinstance(held.value, Unknown) and held.place is not None and _KEPT.fullmatch(str(name)):
            return held.place, f"the trainer has an engine of its own as {name}"
    return None


# The certain reading


def _perhaps_used(ran: Executed, engines: list[Event]) -> tuple[Place, str] | None:
    """Return the place of what may generate, and what it is; None if there is nothing."""
    if engines:
        return engines[0].place, _OWN
    unread = next((trainer for trainer in ran.trainers if UNREAD in trainer.settings), None)
    if unread is not None:
        return unread.place, f"{text_of(unread.settings[UNREAD].value)} was not found, and may make an engine"
    if any(_is_of_script(trainer) for trainer in ran.trainers) and _may_make_engine(ran):
        return ran.trainers[0].place, "the trainer is of a class of the script, which may make an engine"
    return None


def _is_of_script(trainer: Event) -> bool:
    return isinstance(trainer.subject, Obj) and isinstance(trainer.subject.kind, ClassValue)


def _may_make_engine(ran: Executed) -> bool:
    """Return whether a function of the script makes an engine, other than a constructor, which is followed."""
    for columns in ran.run.sources.values():
        if not _ENGINE.search(columns.source):
            continue
        try:
            tree = ast.parse(columns.source)
        except (SyntaxError, ValueError, RecursionError):
            return True
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        if any(any(_made_in(function)) for function in functions if function.name != "__init__"):
            return True
    return False


def _made_in(function: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls in a function that make an engine."""
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and _ENGINE.fullmatch(f"{ast.unparse(call.func)}(".rpartition(".")[2].encode()):
            yield call


# The presuming reading


def _presumably_used(ran: Executed, engines: list[Event]) -> tuple[Place, str] | None:
    """Return the place of an engine that the trainer keeps, or that its code uses or makes; None if there is none."""
    subjects = [trainer.subject for trainer in ran.trainers if trainer.subject is not None]
    kept = set[int]().union(*map(reachable_births, subjects))
    place = next((engine.place for engine in engines if getattr(engine.subject, "birth", None) in kept), None)
    if place is not None:
        return place, _OWN
    made = {engine.subject.birth for engine in engines if isinstance(engine.subject, Mutable)}
    places = (_used_in(ran, function, made) for trainer in ran.trainers for function in _code_of(ran, trainer))
    place = next(filter(None, places), None)
    return (place, "the trainer generates with an engine of the script") if place is not None else None


def _code_of(ran: Executed, trainer: Event) -> Iterator[Function]:
    """Yield the functions of the script that run when a trainer trains: its methods, and what makes the rollouts."""
    kind = trainer.subject.kind if isinstance(trainer.subject, Obj) else None
    cells = (held for owner in ran.run.objects.own_classes(kind) for held in owner.cells.values()) if kind else ()
    for held in (*cells, *(trainer.settings[name] for name in ("rollout_func",) if name in trainer.settings)):
        function = function_of(held.value)
        if isinstance(function, Function) and not getattr(function.node, "name", "").startswith(_BESIDE):
            yield function


def _used_in(ran: Executed, function: Function, engines: set[int]) -> Place | None:
    """Return where a function uses one of the `engines` of its module, or makes one. A constructor is followed."""
    is_followed = getattr(function.node, "name", "") == "__init__"
    made = None if is_followed else next(_made_in(function.node), None)
    if made is not None:
        return ran.run.place(made, function.frame)
    for node in ast.walk(function.node):
        held = function.frame.module.cells.get(node.id) if isinstance(node, ast.Name) else None
        if held is not None and engines & reachable_births(held.value):
            return ran.run.place(node, function.frame)
    return None
