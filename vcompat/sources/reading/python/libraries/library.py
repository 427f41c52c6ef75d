"""Models of library functions: what a script can compute settings with, and what makes a configuration or a trainer."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from vcompat.sources.reading.python import modal_apps
from vcompat.sources.reading.python.classes import configurations, pydantic_models
from vcompat.sources.reading.python.known_classes import ENGINES, OTHER_ENGINES
from vcompat.sources.reading.python.libraries import (
    builtin_models,
    dataclass_parser,
    file_changes,
    gpu_models,
    hydra_models,
    instantiation,
    loading,
    omegaconf_models,
    remote_trainers,
    setting_names,
    standard_models,
    tyro_models,
    unsloth_models,
)
from vcompat.sources.reading.python.parsers import argparse_model
from vcompat.sources.reading.python.running.harmless import READERS, STANDARD, WATCHED
from vcompat.sources.reading.python.values import objects, operators
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    Bound,
    ClassValue,
    Const,
    Frame,
    Function,
    Held,
    Lib,
    Loaded,
    Obj,
    Partial,
    Seq,
    Step,
    Unknown,
    Value,
    candidates,
    text_of,
    truth,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

Model = Callable[["Run", Site], Value]

#: Packages that are never looked for beside the script.
KNOWN_ROOTS = STANDARD | READERS | WATCHED


#: Functions of PEFT and transformers that give a model an adapter.
_ADAPTS = frozenset({"get_peft_model", "inject_adapter_in_model", "add_adapter", "prepare_model_for_kbit_training"})


def call(run: Run, callee: Lib, site: Site) -> Value:
    """Call something of a library."""
    for model in _STEPS:
        value = model(run, callee, site)
        if value is not None:
            return value
    return run.calls.unknown_call(site, AT_RUN_TIME, callee)


def _modelled(run: Run, callee: Lib, site: Site) -> Value | None:
    """Return what the model of a function returns."""
    model = _MODELS.get(callee.path) or gpu_models.MODELS.get(callee.path)
    if model is None and callee.path not in _BUILTINS:
        model = _BY_NAME.get(callee.name)
    return model(run, site) if model is not None else None


def _changing_files(run: Run, callee: Lib, site: Site) -> None:
    """Note which files a function changes."""
    if callee.path in file_changes.CHANGES_FILES:
        file_changes.change_files(run, site, callee.path)


def _patched(run: Run, callee: Lib, site: Site) -> Value | None:
    """Record a call of this package."""
    if callee.path == "vcompat.patch":
        settings = dict(site.keywords) | dict(zip(("only", "skip"), site.arguments, strict=False))
        run.record("patch", callee.path, site.place, settings, None, site.why_open)
        return Unknown()
    if callee.root == "vcompat":
        run.record("other patch call", callee.path, site.place)
    return None


def _constructor(run: Run, callee: Lib, site: Site) -> Value | None:
    """Call a library's constructor on an object of a class of the script: ``GRPOConfig.__init__(self, ...)``."""
    made = site.arguments[0].value if callee.name == "__init__" and site.arguments else None
    if not isinstance(made, Obj):
        return None
    rest = site._replace(arguments=site.arguments[1:])
    if callee.path.removesuffix(".__init__").endswith("Trainer"):
        configurations.trainer(run, callee.owner, rest, made)
    else:
        objects.set_keywords(run, made, rest)
        if rest.arguments:
            run.open(made, "positional arguments are given")
    return NONE


def _kept_path(run: Run, site: Site) -> Value:
    """Model ``os.path.abspath``: of an absolute path, and for files that the script reads, whatever the folder."""
    value = site.argument(0, "path")
    if (text_of(value) or "").startswith("/"):
        return run.operations.combine((value or Unknown(),), os.path.normpath)
    is_kept = (text_of(value) or "").endswith((".yaml", ".yml", ".json", ".toml"))
    return value if value is not None and is_kept else Unknown()


def _made(run: Run, callee: Lib, site: Site) -> Value | None:
    """Return the configuration, trainer or engine that a call makes; None if it makes none."""
    name = callee.name
    if name in ENGINES and (callee.root in ("vllm", name) or callee.imported):
        made = configurations.make(run, callee, site)
        why, settings = site.why_open, configurations.settings_of(made)
        settings |= dict(zip(("model",), site.arguments, strict=False))
        if callee.root not in ("vllm", name):
            why = f"{callee.path} was not found, so that it may be another class than vLLM's"
            settings = {
                key: held._replace(value=Unknown(why, candidates(held.value))) for key, held in settings.items()
            }
        settings["environ"] = Held(configurations.variables(run))
        run.record("engine", name, site.place, settings, made, why)
        return made
    if callee.path in OTHER_ENGINES:
        engine = Obj(callee, site.place)
        run.record("other engine", callee.path, site.place, {}, engine)
        return engine
    if name.endswith("Trainer") and name[:1].isupper():
        return configurations.trainer(run, name, site, Obj(callee, site.place))
    if name == "from_pretrained":
        return _from_pretrained(run, callee, site)
    if name.endswith(("Config", "Arguments", "Args")) and name[:1].isupper():
        return configurations.make(run, callee, site)
    return None


def _from_pretrained(run: Run, callee: Lib, site: Site) -> Value:
    owner, settings = callee.owner, dict(site.keywords) | dict(zip(("model",), site.arguments, strict=False))
    run.record("model", owner, site.place, settings, None, site.why_open)
    name = settings.get("pretrained_model_name_or_path") or settings.get("model")
    if callee.root == "peft" and owner.startswith("PeftModel") and name is not None and isinstance(name.value, Loaded):
        # The same model, with an adapter.
        return name.value
    if callee.root not in ("transformers", "liger_kernel"):
        return Loaded()
    load = Step("loaded", owner, settings, site.place, site.why_open)
    return Loaded(name=name.value if name is not None and not name.optional else Unknown(), load=load)


def _of_unsloth(run: Run, callee: Lib, site: Site) -> Value | None:
    return unsloth_models.call(run, callee, site) if callee.root == "unsloth" else None


def _adapted(run: Run, callee: Lib, site: Site) -> Value | None:
    """Call a function of PEFT that gives a model an adapter, or prepares it for one, and returns it."""
    if callee.name not in _ADAPTS:
        return None
    run.record("adapted", callee.path, site.place)
    model = site.argument(0, "model")
    unknown = run.calls.unknown_call(site, AT_RUN_TIME, callee)
    return model if isinstance(model, Loaded) and callee.root == "peft" else unknown


def _pure(run: Run, callee: Lib, site: Site) -> Value | None:
    """Return the result of a pure function on plain values; None if its arguments are objects."""
    if callee.path not in operators.PURE:
        return None
    if site.why_open:
        return Unknown(site.why_open)
    if callee.path == "bool" and len(site.arguments) == 1:
        known = truth(site.arguments[0].value)
        return Unknown() if known is None else Const(known)
    if callee.path == "len" and isinstance(site.arguments[0].value if site.arguments else None, Seq):
        items = site.arguments[0].value.items  # type: ignore[union-attr]
        return Unknown() if items is None else Const(len(items))
    apply, names = operators.PURE[callee.path], list(site.keywords)
    count = len(site.arguments)
    operands = tuple(held.value for held in (*site.arguments, *site.keywords.values()))
    if any(isinstance(value, Function | Bound | Partial | ClassValue) for value in operands):
        return None
    return run.operations.combine(operands, lambda *v: apply(*v[:count], **dict(zip(names, v[count:], strict=True))))


def hydra_main(run: Run, function: Function, node: ast.expr, frame: Frame) -> Value:
    """Return the function that ``@hydra.main`` makes: it gets the composed configuration."""
    site = run.expressions.site(node, frame) if isinstance(node, ast.Call) else None
    return hydra_models.decorated(run, function, site)


_MODELS: Mapping[str, Model] = {
    **builtin_models.MODELS,
    **standard_models.MODELS,
    **setting_names.MODELS,
    "pydantic.Field": pydantic_models.field,
    "pydantic.fields.Field": pydantic_models.field,
    "os.path.abspath": _kept_path,
    "os.path.realpath": _kept_path,
    "os.path.expanduser": _kept_path,
    **dict.fromkeys(modal_apps.APPS, modal_apps.app),
    "open": loading.open_file,
    "pathlib.Path.cwd": loading.working_folder,
    "argparse.ArgumentParser": argparse_model.make,
    "json.loads": loading.json_text,
    "json.load": loading.contents("fp", "json"),
    **dict.fromkeys(
        ("yaml.safe_load", "yaml.load", "yaml.full_load", "yaml.unsafe_load"), loading.contents("stream", "yaml")
    ),
    **dict.fromkeys(("tomllib.load", "tomli.load", "toml.load"), loading.contents("fp", "toml")),
    "tomllib.loads": loading.contents("s", "toml"),
    **hydra_models.MODELS,
    **instantiation.MODELS,
    **omegaconf_models.MODELS,
    **tyro_models.MODELS,
}
#: Functions that are recognized by their last name, since scripts import them from many places.
_BY_NAME: Mapping[str, Model] = {
    "HfArgumentParser": lambda run, site: dataclass_parser.make(run, Lib("transformers.HfArgumentParser"), site),
    "H4ArgumentParser": lambda run, site: dataclass_parser.make(run, Lib("transformers.H4ArgumentParser"), site),
    "get_peft_config": standard_models.adapter_of,
    "TrlParser": lambda run, site: dataclass_parser.make(run, Lib("trl.TrlParser"), site),
}
_BUILTINS = frozenset(_MODELS)
#: What a call may be, in the order in which it is tried. Each returns None if it is something else.
_STEPS: Sequence[Callable[[Run, Lib, Site], Value | None]] = (
    _modelled,
    _constructor,
    _pure,
    _of_unsloth,
    remote_trainers.call,
    _adapted,
    _patched,
    _changing_files,
    _made,
)
