"""Models of library functions: what a script can compute settings with, and what makes a configuration or a trainer."""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from vcompat.sources.plan.python import argparse_model, configurations, dataclass_parser, loading, objects, operators
from vcompat.sources.plan.python.configurations import is_configuration
from vcompat.sources.plan.python.core import Jump, Site, Stopped
from vcompat.sources.plan.python.harmless import READERS
from vcompat.sources.plan.python.values import (
    AT_RUN_TIME,
    NONE,
    UNSET,
    Bound,
    ClassValue,
    Const,
    Either,
    Frame,
    Function,
    Held,
    Lib,
    NotPlainError,
    Obj,
    Partial,
    Seq,
    Super,
    Table,
    Unknown,
    Value,
    from_plain,
    join,
    to_plain,
    truth,
)

if TYPE_CHECKING:
    from vcompat.sources.plan.python.statements import Execution

Model = Callable[["Execution", Site], Value]

STANDARD = frozenset(sys.stdlib_module_names)
#: Packages whose import is an event: patches must come before some of them.
WATCHED = frozenset({"vllm", "trl", "vcompat", "transformers", "unsloth"})
#: Packages that are never looked for beside the script.
KNOWN_ROOTS = STANDARD | READERS | WATCHED


def call(run: Execution, callee: Lib, site: Site) -> Value:
    """Call something of a library."""
    model = _MODELS.get(callee.path) or (_BY_NAME.get(callee.name) if callee.path not in _BUILTINS else None)
    if model is not None:
        return model(run, site)
    if callee.name == "__init__" and site.arguments and isinstance(site.arguments[0].value, Obj):
        return _constructor(run, callee, site)
    if callee.path in operators.PURE:
        pure = _pure(run, callee, site)
        if pure is not None:
            return pure
    if callee.path == "vcompat.patch":
        run.record("patch", callee.path, site.place, dict(site.keywords) | _numbered(site), None, site.why_open)
        return Unknown()
    if callee.root == "vcompat":
        run.record("other patch call", callee.path, site.place)
    made = _made(run, callee, site)
    if made is not None:
        return made
    return run.unknown_call(site, AT_RUN_TIME, callee)


def _constructor(run: Execution, callee: Lib, site: Site) -> Value:
    """Call a library's constructor on an object of a class of the script: ``GRPOConfig.__init__(self, ...)``."""
    made = site.arguments[0].value
    assert isinstance(made, Obj)
    rest = site._replace(arguments=site.arguments[1:])
    if callee.path.removesuffix(".__init__").endswith("Trainer"):
        configurations.trainer(run, callee.path.split(".")[-2], rest, made)
    else:
        objects.set_keywords(run, made, rest)
        if rest.arguments:
            run.open(made, "positional arguments are given")
    return NONE


def _kept_path(run: Execution, site: Site) -> Value:
    """Model ``os.path.abspath`` for files that the script reads: the same file, whatever the folder."""
    value = site.argument(0, "path")
    text = value.value if isinstance(value, Const) else None
    if isinstance(value, Const) and isinstance(text, str) and text.endswith((".yaml", ".yml", ".json", ".toml")):
        return value
    return Unknown()


def _numbered(site: Site) -> dict[str, Held]:
    return dict(zip(("only", "skip"), site.arguments, strict=False))


def _made(run: Execution, callee: Lib, site: Site) -> Value | None:
    """Return the configuration, trainer or engine that a call makes; None if it makes none."""
    name = callee.name
    if name in configurations.ENGINES and (callee.root in ("vllm", name) or callee.imported):
        made = configurations.make(run, callee, site)
        settings = configurations.settings_of(made) | _model(site) | {"environ": Held(configurations.variables(run))}
        run.record("engine", name, site.place, settings, made, site.why_open)
        return made
    if name.endswith("Trainer") and name[:1].isupper():
        return configurations.trainer(run, name, site, Obj(callee, site.place))
    if name == "from_pretrained":
        return _from_pretrained(run, callee, site)
    if name.endswith(("Config", "Arguments", "Args")) and name[:1].isupper():
        return configurations.make(run, callee, site)
    if name.endswith("Parser") and name in dataclass_parser.PARSERS:
        return dataclass_parser.make(run, callee, site)
    return None


def _model(site: Site) -> dict[str, Held]:
    return {"model": site.arguments[0]} if site.arguments else {}


def _from_pretrained(run: Execution, callee: Lib, site: Site) -> Value:
    owner = callee.path.split(".")[-2] if "." in callee.path else ""
    settings = dict(site.keywords)
    if site.arguments:
        settings["model"] = site.arguments[0]
    run.record("model", owner, site.place, settings, None, site.why_open)
    return Unknown()


def _pure(run: Execution, callee: Lib, site: Site) -> Value | None:
    """Return the result of a pure function on plain values; None if its arguments are objects."""
    if site.why_open:
        return Unknown(site.why_open)
    if callee.path in ("bool", "any", "all") and len(site.arguments) == 1 and callee.path == "bool":
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
    return run.combine(operands, lambda *v: apply(*v[:count], **dict(zip(names, v[count:], strict=True))))


# Builtins


def _range(run: Execution, site: Site) -> Value:
    try:
        numbers = range(*(to_plain(held.value) for held in site.arguments))
    except (NotPlainError, TypeError, ValueError):
        return Seq("list", None)
    return Seq("list", [Held(Const(n)) for n in numbers] if len(numbers) <= 1000 else None)


def _zip(run: Execution, site: Site) -> Value:
    columns = [run.iterate(held.value) for held in site.arguments]
    if site.why_open or any(column is None for column in columns):
        return Seq("list", None)
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Seq("list", [Held(Seq("tuple", row)) for row in rows])


def _enumerate(run: Execution, site: Site) -> Value:
    items = run.iterate(site.arguments[0].value) if site.arguments else None
    if items is None or len(site.arguments) + len(site.keywords) > 1:
        return Seq("list", None)
    return Seq("list", [Held(Seq("tuple", [Held(Const(i)), item])) for i, item in enumerate(items)])


def _collected(kind: str) -> Model:
    def collect(run: Execution, site: Site) -> Value:
        if not site.arguments:
            return Seq(kind, [])
        return Seq(kind, run.iterate(site.arguments[0].value))

    return collect


def _map(run: Execution, site: Site) -> Value:
    items = run.iterate(site.arguments[1].value) if len(site.arguments) == 2 else None
    if items is None or len(items) > 100:
        return run.unknown_call(site, AT_RUN_TIME, Lib("map"))
    function = site.arguments[0].value

    def called() -> Value:
        values = [run.call(function, site._replace(arguments=(item,), keywords={})) for item in items]
        return Seq("list", [Held(value) for value in values])

    # It calls the function only as far as something asks for its items.
    return called() if isinstance(function, Lib) else run.perhaps(called)


def _dict(run: Execution, site: Site) -> Value:
    table = Table()
    for held in site.arguments:
        run.merge(table, held.value, held.place)
    if site.why_open:
        run.open(table, site.why_open)
    for name, held in site.keywords.items():
        run.set_item(table, Const(name), held)
    return table


def _isinstance(run: Execution, site: Site) -> Value:
    if len(site.arguments) != 2:
        return Unknown()
    value, wanted = site.arguments[0].value, site.arguments[1].value
    kinds = run.iterate(wanted) if isinstance(wanted, Seq) else (Held(wanted),)
    names = {held.value.path for held in kinds or () if isinstance(held.value, Lib)}
    if kinds is None or len(names) != len(kinds):
        return Unknown()
    if isinstance(value, Const):
        return (
            Const(bool(names & {k.__name__ for k in type(value.value).__mro__[:-1]})) if names <= _TYPES else Unknown()
        )
    own = value.kind if isinstance(value, Seq) else "dict" if isinstance(value, Table) else ""
    return Const(own in names) if own and names <= _TYPES else Unknown()


_TYPES = frozenset("int float str bool list tuple set dict bytes".split())


def _getattr(run: Execution, site: Site) -> Value:
    name = site.argument(1, "")
    if len(site.arguments) < 2 or not isinstance(name, Const):
        return Unknown()
    value = site.arguments[0].value
    default = site.argument(2, "")
    if default is not None and isinstance(value, Obj) and str(name.value) not in value.cells:
        found = run.attribute(value, str(name.value))
        return default if _has(run, value, str(name.value)) is False else join(found, default)
    return run.attribute(value, str(name.value))


def _has(run: Execution, value: Value, name: str) -> bool | None:
    if isinstance(value, Obj):
        held = value.cells.get(name)
        if held is not None:
            return None if held.optional else True
        plain = isinstance(value.kind, Lib) and value.kind.name in ("Namespace", "SimpleNamespace")
        return False if plain and not value.why_open else None
    return None


def _hasattr(run: Execution, site: Site) -> Value:
    name = site.argument(1, "")
    if len(site.arguments) == 2 and isinstance(name, Const):
        known = _has(run, site.arguments[0].value, str(name.value))
        return Unknown() if known is None else Const(known)
    return Unknown()


def _setattr(run: Execution, site: Site) -> Value:
    if len(site.arguments) != 3:
        return run.unknown_call(site, AT_RUN_TIME)
    target, name, held = site.arguments
    if isinstance(name.value, Const):
        run.set_attribute(target.value, str(name.value.value), held)
    elif isinstance(target.value, Lib):
        run.tamper(target.value, "an unknown attribute")
    else:
        run.open(target.value, "an unknown attribute is set")
    return NONE


def _delattr(run: Execution, site: Site) -> Value:
    for held in site.arguments[:1]:
        run.open(held.value, "an attribute is deleted")
    return NONE


def _vars(run: Execution, site: Site) -> Value:
    if site.arguments:
        return run.attribute(site.arguments[0].value, "__dict__")
    return site.frame


def _globals(run: Execution, site: Site) -> Value:
    return site.frame.module


def _super(run: Execution, site: Site) -> Value:
    frame: Frame | None = site.frame
    while frame is not None and frame.owner is None:
        frame = frame.parent
    if len(site.arguments) == 2 and isinstance(site.arguments[0].value, ClassValue):
        return Super(site.arguments[0].value, site.arguments[1].value)
    if frame is None or frame.owner is None or frame.receiver is None:
        return Unknown()
    return Super(frame.owner, frame.receiver)


def _exec(run: Execution, site: Site) -> Value:
    text = site.argument(0, "")
    if isinstance(text, Const) and isinstance(text.value, str) and len(site.arguments) == 1:
        run.run_text(text.value, site.frame.path, site.frame, getattr(site.node, "lineno", 1))
        return NONE
    return _eval_unknown(run)


def _eval_unknown(run: Execution) -> Value:
    run.raises()
    run.open_all("unknown code is executed")
    return Unknown()


def _eval(run: Execution, site: Site) -> Value:
    text = site.argument(0, "")
    if isinstance(text, Const) and isinstance(text.value, str) and len(site.arguments) == 1:
        try:
            tree = ast.parse(text.value, mode="eval")
        except (SyntaxError, ValueError, RecursionError):
            return Unknown()
        return run.evaluate(tree.body, site.frame)
    return _eval_unknown(run)


def _magic(run: Execution, site: Site) -> Value:
    """Model what a notebook's reader writes for a magic command that it does not follow."""
    return _eval_unknown(run)


def _output(run: Execution, site: Site) -> Value:
    """Model the output of a program in a notebook."""
    return Unknown("the output of a program")


def _exit(run: Execution, site: Site) -> Value:
    raise Stopped(Jump("exit"))


def _path(run: Execution, site: Site) -> Value:
    return run.combine(tuple(held.value for held in site.arguments), lambda *parts: os.path.join("", *parts) or ".")


def _type(run: Execution, site: Site) -> Value:
    value = site.argument(0, "")
    return value.kind if len(site.arguments) == 1 and isinstance(value, Obj) else run.unknown_call(site, AT_RUN_TIME)


# The environment


def _getenv(run: Execution, site: Site) -> Value:
    name, default = site.argument(0, "key"), site.argument(1, "default") or NONE
    return run.variable(str(name.value), default) if isinstance(name, Const) else Unknown()


def _putenv(run: Execution, site: Site) -> Value:
    # Child processes get it, os.environ does not.
    name = site.argument(0, "")
    if isinstance(name, Const):
        before = run.environ.cells.get(str(name.value))
        known = before.value if before else Unknown()
        run.state.write(run.environ, str(name.value), Held(join(known, Unknown("set with putenv")), site.place))
    return NONE


# Copies, partials, dataclasses


def _copy(run: Execution, site: Site) -> Value:
    value = site.argument(0, "x")
    return objects.copied(value, deep=False) if value is not None else Unknown()


def _deepcopy(run: Execution, site: Site) -> Value:
    value = site.argument(0, "x")
    return objects.copied(value, deep=True) if value is not None else Unknown()


def _replace(run: Execution, site: Site) -> Value:
    value = site.argument(0, "obj")
    if isinstance(value, Either):
        parts = [_replace(run, site._replace(arguments=(Held(part), *site.arguments[1:]))) for part in value.values]
        return Either(tuple(parts))
    if not isinstance(value, Obj):
        return Unknown(value.why if isinstance(value, Unknown) else AT_RUN_TIME)
    made = objects.copied(value, deep=False)
    assert isinstance(made, Obj)
    made.place = site.place
    objects.set_keywords(run, made, site)
    if isinstance(made.kind, ClassValue):
        post = run._inherited(made.kind, "__post_init__", made, own=True)
        if post is not None:
            run.call(post, site._replace(arguments=(), keywords={}, why_open=""))
    configurations.made(run, made, site)
    return made


def _partial(run: Execution, site: Site) -> Value:
    if not site.arguments or site.why_open:
        return run.unknown_call(site, AT_RUN_TIME)
    return Partial(site.arguments[0].value, site.arguments[1:], dict(site.keywords))


def _asdict(run: Execution, site: Site) -> Value:
    value = site.argument(0, "obj")
    if isinstance(value, Either):
        return Either(tuple(_asdict(run, site._replace(arguments=(Held(part),))) for part in value.values))
    if isinstance(value, Obj):
        table = Table(dict(value.cells))
        name = configurations.kind_name(run, value.kind)
        # An engine has the same defaults as its arguments.
        if name not in configurations.ENGINES and (isinstance(value.kind, Lib) or is_configuration(run, value)):
            run.open_more(table, "the defaults of its class are not all known")
        return objects.copied(table, deep=True)
    return Unknown()


def _namespace(run: Execution, site: Site) -> Value:
    made = Obj(Lib("argparse.Namespace"), site.place)
    objects.set_keywords(run, made, site)
    return made


def _field(run: Execution, site: Site) -> Value:
    made = Obj(Lib("dataclasses.field"))
    for name, held in site.keywords.items():
        made.cells[name] = held
    return made


def _first(run: Execution, site: Site) -> Value:
    """Return the first argument: functions that call it, or give it back as it is."""
    return site.arguments[0].value if site.arguments else Unknown()


def _called(run: Execution, site: Site) -> Value:
    """Call the first argument, as ``fire.Fire(main)`` and ``typer.run(main)`` do, with what the command line says."""
    if not site.arguments:
        return Unknown()
    return run.call(
        site.arguments[0].value, site._replace(arguments=(), keywords={}, why_open="taken from the command line")
    )


def _apply(run: Execution, site: Site) -> Value:
    """Call ``target`` or the first argument, in a thread or process that runs."""
    target = site.held(0, "target") or site.held(0, "function")
    if target is None or not isinstance(target.value, Function | Bound | Partial):
        return run.unknown_call(site, AT_RUN_TIME)
    run.maybe_call(target.value, "runs in another thread or process")
    return Unknown()


def _import_module(run: Execution, site: Site) -> Value:
    name = site.argument(0, "name")
    if isinstance(name, Const) and isinstance(name.value, str):
        return run.imported(name.value, site.node, site.frame)
    return Unknown()


def _make_dataclass(run: Execution, site: Site) -> Value:
    return Unknown()


def _get_peft_config(run: Execution, site: Site) -> Value:
    """Model TRL's function: an adapter if `use_peft` of ModelConfig is set, else None."""
    model = site.argument(0, "model_args")
    if not isinstance(model, Obj):
        return Unknown(model.why if isinstance(model, Unknown) else AT_RUN_TIME, (None,))
    use = model.cells.get("use_peft")
    wanted = truth(use.value) if use is not None and not use.optional else None
    if use is None and not model.why_open:
        wanted = False
    if wanted is False:
        return NONE
    if wanted is None:
        return Unknown(model.why_open or AT_RUN_TIME, (None,))
    adapter = Obj(Lib("peft.LoraConfig"), site.place)
    modules = model.cells.get("lora_modules_to_save")
    if modules is not None:
        adapter.cells["modules_to_save"] = modules
    elif model.why_open:
        adapter.cells["modules_to_save"] = Held(Unknown(model.why_open))
    configurations.made(run, adapter, site)
    return adapter


def hydra_main(run: Execution, function: Function, node: ast.expr, frame: Frame) -> Value:
    """Return the function that ``@hydra.main`` makes: it gets the composed configuration."""
    site = run.site(node, frame) if isinstance(node, ast.Call) else None
    return loading.hydra_function(run, function, site)


_MODELS: Mapping[str, Model] = {
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "list": _collected("list"),
    "tuple": _collected("tuple"),
    "set": _collected("set"),
    "map": _map,
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "isinstance": _isinstance,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "object.__setattr__": _setattr,
    "delattr": _delattr,
    "vars": _vars,
    "globals": _globals,
    "locals": _vars,
    "super": _super,
    "__unknown_magic__": _magic,
    "__unknown_output__": _output,
    "exec": _exec,
    "eval": _eval,
    "exit": _exit,
    "quit": _exit,
    "sys.exit": _exit,
    "os._exit": _exit,
    "os.abort": _exit,
    "os.path.abspath": _kept_path,
    "os.path.realpath": _kept_path,
    "os.path.expanduser": _kept_path,
    "open": loading.open_file,
    "type": _type,
    "os.getenv": _getenv,
    "os.putenv": _putenv,
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "dataclasses.replace": _replace,
    "functools.partial": _partial,
    "dataclasses.asdict": _asdict,
    "dataclasses.field": _field,
    "types.SimpleNamespace": _namespace,
    "argparse.Namespace": _namespace,
    "argparse.ArgumentParser": argparse_model.make,
    "pathlib.Path": _path,
    "fire.Fire": _called,
    "typer.run": _called,
    "absl.app.run": _called,
    "app.run": _called,
    "asyncio.run": _first,
    "threading.Thread": _apply,
    "multiprocessing.Process": _apply,
    "importlib.import_module": _import_module,
    "__import__": _import_module,
    "json.loads": loading.json_text,
    "json.load": loading.json_file,
    "yaml.safe_load": loading.yaml_any,
    "yaml.load": loading.yaml_any,
    "yaml.full_load": loading.yaml_any,
    "yaml.unsafe_load": loading.yaml_any,
    "tomllib.load": loading.toml_file,
    "tomli.load": loading.toml_file,
    "toml.load": loading.toml_file,
    "tomllib.loads": loading.toml_text,
    "omegaconf.OmegaConf.load": loading.omega_load,
    "omegaconf.OmegaConf.create": loading.omega_create,
    "omegaconf.OmegaConf.merge": loading.omega_merge,
    "omegaconf.OmegaConf.to_container": loading.omega_container,
    "omegaconf.OmegaConf.to_object": loading.omega_container,
    "omegaconf.OmegaConf.from_cli": loading.omega_cli,
    "omegaconf.OmegaConf.from_dotlist": loading.omega_dotlist,
}
#: Functions that are recognized by their last name, since scripts import them from many places.
_BY_NAME: Mapping[str, Model] = {
    "HfArgumentParser": lambda run, site: dataclass_parser.make(run, Lib("transformers.HfArgumentParser"), site),
    "H4ArgumentParser": lambda run, site: dataclass_parser.make(run, Lib("transformers.H4ArgumentParser"), site),
    "get_peft_config": _get_peft_config,
    "TrlParser": lambda run, site: dataclass_parser.make(run, Lib("trl.TrlParser"), site),
}
_BUILTINS = frozenset(_MODELS)


def plain_or_none(value: Value | None) -> Any:
    """Return a plain value; None if it is not one."""
    try:
        return to_plain(value) if value is not None else None
    except NotPlainError:
        return None


__all__ = ["KNOWN_ROOTS", "STANDARD", "UNSET", "WATCHED", "call", "from_plain", "is_configuration", "json"]
