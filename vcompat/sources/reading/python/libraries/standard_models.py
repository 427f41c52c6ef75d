"""Models of functions of the standard library, of runners of commands, and of TRL's helpers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from vcompat.sources.reading.python.classes import classes, configurations
from vcompat.sources.reading.python.classes.configurations import is_configuration
from vcompat.sources.reading.python.known_classes import ENGINES
from vcompat.sources.reading.python.parsers import function_options
from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    Bound,
    ClassValue,
    Const,
    Either,
    Function,
    Held,
    Lib,
    Obj,
    Partial,
    Seq,
    Table,
    Unknown,
    Value,
    join,
    text_of,
    truth,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

Model = Callable[["Run", Site], Value]


def _getenv(run: Run, site: Site) -> Value:
    name, default = site.argument(0, "key"), site.argument(1, "default") or NONE
    return run.variable(str(name.value), default) if isinstance(name, Const) else Unknown()


def _putenv(run: Run, site: Site) -> Value:
    # Child processes get it, os.environ does not.
    name = site.arguments[0].value if site.arguments else None
    if isinstance(name, Const):
        before = run.environ.cells.get(str(name.value))
        known = before.value if before else Unknown()
        run.state.write(run.environ, str(name.value), Held(join(known, Unknown("set with putenv")), site.place))
    return NONE


# Copies, partials, dataclasses


def _copy(run: Run, site: Site, deep: bool = False) -> Value:
    value = site.argument(0, "x")
    return objects.copied(value, deep) if value is not None else Unknown()


def _replace(run: Run, site: Site) -> Value:
    value = site.arguments[0].value if site.arguments else None
    if isinstance(value, Either):
        # Which class is constructed is not known.
        each = site._replace(parsed=True)
        parts = [_replace(run, each._replace(arguments=(Held(part), *site.arguments[1:]))) for part in value.values]
        return Either(tuple(parts))
    if not isinstance(value, Obj):
        return Unknown(value.why if isinstance(value, Unknown) else AT_RUN_TIME)
    made = objects.copied(value)
    assert isinstance(made, Obj)
    made.place = site.place
    classes.replaced(run, made.kind, site)
    objects.set_keywords(run, made, site)
    if isinstance(made.kind, ClassValue):
        post = run.objects.inherited(made.kind, "__post_init__", made, own=True)
        if post is not None:
            run.calls.call(post, site._replace(arguments=(), keywords={}, why_open=""))
    configurations.made(run, made, site)
    return made


def _partial(run: Run, site: Site) -> Value:
    if not site.arguments or site.why_open:
        return run.calls.unknown_call(site, AT_RUN_TIME)
    return Partial(site.arguments[0].value, site.arguments[1:], dict(site.keywords))


def as_dictionary(run: Run, site: Site) -> Value:
    """Model ``dataclasses.asdict``, also of a configuration, whose defaults are not all known."""
    value = site.argument(0, "obj")
    if isinstance(value, Either):
        return Either(tuple(as_dictionary(run, site._replace(arguments=(Held(part),))) for part in value.values))
    if isinstance(value, Obj):
        table = Table(dict(value.cells))
        name = configurations.kind_name(run, value.kind)
        # An engine has the same defaults as its arguments.
        if name not in ENGINES and (isinstance(value.kind, Lib) or is_configuration(run, value)):
            run.open_more(table, "the defaults of its class are not all known")
        return objects.copied(table, deep=True)
    return Unknown()


def _namespace(run: Run, site: Site) -> Value:
    made = Obj(Lib("argparse.Namespace"), site.place)
    objects.set_keywords(run, made, site)
    return made


def _field(run: Run, site: Site) -> Value:
    made = Obj(Lib("dataclasses.field"))
    made.cells.update(site.keywords)
    return made


def _first(run: Run, site: Site) -> Value:
    """Return the first argument: functions that call it, or give it back as it is."""
    return site.arguments[0].value if site.arguments else Unknown()


def _second(run: Run, site: Site) -> Value:
    """Return the second argument, as ``typing.cast`` does."""
    return site.argument(1, "val") or Unknown()


def _called(run: Run, site: Site, by: str = "") -> Value:
    """Call the first argument, as ``typer.run(main)`` does, with what the command line says."""
    function = site.arguments[0].value if site.arguments else None
    if isinstance(function, Function):
        more = site._replace(arguments=site.arguments[1:])
        return run.calls.call(function, function_options.started(run, function, run.words, more, by))
    if not site.arguments:
        return Unknown()
    return run.calls.call(
        site.arguments[0].value, site._replace(arguments=(), keywords={}, why_open="taken from the command line")
    )


def _apply(run: Run, site: Site) -> Value:
    """Call ``target`` in a thread or process that runs."""
    target = site.keywords.get("target")
    if target is None or not isinstance(target.value, Function | Bound | Partial):
        return run.calls.unknown_call(site, AT_RUN_TIME)
    run.calls.maybe_call(target.value, "runs in another thread or process")
    return Unknown()


def _import_module(run: Run, site: Site) -> Value:
    name = text_of(site.argument(0, "name"))
    return run.imports.imported(name, site.node, site.frame) if name is not None else Unknown()


#: Settings of TRL's ModelConfig for the adapter: LoraConfig's argument, and the default if it is not LoraConfig's.
_LORA: Mapping[str, tuple[str, Any]] = {
    "lora_dropout": ("lora_dropout", 0.05),
    "lora_modules_to_save": ("modules_to_save", None),
    "lora_r": ("r", 16),
    "lora_target_modules": ("target_modules", None),
}


def _set(run: Run, model: Obj, option: str) -> Held | None:
    """Return what an object, or its class in the script, sets; None if neither does."""
    held = model.cells.get(option)
    if held is None and any(option in kind.cells for kind in run.objects.own_classes(model.kind)):
        return Held(run.objects.attribute(model, option))
    return held


def _asks(run: Run, model: Obj, option: str) -> bool | None:
    """Return whether an option of ModelConfig, which is off by default, is on; None if that is not known."""
    held = _set(run, model, option)
    if held is None:
        of_others = any(kind.root not in ("trl", "object") for kind in run.objects.library_classes(model.kind))
        return None if model.why_open or of_others else False
    return None if held.optional else truth(held.value)


def _unpacked(held: Held) -> Held:
    """Return the one item of a list, as ModelConfig does; PEFT then takes it as a pattern, or for all-linear."""
    items = held.value.items if isinstance(held.value, Seq) else None
    return held._replace(value=items[0].value) if items is not None and len(items) == 1 else held


def adapter_of(run: Run, site: Site) -> Value:
    """Model TRL's function: an adapter if `use_peft` of ModelConfig is set, else None."""
    model = site.argument(0, "model_args")
    if not isinstance(model, Obj):
        return Unknown(model.why if isinstance(model, Unknown) else AT_RUN_TIME, (None,))
    wanted = _asks(run, model, "use_peft")
    if wanted is False:
        return NONE
    if wanted is None:
        return Unknown(model.why_open or AT_RUN_TIME, (None,))
    adapter = Obj(Lib("peft.LoraConfig"), site.place)
    for setting, (argument, default) in _LORA.items():
        held = _set(run, model, setting)
        if held is not None and setting == "lora_target_modules":
            held = _unpacked(held)
        if held is not None:
            adapter.cells[argument] = held
        elif model.why_open:
            adapter.cells[argument] = Held(Unknown(model.why_open))
        elif default is not None:
            adapter.cells[argument] = Held(Const(default), site.place)
    configurations.made(run, adapter, site)
    return adapter


def quantization_of(run: Run, site: Site) -> Value:
    """Model TRL's function: a BitsAndBytesConfig if ModelConfig asks for 4 or 8 bits, else None.

    ``get_quantization_config`` in ``trl/trainer/utils.py`` has been so since it came with TRL 0.7.11.
    """
    model = site.argument(0, "model_args")
    if not isinstance(model, Obj):
        return Unknown(model.why if isinstance(model, Unknown) else AT_RUN_TIME, (None,))
    for option in ("load_in_4bit", "load_in_8bit"):
        wanted = _asks(run, model, option)
        if wanted is None:
            return Unknown(model.why_open or AT_RUN_TIME, (None,))
        if wanted:
            made = Obj(Lib("transformers.BitsAndBytesConfig"), site.place)
            made.cells[option] = Held(Const(True), site.place)
            return made
    return NONE


#: The models, by dotted name.
MODELS: Mapping[str, Model] = {
    "os.getenv": _getenv,
    "os.putenv": _putenv,
    "copy.copy": _copy,
    "copy.deepcopy": partial(_copy, deep=True),
    "dataclasses.replace": _replace,
    "functools.partial": _partial,
    "dataclasses.asdict": as_dictionary,
    "dataclasses.field": _field,
    "types.SimpleNamespace": _namespace,
    "argparse.Namespace": _namespace,
    "typing.cast": _second,
    "fire.Fire": partial(_called, by="fire"),
    "typer.run": _called,
    "absl.app.run": _called,
    "app.run": _called,
    "asyncio.run": _first,
    **dict.fromkeys(
        (f"trl{module}.get_quantization_config" for module in ("", ".trainer", ".trainer.utils")), quantization_of
    ),
    "threading.Thread": _apply,
    "multiprocessing.Process": _apply,
    "importlib.import_module": _import_module,
    "__import__": _import_module,
}
