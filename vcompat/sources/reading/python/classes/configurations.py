"""Objects that configure a run - configurations, trainers, engines, adapters, models - recorded when they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vcompat.facts.presumption import CALL
from vcompat.sources.reading.python.classes.constructions import constructed
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS, first_parameter
from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    NONE,
    OPEN,
    ClassValue,
    Const,
    Held,
    Lib,
    Obj,
    Table,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: Trainers whose second argument are the reward functions.
_REWARDS_SECOND = ("GRPOTrainer", "RLOOTrainer")
#: The setting of a trainer's event that names the class whose constructor ran instead of the trainer's own.
SKIPPED = "constructor of"
#: The one that names the class of a module that was not read.
UNREAD = "class of"
#: Packages whose trainers that generate are TRL's.
_HAVE_TRLS_TRAINERS = frozenset({"trl", "unsloth"})
_ADAPTERS = frozenset({"LoraConfig", "PeftConfig"})
#: Libraries whose configurations have the defaults that vcompat knows, or that matter to no fact.
_WITH_OWN_DEFAULTS = frozenset("trl transformers peft vllm accelerate omegaconf argparse datasets deepspeed".split())
_NOT_TRAINERS = frozenset("LoraConfig PeftConfig GenerationConfig AutoConfig BitsAndBytesConfig".split())


def kind_name(run: Run, kind: Value) -> str:
    """Return the name of the library class that `kind` is or extends; its own name if there is none."""
    names = [owner.name for owner in run.objects.library_classes(kind)]
    if not names:
        assert isinstance(kind, ClassValue)
        return kind.name
    return next((name for name in names if name in CONFIGURATIONS), names[0])


def is_own(run: Run, kind: Value) -> bool:
    """Return whether a class of the script extends no class of a library, so that its name tells nothing."""
    return all(isinstance(owner, ClassValue) for owner in run.objects.lineage(kind))


def is_configuration(run: Run, value: Value) -> bool:
    """Return whether `value` is a configuration of a trainer."""
    if not isinstance(value, Obj):
        return False
    name = kind_name(run, value.kind)
    return name in CONFIGURATIONS or (name.endswith(("Config", "Arguments", "Args")) and name not in _NOT_TRAINERS)


def made(run: Run, value: Obj, site: Site) -> None:
    """Record an object that was made, if it has to do with the run."""
    name = kind_name(run, value.kind)
    if is_own(run, value.kind):
        if name not in CONFIGURATIONS and _looks_like_one(run, value):
            run.record("configuration", name, site.place, {"self": Held(snapshot(value))}, value)
    elif name in _ADAPTERS:
        run.record("adapter", name, site.place, settings_of(value), value, value.why_open)
    elif name in CONFIGURATIONS or name == "TrainingArguments" or _looks_like_one(run, value):
        run.record("configuration", name, site.place, {"self": Held(snapshot(value))}, value)


def _looks_like_one(run: Run, value: Obj) -> bool:
    """Return whether an object of an unknown class configures vLLM in a trainer, by its settings."""
    return is_configuration(run, value) and any(isinstance(k, str) and k.startswith("vllm_") for k in value.cells)


def make(run: Run, kind: Lib, site: Site) -> Obj:
    """Make an instance of a library's class that configures something."""
    value = Obj(kind, site.place)
    constructed(run, kind, site)
    for index, held in enumerate(site.arguments):
        positional(run, value, [kind], index, held)
    objects.set_keywords(run, value, site)
    open_like(run, value, kind)
    made(run, value, site)
    return value


def open_like(run: Run, value: Obj, kind: Lib) -> None:
    """Open an instance of a library's class, or of a class that extends it, as far as that class is not known."""
    why = run.tampered.get(kind.name) or run.tampered.get(kind.path)
    if why:
        run.open(value, why)
    elif kind.imported and kind.root not in _WITH_OWN_DEFAULTS:
        # A class of a module that was not read can have any defaults.
        run.open_more(value, f"{kind.path} was not found, so that its defaults are not known")


def positional(run: Run, value: Obj, bases: list[Lib], index: int, held: Held) -> None:
    """Take a positional argument of a library's constructor."""
    first = first_parameter(bases[0].name) if bases and index == 0 else ""
    if first:
        run.state.write(value, first, held)
    else:
        run.open(value, "positional arguments are given")


def trainer(run: Run, name: str, site: Site, subject: Value) -> Value:
    """Record the construction of a trainer, with its configuration as it is now.

    `name` is the class whose constructor runs. A class of the script that extends a trainer which generates, and calls
    the constructor of another class instead of that one's, has most probably taken over what the skipped one does.
    """
    extends = next((base for base in _generating(run, subject) if base != name), "")
    why = run.tampered.get(name) or ""
    if why:
        for value in site.values:
            run.open(value, why)
    held = site.keywords.get("args") or next((a for a in site.arguments if _may_configure(run, a.value)), None)
    if run.presuming and _generates(extends or name):
        held = _with_what_is_set(run, extends or name, held, site)
    settings = dict(site.keywords)
    positional_names = ("model", "reward_funcs") if name in _REWARDS_SECOND else ("model",)
    for setting, argument in zip(positional_names, site.arguments, strict=False):
        settings.setdefault(setting, argument)
    if held is not None:
        settings["args"] = Held(snapshot(held.value), held.place)
        settings["made"] = held
    settings["environ"] = Held(variables(run))
    if extends:
        settings[SKIPPED] = Held(Const(name), site.place)
    unread = _unread(run, subject, extends or name)
    if unread and run.presuming:
        run.presume(CALL, f"{unread}, which was not found, does what TRL's does", site.place)
    elif unread:
        settings[UNREAD] = Held(Const(unread), site.place)
        why = why or f"{unread} was not found"
    run.record("trainer", extends or name, site.place, settings, subject, site.why_open or why)
    return subject


def _with_what_is_set(run: Run, name: str, held: Held | None, site: Site) -> Held | None:
    """Return the configuration that a trainer gets: for one that is not known, an object with what the script sets."""
    given = held or site.held(2, "args")
    if given is None or type(given.value) is not Unknown:
        return held
    stated = run.shadow(given.value).cells
    if not stated:
        return held
    made = Obj(Lib(f"trl.{name.removesuffix('Trainer')}Config"), given.place)
    made.cells = {**stated, OPEN: Held(Const(given.value.why))}
    run.presume(CALL, f"the configuration that {name} gets is TRL's, and keeps what the script sets", site.place)
    return given._replace(value=made)


def _unread(run: Run, value: Value, name: str) -> str:
    """Return the path of the trainer `name` that generates, if it is of a module that was not read; else empty."""
    if not isinstance(value, Obj) or not _generates(name):
        return ""
    extended = (kind for kind in run.objects.library_classes(value.kind) if kind.name == name and kind.imported)
    return next((kind.path for kind in extended if kind.root not in _HAVE_TRLS_TRAINERS), "")


def _generates(name: str) -> bool:
    return name.removesuffix("Trainer") + "Config" in CONFIGURATIONS


def _generating(run: Run, value: Value) -> list[str]:
    """Return the names of the trainers of libraries that generate and that the class of an object extends."""
    if not isinstance(value, Obj) or not isinstance(value.kind, ClassValue):
        return []
    names = [owner.name for owner in run.objects.library_classes(value.kind)]
    return list(filter(_generates, names))


def trained(run: Run, subject: Obj, site: Site) -> None:
    """Record that a trainer trains, with its configuration as it is now: what changes later has no effect."""
    made = [event for event in run.events if event.kind == "trainer" and event.subject is subject]
    absent: Value = Unknown(site.why_open) if site.why_open else NONE
    given = site.held(0, "resume_from_checkpoint") or Held(absent, site.place)
    run.record("resume", "train", site.place, {"from": given}, subject)
    held = made[0].settings.get("made") if len(made) == 1 else None
    if held is not None:
        run.record("trained", made[0].name, site.place, {"args": Held(snapshot(held.value), held.place)}, subject)


def arguments_of(run: Run, subject: Obj) -> Value | None:
    """Return the configuration that the constructor of a trainer has kept as ``args``; None if that is not known."""
    made = [event for event in run.events if event.kind == "trainer" and event.subject is subject]
    kept = made[0].settings.get("made") if len(made) == 1 and not made[0].uncertain else None
    return kept.value if kept is not None else None


def _may_configure(run: Run, value: Value) -> bool:
    return any(is_configuration(run, part) for part in alternatives(value))


def snapshot(value: Value) -> Value:
    """Return a copy of a configuration, or of each of several, as it is now."""
    return objects.copied(value, deep=True)


def settings_of(value: Obj) -> dict[str, Held]:
    """Return the attributes that the script has set."""
    return {str(key): held for key, held in value.cells.items() if key is not OPEN}


def variables(run: Run) -> Value:
    """Return the environment variables as they are now."""
    return Table(dict(run.environ.cells))
