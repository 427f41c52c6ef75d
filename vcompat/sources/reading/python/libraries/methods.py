"""Methods of dictionaries, lists, strings, paths, parsers, and of instances of library classes."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.classes import classes, configurations, pydantic_models
from vcompat.sources.reading.python.libraries import (
    builtin_models,
    dataclass_parser,
    file_changes,
    loading,
    omegaconf_models,
    standard_models,
)
from vcompat.sources.reading.python.parsers import argparse_builder, argparse_model
from vcompat.sources.reading.python.values import operators
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    ADDS_ADAPTER,
    AT_RUN_TIME,
    ITEMS,
    NONE,
    UNSET,
    ClassValue,
    Const,
    Environ,
    Frame,
    Held,
    Items,
    Lib,
    Loaded,
    Method,
    Mutable,
    NotPlainError,
    Obj,
    Seq,
    Super,
    Table,
    Unknown,
    Value,
    candidates,
    join,
    to_plain,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: Methods of TRL's configurations; every other name that is not set is a setting.
OF_CONFIGURATIONS = frozenset(
    "to_dict to_json_string to_sanitized_dict get_process_log_level set_training __post_init__".split()
)
#: What names a device for ``model.to()``.
_DEVICE = re.compile(r"(?:cuda|cpu|mps|xpu|npu|hpu)(?::\d+)?|\d+")


def call(run: Run, method: Method, site: Site) -> Value:
    """Call a method."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Frame):
        return _of_frame(run, receiver, name, site)
    if isinstance(receiver, Table):
        model = _OF_TABLES.get(name)
        return model(run, receiver, site) if model else run.calls.unknown_call(site, AT_RUN_TIME, method)
    if isinstance(receiver, Seq):
        return _of_sequence(run, receiver, name, site)
    if isinstance(receiver, Const):
        return _of_constant(run, receiver, name, site)
    if isinstance(receiver, Super):
        return _of_super(run, receiver, name, site)
    if isinstance(receiver, ClassValue):
        return _of_class(run, receiver, name, site)
    if isinstance(receiver, Obj):
        return _of_object(run, receiver, name, site)
    result = run.calls.unknown_call(site, AT_RUN_TIME, method)
    if isinstance(receiver, Loaded) and name == ADDS_ADAPTER:
        run.record("adapted", f"transformers.PreTrainedModel.{name}", site.place)
        return NONE
    if isinstance(receiver, Loaded):
        return receiver.after(name, _only_moves(site))
    return result


def _only_moves(site: Site) -> bool:
    """Return whether ``model.to()`` gets nothing but a device: one that is known, or what the script calls so."""
    if site.why_open or not isinstance(site.node, ast.Call):
        return False
    held = site.held(0, "device")
    if held is None or len(site.arguments) + len(site.keywords) > 1:
        return False
    if isinstance(held.value, Const):
        return _DEVICE.fullmatch(str(held.value.value)) is not None
    nodes = [*site.node.args, *(keyword.value for keyword in site.node.keywords)]
    return len(nodes) == 1 and "device" in ast.unparse(nodes[0])


# Dictionaries


def _get(run: Run, table: Table, site: Site) -> Value:
    key, default = site.argument(0, "key"), site.argument(1, "default") or NONE
    if isinstance(table, Environ):
        return run.variable(str(key.value), default) if isinstance(key, Const) else Unknown()
    if not isinstance(key, Const):
        return Unknown()
    held = table.cells.get(key.value)
    if held is not None:
        return join(held.value, default) if held.optional else held.value
    return join(Unknown(table.why_open), default) if table.why_open else default


def _setdefault(run: Run, table: Table, site: Site) -> Value:
    key = site.argument(0, "key")
    default = site.held(1, "default") or Held(NONE)
    if not isinstance(key, Const):
        run.open(table, "an unknown key is set")
        return Unknown()
    there = run.objects.contains(table, key.value)
    if there is True:
        return run.objects.item(table, key)
    if there is False:
        run.objects.set_item(table, key, default)
        return default.value
    if isinstance(table, Environ) and isinstance(default.value, Const) and key.value not in table.cells:
        given = Unknown("set only if it is not set yet", (default.value.value,), unless_set=True)
        run.state.write(table, key.value, Held(given, default.place))
        return given
    before = table.cells.get(key.value) or Held(Unknown(table.why_open or AT_RUN_TIME))
    value = join(before.value, default.value)
    if isinstance(table, Environ) and before.optional:
        # Where the script has not set it, the caller may have.
        why = value.why if isinstance(value, Unknown) else "set only if it is not set yet"
        value = Unknown(why, candidates(value))
    run.state.write(table, key.value, Held(value, default.place or before.place))
    return value


def _pop(run: Run, table: Table, site: Site) -> Value:
    key = site.argument(0, "key")
    if not isinstance(key, Const):
        run.open(table, "an unknown key is removed")
        return Unknown()
    value = _get(run, table, site)
    run.objects.set_item(table, key, None)
    return value


def _popitem(run: Run, table: Table, site: Site) -> Value:
    run.open(table, "an item is removed")
    return Unknown()


def _clear(run: Run, table: Table, site: Site) -> Value:
    if isinstance(table, Environ):
        run.open(table, "the script clears it")
        run.record("cleared", "os.environ", site.place)
        return NONE
    for key in list(table.cells):
        run.state.write(table, key, None)
    return NONE


def _table_copy(run: Run, table: Table, site: Site) -> Value:
    copy = Table({key: held for key, held in table.cells.items() if held.value is not UNSET})
    if isinstance(table, Environ):
        run.open_more(copy, "the caller's variables are not all known")
    return copy


def _items(run: Run, table: Table, site: Site) -> Value:
    keys, held = run.objects.iterate(table), table.cells.values()
    return Seq("list", None if keys is None else [Held(Seq("tuple", pair)) for pair in zip(keys, held, strict=True)])


def _values(run: Run, table: Table, site: Site) -> Value:
    return Seq("list", None if run.objects.iterate(table) is None else table.cells.values())


def _table_setitem(run: Run, table: Table, site: Site) -> Value:
    if len(site.arguments) == 2:
        run.objects.set_item(table, site.arguments[0].value, site.arguments[1])
    else:
        run.open(table, AT_RUN_TIME)
    return NONE


# Lists


def _of_sequence(run: Run, sequence: Seq, name: str, site: Site) -> Value:
    if name in ("index", "count"):
        return _of_plain(run, sequence, name, site)
    model = _OF_SEQUENCES.get(name)
    if model is None or (sequence.kind == "set" and name not in _OF_SETS):
        # Other methods of lists and sets may change them; which item a set pops is not known.
        return run.calls.unknown_call(site, AT_RUN_TIME, Method(sequence, name))
    return model(run, sequence, site)


def _append(run: Run, sequence: Seq, site: Site) -> Value:
    run.assignments.extend(sequence, site.arguments if len(site.arguments) == 1 else None)
    return NONE


def _extend(run: Run, sequence: Seq, site: Site) -> Value:
    run.assignments.extend(sequence, run.objects.iterate(site.arguments[0].value) if site.arguments else None)
    return NONE


def _rewritten(change: Callable[[list[Held], Site], object]) -> Callable[[Run, Seq, Site], Value]:
    """Return a model of a method that changes a list of known items."""

    def model(run: Run, sequence: Seq, site: Site) -> Value:
        items = sequence.items
        if items is None:
            run.open(sequence, AT_RUN_TIME)
            return Unknown()
        changed = list(items)
        try:
            result = change(changed, site)
        except (NotPlainError, IndexError, TypeError, ValueError):
            run.raises()
            run.open(sequence, AT_RUN_TIME)
            return Unknown()
        run.state.write(sequence, ITEMS, Held(Items(tuple(changed))))
        return result.value if isinstance(result, Held) else NONE

    return model


def _index(site: Site, default: int) -> int:
    value = site.argument(0, "index")
    index = default if value is None else to_plain(value)
    if not isinstance(index, int):
        raise TypeError
    return index


def _remove(items: list[Held], site: Site) -> None:
    wanted = to_plain(site.arguments[0].value)
    index = [to_plain(held.value) for held in items].index(wanted)
    del items[index]


# Constants


def _of_constant(run: Run, value: Const, name: str, site: Site) -> Value:
    if name in ("read_text", "open", "read_bytes") and isinstance(value.value, str):
        return loading.path_method(run, value.value, name, site)
    if name in ("joinpath", "__truediv__") and isinstance(value.value, str):
        return builtin_models.path(run, site._replace(arguments=(Held(value), *site.arguments)))
    if name in ("resolve", "absolute", "expanduser", "as_posix"):
        # The same file.
        return value
    if name in ("exists", "is_file") and run.presuming and loading.is_there(run, value):
        return Const(True)
    if name in ("write_text", "write_bytes", "unlink", "rename", "symlink_to", "hardlink_to"):
        run.overwritten.add(os.path.normpath(str(value.value)))
    if name in ("rename", "replace") and len(site.arguments) == 1:
        # A text's `replace` has two arguments.
        run.overwritten.add(os.path.normpath(str(value.value)))
        file_changes.change_files(run, site)
    return _of_plain(run, value, name, site)


def _of_plain(run: Run, value: Value, name: str, site: Site) -> Value:
    operands = (value, *(held.value for held in site.arguments), *(held.value for held in site.keywords.values()))
    count, names = len(site.arguments), list(site.keywords)
    if site.why_open:
        return Unknown(site.why_open)
    return run.operations.combine(
        operands, lambda own, *v: operators.method(own, name, list(v[:count]), dict(zip(names, v[count:], strict=True)))
    )


# Classes and instances


def _of_super(run: Run, value: Super, name: str, site: Site) -> Value:
    made = value.receiver
    if not isinstance(made, Obj) or not isinstance(made.kind, ClassValue):
        return run.calls.unknown_call(site, AT_RUN_TIME)
    bases = run.objects.library_classes(made.kind)
    if isinstance(value.owner, Lib):
        # super(GRPOTrainer, self).__init__() is what GRPOTrainer extends.
        if name != "__init__" or not value.owner.name.endswith("Trainer"):
            return run.calls.unknown_call(site, AT_RUN_TIME, Method(made, name))
        configurations.trainer(run, "Trainer", site, made)
        return NONE
    if name == "__init__":
        if any(base.name.endswith("Trainer") for base in bases):
            configurations.trainer(run, bases[0].name, site, made)
            return NONE
        classes.fill(run, made, made.kind, site)
        return NONE
    if name == "__setattr__" and len(site.arguments) == 2 and isinstance(site.arguments[0].value, Const):
        run.state.write(made, site.arguments[0].value.value, site.arguments[1])
        return NONE
    if name in ("__post_init__", "__init_subclass__", "__enter__", "__exit__"):
        return NONE
    return run.calls.unknown_call(site, AT_RUN_TIME, Method(made, name))


def _of_class(run: Run, kind: ClassValue, name: str, site: Site) -> Value:
    """Call what a class inherits from a library: a trainer's or configuration's own methods on the class."""
    if name == "__init__" and site.arguments and isinstance(site.arguments[0].value, Obj):
        made = site.arguments[0].value
        classes.fill(run, made, kind, site._replace(arguments=site.arguments[1:]))
        return NONE
    if kind.is_model and (validated := pydantic_models.validated(run, kind, name, site)) is not None:
        return validated
    return run.calls.unknown_call(site, AT_RUN_TIME, kind)


def _of_object(run: Run, value: Obj, name: str, site: Site) -> Value:
    kind = value.kind
    library = kind if isinstance(kind, Lib) else Lib("")
    if library.path == argparse_builder.KIND:
        return argparse_model.call(run, value, name, site)
    if library.name in dataclass_parser.PARSERS:
        return dataclass_parser.call(run, value, name, site)
    if library.path == loading.FILE:
        return loading.file_method(run, value, name)
    if library.path == omegaconf_models.CONTAINER and name == "merge_with":
        return omegaconf_models.merge_with(run, value, site)
    if library.path == omegaconf_models.CONTAINER and name in _OF_TABLES:
        return call(run, Method(run.objects.as_table(value), name), site)
    access = _ACCESSES.get((name, len(site.arguments)))
    if access is not None:
        return access(run, site._replace(arguments=(Held(value), *site.arguments)))
    if name in ("model_copy", "copy") and isinstance(kind, ClassValue) and kind.is_model:
        copied = pydantic_models.copied(run, value, site)
        return Unknown() if copied is None else copied
    if name in ("to_dict", "model_dump", "dict"):
        return standard_models.as_dictionary(run, site._replace(arguments=(Held(value),)))
    if configurations.is_configuration(run, value) and name.startswith("get_"):
        return Unknown()
    if name in ("model_dump_json", "json") and isinstance(kind, ClassValue) and kind.is_model:
        return Unknown()
    if any(base.name.endswith("Trainer") for base in run.objects.library_classes(kind)):
        return _of_trainer(run, value, name, site)
    return run.calls.unknown_call(site, AT_RUN_TIME, Method(value, name))


#: Methods of objects that read or write an attribute, by name and number of arguments.
_ACCESSES: Mapping[tuple[str, int], Callable[[Run, Site], Value]] = {
    ("__setattr__", 2): builtin_models.set_attribute,
    ("__setitem__", 2): builtin_models.set_attribute,
    ("__getattribute__", 1): builtin_models.get_attribute,
    ("__getattr__", 1): builtin_models.get_attribute,
}


def _of_trainer(run: Run, value: Obj, name: str, site: Site) -> Value:
    if name == "train":
        configurations.trained(run, value, site)
    return Unknown()


def _of_frame(run: Run, frame: Frame, name: str, site: Site) -> Value:
    """Call what may be a method of ``globals()``, or a function of a module of the project that it does not define."""
    model = _OF_TABLES.get(name)
    return model(run, frame, site) if model else run.calls.unknown_call(site, AT_RUN_TIME)


_OF_TABLES: Mapping[str, Callable[[Run, Table, Site], Value]] = {
    "get": _get,
    "setdefault": _setdefault,
    "update": builtin_models.update,
    "__setitem__": _table_setitem,
    "pop": _pop,
    "popitem": _popitem,
    "clear": _clear,
    "copy": _table_copy,
    "items": _items,
    "keys": lambda run, table, site: Seq("list", run.objects.iterate(table)),
    "values": _values,
}
_OF_SEQUENCES: Mapping[str, Callable[[Run, Seq, Site], Value]] = {
    "append": _append,
    "add": _append,
    "extend": _extend,
    "insert": _rewritten(lambda items, site: items.insert(_index(site, 0), site.arguments[1])),
    "pop": _rewritten(lambda items, site: items.pop(_index(site, -1))),
    "remove": _rewritten(_remove),
    "reverse": _rewritten(lambda items, site: items.reverse()),
    "clear": _rewritten(lambda items, site: items.clear()),
    "sort": lambda run, sequence, site: _opened(run, sequence),
    "copy": lambda run, sequence, site: Seq(sequence.kind, sequence.items),
}
#: Those that sets have, and that do not depend on their order.
_OF_SETS = frozenset({"add", "remove", "clear", "copy"})


def _opened(run: Run, value: Mutable) -> Value:
    run.open(value, AT_RUN_TIME)
    return NONE
