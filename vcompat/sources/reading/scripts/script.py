"""Reads the settings of a training script. The script is executed abstractly; nothing in it is run.

The settings are those of the configuration that the trainer gets, at the moment at which it gets it; without a trainer,
those of the configurations that the script makes. What is not known makes a fact unknown, with the position and the
possible values. ``facts.derive`` adds TRL's defaults for settings that are not set.
"""

from __future__ import annotations

import re

from vcompat.facts.defaults import SETTINGS
from vcompat.facts.facts import Place
from vcompat.facts.frameworks import replaces_trl
from vcompat.facts.presumption import CALL, Presumption
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.foundation.bounded_reading import read_bytes
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.code_uses import code_uses
from vcompat.sources.reading.part import Configuration, Mention, Part
from vcompat.sources.reading.project import as_given
from vcompat.sources.reading.python.chat_template import chat_templates
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.parsing import check_compiles, parse
from vcompat.sources.reading.python.patch_call import patched
from vcompat.sources.reading.python.values.core import Event, Start
from vcompat.sources.reading.python.values.values import UNSET, Const, Held, Table, Unknown, candidates, plain_or
from vcompat.sources.reading.scripts.adapter_facts import state_adapters
from vcompat.sources.reading.scripts.assigned import all_assigned, record_assigned
from vcompat.sources.reading.scripts.engine_calls import state_engines
from vcompat.sources.reading.scripts.executed import Executed
from vcompat.sources.reading.scripts.model_loading import state_init_kwargs
from vcompat.sources.reading.scripts.own_engine import open_engine
from vcompat.sources.reading.scripts.remote_processes import state_remote
from vcompat.sources.reading.scripts.resuming import state_resuming
from vcompat.sources.reading.scripts.script_configurations import (
    Configured,
    configured_by,
    deciding,
    in_force,
    is_equal,
    shared,
)
from vcompat.sources.reading.scripts.script_facts import ScriptFacts
from vcompat.sources.reading.scripts.trainer_arguments import state_arguments
from vcompat.sources.reading.scripts.trainer_facts import presume_loading, state_loaded, state_trainers
from vcompat.sources.reading.scripts.unsloth_facts import state_framework, state_padding, state_untrained
from vcompat.sources.reading.settings import fact_of

#: Maximum file size in bytes. Training scripts are much smaller.
SIZE_LIMIT = 4_000_000
_EXPECTED = "a training script"
#: What starts another program.
_STARTS = re.compile(rb"\b(?:subprocess|popen|os\.(?:system|exec\w+|spawn\w+|posix_spawn\w*))\b")
#: What a script has that trains, however it makes its trainer.
_TRAINS = re.compile(rb"trainer|\.train\(")
#: What excludes weights from the training: of how many, only running it tells.
_FREEZES = re.compile(rb"\brequires_grad_?\s*(?:=|\()\s*false\b|\bfreeze_?\w*\(")
#: A call that adds a class of the script's own to the models of transformers or vLLM.
_REGISTERS = re.compile(rb"\b(?:auto\w+|modelregistry)\.register")
#: Settings of TRL's ModelConfig about how the model is loaded. No trainer reads them, only what loads the model.
_LOADS = frozenset({"dtype", "torch_dtype", "attn_implementation"})


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
        return _not_followed(run) if run.failed else _Reader(run).part()
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
    if not start.lines:
        check_compiles(path, source)
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


def _not_followed(run: Interpreter) -> Part:
    """Return what is known of a script whose execution was given up."""
    facts, whole = ScriptFacts(run.path), Place(run.path)
    why = f"{whole}: {run.failed}"
    facts.forget("plan.patched", run.failed, whole)
    facts.forget("env", why, whole)
    return Part(facts, why_open=why, given_up=(why,), clears_variables=True)


class _Reader:
    """States the facts of one executed script."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.ran = Executed(run)
        self.facts = ScriptFacts(run.path)
        self.mentions: list[Mention] = []
        self.loading: dict[str, Held] = {}
        """Settings of the configuration about how the model is loaded, by name."""

    def part(self) -> Part:
        """Return what the script says."""
        facts, run, ran = self.facts, self.run, self.ran
        configured, uncertain = deciding(ran)
        why_open = self._state_configurations(configured, uncertain)
        state_engines(facts, ran)
        state_trainers(facts, ran)
        if not ran.trainers:
            state_untrained(facts.record, run.events)
        state_resuming(facts, run.events, ran.trainers)
        state_arguments(facts, ran)
        open_engine(facts, ran)
        state_remote(facts, ran)
        if ran.presuming and ran.engines and not configured and not ran.trainers:
            # A call that was not followed might train.
            facts.set("plan.trainer", None, f"{ran.whole} generates only", ran.engines[0].place)
        state_framework(facts.record, run.events)
        if b"unsloth" in ran.source:
            state_padding(facts.record, run)
        state_adapters(facts, ran)
        state_loaded(facts, ran)
        presume_loading(facts, ran, self.loading)
        self._state_variables()
        if b"destroy_process_group(" in ran.source:
            facts.set("plan.ends_process_groups", True, f"{ran.whole} calls destroy_process_group()", ran.whole)
        if _FREEZES.search(ran.source):
            facts.forget("plan.trainer_mib", f"{ran.whole} freezes weights", ran.whole)
        if _REGISTERS.search(ran.source):
            facts.forget("plan.registers_models", f"{ran.whole} registers classes", ran.whole)
        patched(facts, run)
        chat_templates(facts, run)
        # Another framework's classes of the same names have other settings, and take others.
        facts.stated = () if replaces_trl(facts) else tuple(run.stated)
        facts.uses = code_uses(run)
        return self._part(configured, why_open)

    def _part(self, configured: list[Configured], why_open: str) -> Part:
        """Return the facts, with what else the run files of the script need."""
        ran, files = self.ran, self.ran.events("file")
        calls = {c.place for c in configured if c.kind == "made"}
        presumes, of_variables = ran.presumptions()
        makes = bool(configured or ran.trainers or (self.run.given_up and b"trainer" in ran.source))
        trains = makes or bool(ran.engines)
        return Part(
            self.facts,
            takes_defaults=bool(configured) and not why_open and not any(c.copies for c in configured),
            why_open=why_open,
            mentions=tuple(self.mentions),
            configuration=Configuration("python", calls.pop(), configured[0].name) if len(calls) == 1 else None,
            overridable=self.facts.overridable,
            clears_variables=bool(ran.events("cleared")),
            trains=trains,
            generates_only=trains and not makes,
            may_train=not trains and _TRAINS.search(ran.source) is not None,
            may_start=_STARTS.search(ran.source) is not None,
            files=tuple(file.name for file in files if not _is_missing(file)),
            missing=tuple(Mention(file.name, "settings", file.place) for file in files if _is_missing(file)),
            presumes=presumes,
            presumes_of_variables=of_variables,
            given_up=tuple(dict.fromkeys(self.run.given_up)),
        )

    # Configurations

    def _state_configurations(self, configured: list[Configured], uncertain: str) -> str:
        """State the settings that all configurations share. Return why there may be others; empty if there are not."""
        if not configured:
            return ""
        first = configured[0]
        self._state_class(configured, uncertain)
        assigned = all_assigned(c.assigned for c in configured)
        for name, held in in_force(shared(configured)).items():
            self._state_setting(name, held, uncertain, is_assigned=name in assigned)
        unclear = next((c for c in configured if c.why_open), first._replace(why_open=uncertain))
        why = f"{unclear.place}: {unclear.why_open}" if unclear.why_open else ""
        for setting in SETTINGS if why else ():
            if self.facts.recorded(f"plan.{setting}") is None and not self.facts.is_open(f"plan.{setting}"):
                self.facts.forget(f"plan.{setting}", why)
        return why

    def _state_class(self, configured: list[Configured], uncertain: str) -> None:
        """State the class of the configurations. Presumably, one that the project has copied from TRL is TRL's."""
        fact, first = "plan.configuration", configured[0]
        place, copies = first.place, first.copies
        if not copies or len({c.copies for c in configured}) > 1:
            if first.name and len({c.name for c in configured}) == 1:
                self.facts.record(fact, Held(Const(first.name), place), uncertain)
            else:
                self.facts.forget(fact, f"{place}: {first.why_open or 'several'}")
        elif self.ran.presuming:
            presumes = (Presumption(CALL, f"the {copies} of the project is a copy of TRL's", place),)
            self.facts.set(fact, copies, str(place), place, presumes)
        else:
            self.facts.record(fact, Held(Unknown(f"the {copies} of the project is not TRL's", (copies,)), place))

    def _state_setting(self, name: str, held: Held, uncertain: str, is_assigned: bool) -> None:
        if name == "model_init_kwargs":
            state_init_kwargs(self.facts.record, held)
        elif name == "deepspeed":
            self._state_deepspeed(held, uncertain)
        elif name in _LOADS and not self.run.start.is_command:
            self.loading[name] = held
        elif (fact := fact_of(name)) is not None and is_assigned:
            record_assigned(self.facts, fact, held, uncertain, self.ran.presuming)
        elif fact is not None:
            self.facts.record(fact, held, uncertain)

    def _state_deepspeed(self, held: Held, uncertain: str) -> None:
        place, plain = held.place or self.ran.whole, plain_or(held.value, None)
        if isinstance(plain, dict) and not uncertain:
            from vcompat.sources.reading.configurations.deepspeed_config import state_table

            state_table(self.facts, plain, lambda keys: place)
            return
        self.facts.record("plan.deepspeed", held, uncertain)
        if isinstance(plain, str):
            self.mentions.append(Mention(as_given(plain, self.run.path), "deepspeed", place))

    # The environment

    def _state_variables(self) -> None:
        environ = self.run.environ
        if environ.why_open:
            self.facts.forget("env", f"{self.ran.whole}: {environ.why_open}")
        then = next((e.settings["environ"].value for e in self.run.events if "environ" in e.settings), None)
        for key, held in environ.cells.items():
            if not isinstance(key, str) or not ENVIRONMENT.fullmatch(key) or self.run.inherited.get(key) == held:
                continue
            changed = isinstance(then, Table) and not is_equal(then.cells.get(key, Held(UNSET)).value, held.value)
            late = Unknown("changed after the trainer is made", candidates(held.value))
            self.facts.record_variable(f"env.{key}", held._replace(value=late) if changed else held)


def _is_missing(file: Event) -> bool:
    """Return whether a file that a script loads was not found."""
    return isinstance(file.subject, Const) and file.subject.value == "missing"
