"""Reads the settings of a training script. The script is executed abstractly; nothing in it is run.

The settings are those of the configuration that the trainer gets, at the moment at which it gets it; without a trainer,
those of the configurations that the script makes. What is not known makes a fact unknown, with the position and the
possible values. ``facts.derive`` adds TRL's defaults for settings that are not set.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import partial

from vcompat.facts.defaults import SETTINGS
from vcompat.facts.facts import Place
from vcompat.facts.frameworks import replaces_trl
from vcompat.facts.presumption import CALL, UNCALLED, Presumption
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.foundation.bounded_reading import read_bytes
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.code_uses import code_uses
from vcompat.sources.reading.part import Configuration, Mention, Part
from vcompat.sources.reading.python.chat_template import chat_templates
from vcompat.sources.reading.python.classes.configurations import SKIPPED, settings_of
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS
from vcompat.sources.reading.python.parsing import parse
from vcompat.sources.reading.python.patch_call import patched
from vcompat.sources.reading.python.values.abstract_run import reachable_births
from vcompat.sources.reading.python.values.core import Event, Start
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    UNSET,
    ClassValue,
    Const,
    Either,
    Held,
    Loaded,
    Model,
    NotPlainError,
    Obj,
    Table,
    Unknown,
    Value,
    candidates,
    same,
    to_plain,
)
from vcompat.sources.reading.scripts.assigned import all_assigned, assigned_later, record_assigned
from vcompat.sources.reading.scripts.model_loading import state_adapter, state_bits, state_init_kwargs
from vcompat.sources.reading.scripts.quantization import (
    MAY,
    REWARD_MODELS,
    divided_by,
    is_loaded,
    loads_of,
    quantized_to,
)
from vcompat.sources.reading.scripts.resuming import state_resuming
from vcompat.sources.reading.scripts.script_configurations import (
    Configured,
    configured_by,
    copied_from,
    in_force,
    shared,
)
from vcompat.sources.reading.scripts.script_facts import ScriptFacts
from vcompat.sources.reading.scripts.trainer_arguments import state_arguments
from vcompat.sources.reading.scripts.unsloth_facts import state_framework, state_model
from vcompat.sources.reading.settings import fact_of

#: Maximum file size in bytes. Training scripts are much smaller.
SIZE_LIMIT = 4_000_000
_EXPECTED = "a training script"
#: What starts another program.
_STARTS = re.compile(rb"\b(?:subprocess|popen|os\.(?:system|exec\w+|spawn\w+|posix_spawn\w*))\b")
#: What a script has that trains, however it makes its trainer.
_TRAINS = re.compile(rb"trainer|\.train\(")
#: A call that adds a class of the script's own to the models of transformers or vLLM.
_REGISTERS = re.compile(rb"\b(?:auto\w+|modelregistry)\.register")
#: Settings of TRL's ModelConfig about how the model is loaded. No trainer reads them, only what loads the model.
_LOADS = frozenset({"dtype", "torch_dtype", "attn_implementation"})
#: What gives a model an adapter to be trained.
_WRAPS = ("get_peft_model", "PreTrainedModel.add_adapter")
#: A call that makes an engine of vLLM.
_ENGINE = re.compile(rb"\b(?:Async)?LLM(?:Engine)?\(")
_OWN_CLASS = "its class is not that of a library, so that its other settings are not known"
_NOT_CALLED = "in a function that the script does not call"


def read_script(path: str, start: Start | None = None) -> Part:
    """Read the settings of the training script at `path`; `start` says how it is started, if that is known.

    Raises InputError, with file and line, if it is not valid Python.
    """
    return read_source(path, source_of(path), start)


def source_of(path: str) -> bytes:
    """Return the code of the script at `path`. Raises InputError if it cannot be read."""
    return read_bytes(path, SIZE_LIMIT, _EXPECTED)


def read_source(path: str, source: bytes, start: Start | None = None) -> Part:
    """Read the settings of the training script `source`, whose positions are in the file at `path`."""
    try:
        run = _executed(path, source, start or Start())
        return _Reader(run).part()
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", _EXPECTED) from None


def read_configurations(path: str) -> list[Configured]:
    """Return every configuration that the script at `path` makes, also in functions that it does not call.

    Raises InputError if the script is not valid Python.
    """
    source = read_bytes(path, SIZE_LIMIT, _EXPECTED)
    run = _executed(path, source, Start())
    run.run_uncalled(thorough=True)
    return [configured_by(event) for event in run.events if event.kind == "configuration"]


def _relevant(run: Interpreter, events: Iterable[Event]) -> tuple[tuple[Presumption, ...], tuple[Presumption, ...]]:
    """Return what was presumed of the objects in `events` or of the whole run, and what of the environment."""
    about = {run.environ.birth}
    for event in events:
        about |= reachable_births(event.subject) if event.subject is not None else set()
        for held in event.settings.values():
            about |= reachable_births(held.value)
    about -= {run.environ.birth}
    general = [one.presumption for one in run.presumed if not one.births or one.births & about]
    variables = [one.presumption for one in run.presumed if run.environ.birth in one.births]
    return tuple(dict.fromkeys(general)), tuple(dict.fromkeys(variables))


def _executed(path: str, source: bytes, start: Start) -> Interpreter:
    from vcompat.sources.reading.python.skim import skimmed

    short, functions = skimmed(source)
    try:
        tree = parse(path, short)
    except InputError:
        if short is source:
            raise
        # The layout is unusual or the script is invalid. Parsing the whole script tells which.
        tree, functions = parse(path, source), {}
    run = Interpreter(path, source, start)
    run.imports.lazy = dict(functions)
    run.run(tree)
    if run.stopped and run.unset and not _makes_any(run):
        # As a key of a service, without which the script raises an exception.
        other = Interpreter(path, source, start._replace(required=frozenset(run.unset)))
        other.imports.lazy = dict(functions)
        other.run(tree)
        run = other if _makes_any(other) else run
    if not run.failed and not _makes_any(run):
        run.run_uncalled()
    return run


def _makes_any(run: Interpreter) -> bool:
    """Return whether a script that was executed makes something whose settings count."""
    return any(event.kind in ("configuration", "trainer", "engine") for event in run.events)


class _Reader:
    """States the facts of one executed script."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.path = run.path
        self.source = b"\n".join(columns.source for columns in run.sources.values()).lower()
        """The script and the modules that it imports, in lower case."""
        self.facts = ScriptFacts(run.path)
        self.mentions: list[Mention] = []
        self.loading: dict[str, Held] = {}
        """Settings of the configuration about how the model is loaded, by name."""
        self.trainers = _that_count([event for event in run.events if event.kind == "trainer"])
        engines = [event for event in run.events if event.kind == "engine"]
        # Arguments of an engine count by what the engine gets; without an engine, by themselves.
        self.engines = [event for event in engines if event.name == "LLM"] or engines

    def part(self) -> Part:
        """Return what the script says."""
        whole = Place(self.path)
        if self.run.failed:
            self.facts.forget("plan.patched", self.run.failed, whole)
            why = f"{whole}: {self.run.failed}"
            self.facts.forget("env", why, whole)
            return Part(self.facts, why_open=why, given_up=(why,), clears_variables=True)
        self._presume_uncalled()
        configured, uncertain = self._configured()
        why_open = self._state_configurations(configured, uncertain)
        self._state_engines()
        self._state_trainers()
        state_resuming(self.facts, self.run.events, self.trainers)
        state_arguments(self.facts, self.run, self.trainers, self.source)
        self._open_engine()
        if self.run.presuming and self.engines and not configured and not self.trainers:
            # A call that was not followed might train.
            self.facts.set("plan.trainer", None, f"{self.path} generates only", self.engines[0].place)
        state_framework(self.facts.record, self.run.events)
        self._state_adapters()
        self._state_models()
        self._presume_loading()
        self._state_variables()
        if b"destroy_process_group(" in self.source:
            self.facts.set("plan.ends_process_groups", True, f"{whole} calls destroy_process_group()", whole)
        if _REGISTERS.search(self.source):
            self.facts.forget("plan.registers_models", f"{whole} registers classes", whole)
        patched(self.facts, self.run)
        chat_templates(self.facts, {path: columns.source for path, columns in self.run.sources.items()})
        # Another framework's classes of the same names have other settings, and take others.
        self.facts.stated = () if replaces_trl(self.facts) else tuple(self.run.stated)
        self.facts.uses = code_uses(self.run)
        calls = [c.place for c in configured if c.kind == "made"]
        presumes, of_variables = _relevant(self.run, self.run.events)
        makes = bool(configured or self.trainers or (self.run.given_up and b"trainer" in self.source))
        trains = makes or bool(self.engines)
        return Part(
            self.facts,
            takes_defaults=bool(configured) and not why_open and not any(c.copies for c in configured),
            why_open=why_open,
            mentions=tuple(self.mentions),
            configuration=Configuration("python", calls[0], configured[0].name) if len(set(calls)) == 1 else None,
            overridable=self.facts.overridable,
            clears_variables=any(event.kind == "cleared" for event in self.run.events),
            trains=trains,
            generates_only=trains and not makes,
            may_train=not trains and _TRAINS.search(self.source) is not None,
            may_start=_STARTS.search(self.source) is not None,
            files=tuple(e.name for e in self.run.events if e.kind == "file" and _word(e) != "missing"),
            missing=tuple(Mention(e.name, "settings", e.place) for e in self.run.events if _word(e) == "missing"),
            presumes=presumes,
            presumes_of_variables=of_variables,
            given_up=tuple(dict.fromkeys(self.run.given_up)),
        )

    def _presume_uncalled(self) -> None:
        """In the presuming reading, the one function that nothing calls and that makes the trainer is what runs."""
        events, alone = self.run.events, self.run.alone_in
        if not self.run.presuming or not alone:
            return
        by_function = list(zip(alone, events[len(events) - len(alone) :], strict=True))
        for kinds in (("trainer",), ("configuration", "engine")):
            makers = [function for function, event in by_function if event.kind in kinds]
            if makers:
                break
        if len({id(function.node) for function in makers}) != 1:
            return
        (function, *_) = makers
        name = getattr(function.node, "name", "the function")
        place = self.run.place(function.node, function.frame)
        self.run.presume(UNCALLED, f"{name}(), which nothing here calls, is what runs", place)
        chosen = {id(event) for one, event in by_function if one is function}
        self.run.events = [e._replace(uncertain="") if id(e) in chosen else e for e in events]
        self.trainers = _that_count([event for event in self.run.events if event.kind == "trainer"])
        engines = [event for event in self.run.events if event.kind == "engine"]
        self.engines = [event for event in engines if event.name == "LLM"] or engines

    # Configurations

    def _configured(self) -> tuple[list[Configured], str]:
        """Return the configurations that decide, and why they may not; empty if they do."""
        used = [found for event in self.trainers for found in self._of_trainer(event)]
        if used:
            return used, _uncalled(self.trainers)
        made = [e for e in self.run.events if e.kind == "configuration"]
        ours_made = [e for e in made if e.name != "TrainingArguments"] or made
        unclear = [e for e in self.trainers if "made" not in e.settings and (e.why_open or "args" in e.settings)]
        if unclear:
            return [Configured("", e.place, {}, e.why_open or "computed at run time") for e in unclear], ""
        return [self._made_by(event) for event in ours_made], _uncalled(ours_made)

    def _made_by(self, event: Event) -> Configured:
        """Return a configuration that no trainer is known to get. The name of a class of the project tells nothing."""
        configured = configured_by(event)._replace(kind="made")
        if isinstance(event.subject, Obj) and not self._name(event.subject) and not configured.copies:
            return configured._replace(name="", why_open=configured.why_open or _OWN_CLASS)
        return configured

    def _of_trainer(self, event: Event) -> list[Configured]:
        """Return the configuration that a trainer gets, as it is at that moment, or each of several."""
        held, then = event.settings.get("made"), event.settings.get("args")
        if held is None or then is None:
            return []
        now_all, then_all = _parts(held.value), _parts(then.value)
        found = []
        for now, last, before in zip(now_all, _parts(self._last(event, held)), then_all, strict=False):
            if isinstance(before, Obj) and isinstance(now, Obj) and isinstance(last, Obj):
                settings = {name: self._unchanged(last, name, h) for name, h in settings_of(before).items()}
                name, why = self._name(before), before.why_open
                if not name:
                    why = why or _OWN_CLASS
                place = before.place or event.place
                kind = "made" if self._made_here(now) else ""
                assigned = assigned_later(self._as_made(now), settings)
                found.append(Configured(name, place, settings, why, kind, copied_from(before, name), assigned))
            elif len(then_all) > 1 or not _is_none(before):
                # A trainer that gets none makes a configuration of its own.
                why = before.why if isinstance(before, Unknown) else "depends on a condition"
                found.append(Configured("", event.place, {}, why))
        return found

    def _last(self, event: Event, held: Held) -> Value:
        """Return the configuration of a trainer as it is when it trains last; at the end if that is not known."""
        times = [e for e in self.run.events if e.kind == "trained" and e.subject is event.subject]
        return times[-1].settings["args"].value if times and not any(e.uncertain for e in times) else held.value

    def _unchanged(self, now: Obj, name: str, then: Held) -> Held:
        """Return a setting, unknown if the script changes it after the trainer has got it."""
        later = now.cells.get(name)
        if not now.cells or later is None or _equal(later.value, then.value):
            return then
        return Held(Unknown("changed after the trainer is made", candidates(then.value)), then.place)

    def _name(self, value: Obj) -> str:
        """Return the name of the library class of a configuration; empty if it has none."""
        from vcompat.sources.reading.python.classes.configurations import is_own, kind_name

        return "" if is_own(self.run, value.kind) else kind_name(self.run, value.kind)

    def _made_here(self, value: Obj) -> bool:
        return self._as_made(value) is not None

    def _as_made(self, value: Obj) -> Value | None:
        """Return a configuration as its constructor has left it; None if the script does not make it."""
        made = [e for e in self.run.events if e.kind == "configuration" and e.subject is value]
        return made[0].settings["self"].value if made else None

    def _state_configurations(self, configured: list[Configured], uncertain: str) -> str:
        """State the settings that all configurations share. Return why there may be others; empty if there are not."""
        names, copied = {c.name for c in configured}, {c.copies for c in configured}
        if len(copied) == 1 and configured[0].copies:
            self._state_copied(configured[0])
        elif len(names) == 1 and configured[0].name:
            self.facts.record("plan.configuration", Held(Const(configured[0].name), configured[0].place), uncertain)
        elif names:
            self.facts.forget("plan.configuration", f"{configured[0].place}: {configured[0].why_open or 'several'}")
        assigned = all_assigned(c.assigned for c in configured)
        for name, held in in_force(shared(configured)).items():
            self._state_setting(name, held, uncertain, is_assigned=name in assigned)
        why = next((f"{c.place}: {c.why_open}" for c in configured if c.why_open), "")
        if uncertain and not why:
            why = f"{configured[0].place}: {uncertain}"
        if why:
            for setting in SETTINGS:
                if self.facts.recorded(f"plan.{setting}") is None and not self.facts.is_open(f"plan.{setting}"):
                    self.facts.forget(f"plan.{setting}", why)
        return why

    def _state_setting(self, name: str, held: Held, uncertain: str, is_assigned: bool) -> None:
        if name == "model_init_kwargs":
            state_init_kwargs(self.facts.record, held)
        elif name == "deepspeed":
            self._state_deepspeed(held, uncertain)
        elif name in _LOADS and not self.run.start.is_command:
            self.loading[name] = held
        elif (fact := fact_of(name)) is not None and is_assigned:
            record_assigned(self.facts, fact, held, uncertain, self.run.presuming)
        elif fact is not None:
            self.facts.record(fact, held, uncertain)

    def _state_copied(self, configured: Configured) -> None:
        """State the configuration of a class that the project has copied from TRL, presumably, under TRL's name."""
        name, place = configured.copies, configured.place
        if self.run.presuming:
            presumes = (Presumption(CALL, f"the {name} of the project is a copy of TRL's", place),)
            self.facts.set("plan.configuration", name, str(place), place, presumes)
        else:
            why = f"the {name} of the project is not TRL's"
            self.facts.record("plan.configuration", Held(Unknown(why, (name,)), place))

    def _state_deepspeed(self, held: Held, uncertain: str) -> None:
        place = held.place or Place(self.path)
        try:
            plain = to_plain(held.value)
        except NotPlainError:
            plain = None
        if isinstance(plain, dict) and not uncertain:
            from vcompat.sources.reading.configurations.deepspeed_config import state_table

            state_table(self.facts, plain, lambda keys: place)
            return
        self.facts.record("plan.deepspeed", held, uncertain)
        if isinstance(plain, str):
            self.mentions.append(Mention(plain, "deepspeed", place))

    # Trainers, engines, adapters, models

    def _state_trainers(self) -> None:
        for event in self.trainers:
            uncertain = _uncalled([event])
            self._state_trainer(event, uncertain)
            model = event.settings.get("model")
            record = partial(self.facts.record, uncertain=uncertain)
            if model is not None and isinstance(model.value, Model | Loaded):
                record("plan.model_by_name", model._replace(value=Const(False)))
            if model is not None and isinstance(model.value, Model):
                state_model(record, model.value)
            elif "load_in_4bit" in event.settings:
                state_bits(record, event.settings)
            elif model is not None:
                inits = [(c.settings.get("model_init_kwargs"), c.why_open) for c in self._of_trainer(event)]
                loads = loads_of(model, inits, self.run.events)
                if self._makes(model.value) and (b"device_map" in self.source or is_loaded(model.value)):
                    # Of a model that TRL gets by name, TRL's release decides.
                    record("plan.device_map", model._replace(value=divided_by(loads), optional=False))
                bits = quantized_to(self.source, loads, self._name)
                bits = bits if self._makes(model.value) else Unknown(MAY)
                record("plan.loaded_in_bits", model._replace(value=bits, optional=False))
                if self.run.presuming and isinstance(bits, Unknown):
                    self._presume_quantized(event)
            if model is not None and _is_text(model.value):
                self.facts.record("plan.model_by_name", model._replace(value=Const(True)), uncertain)
                self.facts.record("plan.model", model, uncertain)
            elif model is not None and isinstance(model.value, Unknown) and candidates(model.value):
                if model.value.is_complete and all(isinstance(one, str) for one in model.value.candidates):
                    # Each of the models is named.
                    self.facts.record("plan.model_by_name", model._replace(value=Const(True)), uncertain)
                self.facts.record("plan.model", model)

    def _state_trainer(self, event: Event, uncertain: str) -> None:
        """State the class of a trainer. One that skips the constructor of what it extends may do something else."""
        skips = event.settings.get(SKIPPED)
        if skips is None:
            self.facts.record("plan.trainer", Held(Const(event.name), event.place), uncertain)
        elif self.run.presuming and not uncertain and self.facts.recorded("plan.trainer") is None:
            text = f"a constructor that skips {event.name}'s does what {event.name} does"
            presumes = (Presumption(CALL, text, event.place),)
            self.facts.set("plan.trainer", event.name, str(event.place), event.place, presumes)
        else:
            why = f"extends {event.name} and skips its constructor"
            self.facts.record("plan.trainer", Held(Unknown(why, (event.name,)), event.place))

    def _makes(self, model: Value) -> bool:
        """Return whether a trainer's model is loaded by the script, or by the trainer, which gets its name."""
        return all(map(_is_name, _parts(model))) or any(event.kind == "model" for event in self.run.events)

    def _state_engines(self) -> None:
        from vcompat.sources.reading.scripts.engine_calls import engine_settings

        uncertain = _uncalled(self.engines)
        found = [Configured(e.name, e.place, engine_settings(e), e.why_open) for e in self.engines]
        for name, held in shared(found, "engine").items():
            self.facts.record(f"plan.{name}", held, uncertain)

    def _open_engine(self) -> None:
        """Leave open whether vLLM generates if the script makes an engine besides a trainer that gets none.

        Presumably, an engine that the trainer does not keep is used for something else, such as an evaluation.
        """
        if not self.trainers or self.facts.value("plan.use_vllm") is True or self.facts.is_open("plan.use_vllm"):
            return
        kept = set().union(*(reachable_births(e.subject) for e in self.trainers if e.subject is not None))
        own = any(isinstance(e.subject, Obj) and isinstance(e.subject.kind, ClassValue) for e in self.trainers)
        for engine in self.engines:
            is_kept = isinstance(engine.subject, Obj) and engine.subject.birth in kept
            if is_kept or not self.run.presuming:
                why = f"{engine.place}: the script makes an engine of its own"
                self.facts.forget("plan.use_vllm", f"{why}; it may be True", engine.place, (False, True))
                return
        if own and not self.run.presuming and _may_make_engine(columns.source for columns in self.run.sources.values()):
            why = f"{self.trainers[0].place}: the trainer is of a class of the script, which may make an engine"
            self.facts.forget("plan.use_vllm", f"{why}; it may be True", self.trainers[0].place, (False, True))

    def _state_models(self) -> None:
        if self.facts.value("plan.model_by_name") is True:
            return
        for settings, uncertain in self._loads():
            for name in ("dtype", "torch_dtype"):
                if name in settings:
                    self.facts.record("plan.dtype", settings[name], uncertain)
            for name in ("attn_implementation", "_attn_implementation"):
                if name in settings:
                    self.facts.record("plan.attn_implementation", settings[name], uncertain)
            if "model" in settings:
                self.facts.record("plan.model", settings["model"], uncertain)

    def _presume_loading(self) -> None:
        """State how the model is loaded that a trainer gets from what is not followed; presumably as options say."""
        unclear = [event for event in self.trainers if self._is_loaded_somehow(event)]
        if self.run.presuming and self.trainers and (unclear or "plan.model_by_name" not in self.facts.names()):
            self._presume_options()
        for event in unclear:
            if "plan.dtype" not in self.facts.names():
                why = f"{event.place}: how the model is loaded is not known"
                self.facts.forget("plan.dtype", why, event.place)

    def _is_loaded_somehow(self, trainer: Event) -> bool:
        """Return whether a trainer gets a model that is loaded with arguments which are not known."""
        model = trainer.settings.get("model")
        if model is None or not isinstance(model.value, Loaded):
            return False
        if model.value.load is not None:
            return bool(model.value.load.why_open)
        loads = [event for event in self.run.events if event.kind == "model" and event.name.startswith(_GENERATES)]
        return not loads or any(event.why_open for event in loads)

    def _presume_options(self) -> None:
        for name, held in self.loading.items():
            fact, place = fact_of(name), held.place or self.trainers[0].place
            if fact is not None and fact not in self.facts.names() and _is_text(held.value):
                assert isinstance(held.value, Const)
                text = f"what loads the model takes its {name} from the options"
                presumes = (Presumption(CALL, text, place),)
                self.facts.set(fact, held.value.value, str(place), place, presumes)

    def _loads(self) -> list[tuple[Mapping[str, Held], str]]:
        """Return the arguments of the calls that load what is trained, each with why it may not; empty if it does.

        If the trainers do not tell, each call that loads a model for generation may be one of them.
        """
        models = [event.settings.get("model") for event in self.trainers]
        loads = [held.value.load for held in models if held is not None and isinstance(held.value, Loaded)]
        found: list[tuple[Mapping[str, Held], str]]
        found = [(load.settings, _uncalled(self.trainers)) for load in loads if load is not None]
        if found and len(found) == len(models):
            return found
        return [
            (_of_model(event), event.uncertain)
            for event in self.run.events
            if event.kind == "model" and event.name.startswith(_GENERATES) and event.name not in REWARD_MODELS
        ]

    def _presume_quantized(self, trainer: Event) -> None:
        """State the bits with which the script loads its one model before `trainer`, which presumably gets it."""
        events, place = self.run.events, trainer.place
        before = events[: events.index(trainer)]
        loads = [e for e in before if e.kind == "model" and e.name.startswith("AutoModelFor")]
        loads = [event for event in loads if event.name not in REWARD_MODELS]
        bits = quantized_to(self.source, [event.settings for event in loads], self._name)
        if b"unsloth" in self.source or any(event.why_open for event in loads):
            return
        if loads and isinstance(bits, Const):
            text = f"what {loads[-1].place} loads is the model that is trained"
            presumes = (Presumption(CALL, text, place),)
            # This fact alone presumes it.
            self.facts.set("plan.loaded_in_bits", bits.value, str(loads[-1].place), loads[-1].place, presumes)

    def _state_adapters(self) -> None:
        """State whether an adapter is trained: by what the trainer gets; without a trainer, by what is made."""
        adapters = [e for e in self.run.events if e.kind == "adapter"]
        for event in adapters:
            record = partial(self.facts.record, uncertain=_uncalled([event]))
            state_adapter(record, event)
            held = event.settings.get("modules_to_save")
            if held is not None and not _is_none(held.value):
                record("plan.modules_to_save", held)
            elif not event.why_open:
                record("plan.modules_to_save", Held(Const(()), event.place))
        for event in self.trainers:
            self._record_peft(event)
        if adapters and self.facts.get("plan.peft") is None and not self.facts.is_open("plan.peft"):
            known = not self.trainers and not adapters[0].uncertain
            wrapped = [e for e in self.run.events if e.kind == "adapted" and e.name.endswith(_WRAPS)]
            wraps = not adapters[0].uncertain and any(not event.uncertain for event in wrapped)
            value = Const(True) if known or wraps else Unknown("LoraConfig is not passed to the trainer here", (True,))
            self.facts.record("plan.peft", Held(value, adapters[0].place))
        if self.trainers and self.facts.get("plan.peft") is None:
            loaded = [e for e in self.run.events if e.kind == "model" and e.name.startswith(_WITH_ADAPTER)]
            if loaded:
                self.facts.excuse(
                    "plan.peft", f"{loaded[0].place} loads an adapter, which may be merged into the model"
                )
            if self.run.presuming:
                self._presume_adapter(self.trainers[0].place, loaded)

    def _presume_adapter(self, place: Place, loaded: list[Event]) -> None:
        """State that the trainer at `place` trains an adapter that is `loaded` to be trained; none if none is made.

        One that is loaded for inference may be merged into the model.
        """
        trainable = next((held for e in loaded if (held := e.settings.get("is_trainable")) is not None), None)
        # This fact alone presumes it.
        if trainable is not None and isinstance(trainable.value, Const) and trainable.value.value is True:
            text = "the model with the loaded adapter is the one that is trained"
            self.facts.set("plan.peft", True, "is_trainable", trainable.place, (Presumption(CALL, text, place),))
        elif not loaded and not any(event.kind in ("adapter", "adapted") for event in self.run.events):
            framework = self.facts.value("plan.framework")
            unsloth = framework == "unsloth" or self.facts.is_open("plan.framework")
            if unsloth and b"get_peft_model(" in self.source:
                # Its models keep their adapters on ways that are not followed.
                return
            text = "no function that cannot be followed gives the model an adapter"
            self.facts.set("plan.peft", False, f"{place} gets no adapter", place, (Presumption(CALL, text, place),))

    def _record_peft(self, event: Event) -> None:
        held, model = event.settings.get("peft_config"), event.settings.get("model")
        silent = b"peft" not in self.source and b"lora" not in self.source
        silent = silent and not (model is not None and isinstance(model.value, Model))
        silent = silent and (model is None or self._makes(model.value))
        if held is None:
            if silent and not event.why_open and self.facts.get("plan.peft") is None:
                self.facts.set("plan.peft", False, f"{Place(self.path)} does not use PEFT")
            return
        parts, uncertain = _parts(held.value), _uncalled([event])
        if all(isinstance(part, Obj) for part in parts) and not held.optional:
            self.facts.record("plan.peft", held._replace(value=Const(True)), uncertain)
        elif all(map(_is_none, parts)):
            is_plain = silent or not any(e.kind == "adapter" for e in self.run.events)
            if is_plain and model is not None and _is_text(model.value):
                self.facts.record("plan.peft", held._replace(value=Const(False)), uncertain)
        else:
            why = next((part.why for part in parts if isinstance(part, Unknown)), "depends on a condition")
            self.facts.record("plan.peft", held._replace(value=Unknown(why, (True,))))

    # The environment

    def _state_variables(self) -> None:
        environ = self.run.environ
        if environ.why_open:
            self.facts.forget("env", f"{Place(self.path)}: {environ.why_open}")
        then = next((e.settings["environ"].value for e in self.run.events if "environ" in e.settings), None)
        for key, held in environ.cells.items():
            if not isinstance(key, str) or not ENVIRONMENT.fullmatch(key) or self.run.inherited.get(key) == held:
                continue
            changed = isinstance(then, Table) and not _equal(then.cells.get(key, Held(UNSET)).value, held.value)
            late = Unknown("changed after the trainer is made", candidates(held.value))
            self.facts.record_variable(f"env.{key}", held._replace(value=late) if changed else held)


#: How the classes are named whose from_pretrained() loads a model that may generate.
_GENERATES = ("AutoModelFor", "AutoLigerKernel", "AutoPeftModelForCausalLM")
#: Classes whose from_pretrained() loads an adapter.
_WITH_ADAPTER = ("PeftModel", "AutoPeftModel")
_GENERATING = tuple(name.removesuffix("Config") for name in CONFIGURATIONS)


def _of_model(event: Event) -> Mapping[str, Held]:
    """Return the arguments of a call that reach the loading of the model. An adapter names the model itself.

    PEFT's ``_BaseAutoPeftModel.from_pretrained`` (``peft/auto.py``) hands its further keywords on, since 0.4.0.
    """
    of_adapter = event.name.startswith(_WITH_ADAPTER)
    return {key: held for key, held in event.settings.items() if key != "model" or not of_adapter}


def _may_make_engine(sources: Iterable[bytes]) -> bool:
    """Return whether a function in `sources` makes an engine of vLLM, other than a constructor, which is followed."""
    for source in sources:
        if not _ENGINE.search(source):
            continue
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return True
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        others = [function for function in functions if function.name != "__init__"]
        if any(_makes_engine(function) for function in others):
            return True
    return False


def _makes_engine(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(_ENGINE.fullmatch(f"{ast.unparse(call.func)}(".rpartition(".")[2].encode()) for call in calls)


def _that_count(trainers: list[Event]) -> list[Event]:
    """Return the trainers that generate if one of them certainly runs; else all, since any may be the one that runs."""
    ours = [event for event in trainers if event.name.startswith(_GENERATING)]
    return ours if any(not event.uncertain for event in ours) else trainers


def _uncalled(events: Iterable[Event]) -> str:
    """Return why what happens in `events` may not: one is in a function that is not called; empty if none is."""
    return next((event.uncertain for event in events if event.uncertain == _NOT_CALLED), "")


def _parts(value: Value) -> tuple[Value, ...]:
    return value.values if isinstance(value, Either) else (value,)


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _is_name(value: Value) -> bool:
    """Return whether a value is a text, or comes from a command line or a file of settings."""
    return _is_text(value) or (isinstance(value, Unknown) and value.why != AT_RUN_TIME)


def _is_text(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def _equal(one: Value, other: Value) -> bool:
    try:
        return same(to_plain(one), to_plain(other))
    except NotPlainError:
        return isinstance(one, type(other))


def _word(event: Event) -> str:
    return str(event.subject.value) if event.kind == "file" and isinstance(event.subject, Const) else ""
