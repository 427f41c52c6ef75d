"""What an executed script did that has to do with its run, by the kind of the event."""

from __future__ import annotations

from collections.abc import Iterable

from vcompat.facts.facts import Place
from vcompat.facts.presumption import UNCALLED, Presumption
from vcompat.sources.reading.python.classes.configurations import is_own, kind_name
from vcompat.sources.reading.python.interpreter import NOT_CALLED, Interpreter
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS
from vcompat.sources.reading.python.values.abstract_run import reachable_births
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    Function,
    Obj,
    Unknown,
    Value,
    alternatives,
    text_of,
)

#: Classes of models that are not trained with GRPO.
_REWARD_MODELS = ("AutoModelForSequenceClassification", "AutoModelForTokenClassification")
#: How the names of the trainers that generate begin.
_GENERATING = tuple(name.removesuffix("Config") for name in CONFIGURATIONS)


class Executed:
    """A script that was executed abstractly. What decides about its run is asked here."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.whole = Place(run.path)
        self.presuming = run.presuming
        self.source = b"\n".join(columns.source for columns in run.sources.values()).lower()
        """The script and the modules that it imports, in lower case."""
        presume_uncalled(run)
        trainers = self.events("trainer")
        generating = [event for event in trainers if event.name.startswith(_GENERATING)]
        self.trainers = generating if any(not event.uncertain for event in generating) else trainers
        """Those that generate if one of them certainly runs; else all, since any may be the one that runs."""
        engines = self.events("engine")
        self.engines = [event for event in engines if event.name == "LLM"] or engines
        """Arguments of an engine count by what the engine gets; without an engine, by themselves."""

    def events(self, *kinds: str) -> list[Event]:
        """Return the events of these kinds, in the order in which they happen."""
        return [event for event in self.run.events if event.kind in kinds]

    def loads(self, *classes: str) -> list[Event]:
        """Return the calls that load a model, of classes whose names begin like `classes`."""
        return [event for event in self.events("model") if event.name.startswith(classes)]

    def policies(self, *classes: str) -> list[Event]:
        """Return those of these calls that may load what is trained with GRPO."""
        return [event for event in self.run.events if loads_policy(event, *classes)]

    def loads_or_names(self, model: Value) -> bool:
        """Return whether a trainer's model is loaded by the script, or by the trainer, which gets its name."""
        return all(map(_is_name, alternatives(model))) or bool(self.events("model"))

    def class_name(self, value: Obj) -> str:
        """Return the name of the library class of an object; empty if it has none."""
        return "" if is_own(self.run, value.kind) else kind_name(self.run, value.kind)

    def presumptions(self) -> tuple[tuple[Presumption, ...], tuple[Presumption, ...]]:
        """Return what was presumed of what happened or of the whole run, and what of the environment."""
        environment, about = self.run.environ.birth, set[int]()
        for event in self.run.events:
            subjects = [event.subject] if event.subject is not None else []
            for value in (*subjects, *(held.value for held in event.settings.values())):
                about |= reachable_births(value)
        about -= {environment}
        general = [p.presumption for p in self.run.presumed if not p.births or p.births & about]
        variables = [p.presumption for p in self.run.presumed if environment in p.births]
        return tuple(dict.fromkeys(general)), tuple(dict.fromkeys(variables))


def presume_uncalled(run: Interpreter) -> None:
    """In the presuming reading, the one function that nothing calls and that makes the trainer is what runs."""
    if not run.presuming or not run.alone_in:
        return
    uncalled = list(zip(run.alone_in, run.events[-len(run.alone_in) :], strict=True))
    makers = _makers(uncalled, "trainer") or _makers(uncalled, "configuration", "engine")
    if len({id(function.node) for function in makers}) != 1:
        return
    maker = makers[0]
    name = getattr(maker.node, "name", "the function")
    place = run.place(maker.node, maker.frame)
    run.presume(UNCALLED, f"{name}(), which nothing here calls, is what runs", place)
    happens = {id(event) for function, event in uncalled if function is maker}
    run.events = [event._replace(uncertain="") if id(event) in happens else event for event in run.events]


def _makers(uncalled: Iterable[tuple[Function, Event]], *kinds: str) -> list[Function]:
    return [function for function, event in uncalled if event.kind in kinds]


def loads_policy(event: Event, *classes: str) -> bool:
    """Return whether an event loads a model that may be trained with GRPO, of classes whose names begin so."""
    return event.kind == "model" and event.name.startswith(classes) and event.name not in _REWARD_MODELS


def _is_name(value: Value) -> bool:
    """Return whether a value is a text, or comes from a command line or a file of settings."""
    return text_of(value) is not None or (isinstance(value, Unknown) and value.why != AT_RUN_TIME)


def why_uncalled(events: Iterable[Event]) -> str:
    """Return why what happens in `events` may not: one is in a function that is not called; empty if none is."""
    return next((event.uncertain for event in events if event.uncertain == NOT_CALLED), "")
