"""Inspect one release: the settings of its classes, and what their constructors refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vcompat.facts.records.recorded_settings import IGNORED, KEPT, PASSED_ON, REFUSED
from vcompat.upstream.offers.release_rows import Read
from vcompat.upstream.settings import deepspeed
from vcompat.upstream.settings.code import Code, methods
from vcompat.upstream.settings.construction import Constructed, limit_model
from vcompat.upstream.settings.constructor_state import Instance, State, Value
from vcompat.upstream.settings.deprecation import mark_deprecated
from vcompat.upstream.settings.fields import (
    CONSTRUCTOR,
    MODEL,
    Table,
    aliases,
    empty_table,
    given_settings,
    kind_of,
    own_fields,
)
from vcompat.upstream.settings.launcher_options import LAUNCHERS, launch_table
from vcompat.upstream.settings.setting_classes import Subject, bases, subjects, trainers
from vcompat.upstream.settings.side_effects import Foreign
from vcompat.upstream.settings.trainer_checks import arguments_assigned_by_trainer, trainer_table
from vcompat.upstream.settings.walk import Walk

#: Classes that are filled from a command line, whose parser refuses other values than choices.
_PARSED = ("trl", "transformers")
_PARSED_CLASSES = ("EngineArgs", "AsyncEngineArgs")
#: The module of TRL's server, which is a command with one class.
_SERVER = "trl.scripts.vllm_serve"
#: The method of vLLM's EngineArgs that makes the configurations which check the settings.
_CREATES = ("create_engine_config", "create_engine_configs")


def settings_of(package: str, read: Read, paths: frozenset[str], foreign: Foreign) -> dict[str, Table]:
    """Return what is recorded of one release, by class.

    `read` returns the text of a file, `paths` are all files, `foreign` is what the records of other packages state.
    """
    code = Code(package, read, paths)
    recorded = subjects(code)
    tables = {subject.key: _table(code, subject, recorded, foreign) for subject in recorded}
    for trainer in trainers(code):
        table = trainer_table(code, trainer, foreign)
        if table is not None:
            tables[trainer.key] = table
    if package == "transformers":
        tables["Trainer"] = arguments_assigned_by_trainer(code)
    if package == "deepspeed":
        tables[deepspeed.NAME] = deepspeed.config_table(code)
    if package in LAUNCHERS:
        tables[LAUNCHERS[package][0]] = launch_table(code)
    return {key: table for key, table in tables.items() if table}


def _table(code: Code, subject: Subject, recorded: list[Subject], foreign: Foreign) -> Table:
    module, node = subject.module, subject.node
    kind, fields = kind_of(code, module, node), own_fields(code, module, node)
    if code.package not in _PARSED and subject.key not in _PARSED_CLASSES and kind != MODEL:
        for field in fields.values():
            field.pop("choices", None)
    every = given_settings(code, module, node, foreign)
    mark_deprecated(node, fields, every)
    walk, state, instance = _walked(code, subject, foreign, every)
    table = empty_table(module, fields=fields)
    if kind != CONSTRUCTOR:
        table["bases"] = bases(code, module, node, recorded)
    if kind in (CONSTRUCTOR, MODEL):
        table |= _taken_otherwise(code, module, node)
    if _hands_over(code, module):
        table["extra"] = KEPT
    table["checks"] = _without_choices(walk, node, fields)
    if walk.before_bases:
        table["before_bases"] = walk.before_bases
    if "__post_init__" in methods(node) and not walk.reached_bases and table["bases"]:
        table["before_bases"] = None
    if code.package == "transformers" and state is not None:
        table["assigns"] = sorted(state.changed(instance))
    if walk.unread:
        table["unread"] = walk.unread
    return table


def _hands_over(code: Code, module: str) -> bool:
    """Whether a module is TRL's server, and hands over to vLLM what its own parser does not know."""
    tree = code.definitions.tree(module) if module == _SERVER else None
    return tree is not None and "return_remaining_strings=True" in ast.unparse(tree)


def _walked(
    code: Code, subject: Subject, foreign: Foreign, every: frozenset[str]
) -> tuple[Walk, State | None, Instance]:
    """Follow the constructor that the class itself defines."""
    module, node = subject.module, subject.node
    walk = Walk(code, foreign, Constructed(suffix="Config") if subject.key == "EngineArgs" else None)
    walk.watch(node)
    state: State | None = State()
    if kind_of(code, module, node) == CONSTRUCTOR:
        instance = Instance(module, node)
        method = methods(node)["__init__"]
        names = {name: Value(ast.Name(name, ast.Load())) for name in own_fields(code, module, node)}
        state, _ = walk.follow((module, node, method), {method.args.args[0].arg: instance, **names}, State())
        return walk, state, instance
    instance = Instance(module, node, every)
    if kind_of(code, module, node) == MODEL:
        state = limit_model(walk, instance, state or State())
    known = methods(node)
    called = [(module, node, known[name]) for name in ("__post_init__", *_CREATES) if name in known]
    return walk, walk.follow_all(called, instance, state), instance


def _without_choices(walk: Walk, node: ast.ClassDef, fields: dict[str, Table]) -> list[str]:
    """Note the choices that construction enforces in `fields`; return the other conditions."""
    other = aliases(node)
    for name, values in walk.enforced.items():
        for key in {name, other.get(name, name)} & fields.keys():
            fields[key] |= {"choices": values, "enforced": True}
    rest = []
    for check in [*walk.checks, *_with_aliases(walk.checks, other)]:
        name, values = _as_choices(check)
        if name in fields and values:
            fields[name] |= {"choices": values, "enforced": True}
        else:
            rest.append(check)
    return rest


def _with_aliases(checks: Iterable[str], other: Mapping[str, str]) -> Iterator[str]:
    """The conditions over fields that also have another keyword, for that keyword."""
    for check in checks:
        tree = ast.parse(check, mode="eval")
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in other]
        for node in names:
            node.id = other[node.id]
        if names:
            yield ast.unparse(tree)


def _as_choices(check: str) -> tuple[str, list[Any]]:
    """The setting and the values of a condition such as ``loss_type not in ['grpo', 'dapo']``."""
    node = ast.parse(check, mode="eval").body
    if isinstance(node, ast.BoolOp) and len(node.values) == 2 and ast.unparse(node.values[0]).endswith(" is not None"):
        first, node = node.values
        if not isinstance(first, ast.Compare) or not isinstance(node, ast.Compare):
            return "", []
        if ast.dump(first.left) != ast.dump(node.left):
            return "", []
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn) and isinstance(node.left, ast.Name):
        try:
            values = ast.literal_eval(node.comparators[0])
        except ValueError:
            return "", []
        return node.left.id, [value for value in values if value is not None]
    return "", []


def _taken_otherwise(code: Code, module: str, node: ast.ClassDef) -> Table:
    """What happens to a keyword that the class does not have; with the class of the package that gets it instead."""
    extra = _extra(code, module, node)
    target = _passed_on_to(code, module, node) if extra == KEPT else ""
    return {"extra": PASSED_ON, "bases": [f"{code.package}.{target}"]} if target else {"extra": extra}


def _extra(code: Code, module: str, node: ast.ClassDef) -> str:
    """What happens to a keyword that the class does not have."""
    method = methods(node).get("__init__")
    if kind_of(code, module, node) == CONSTRUCTOR:
        return KEPT if method is not None and method.args.kwarg else REFUSED
    for _, owner in code.with_bases(module, node):
        for inner in ast.walk(owner):
            pairs = [(k.arg, k.value) for k in inner.keywords] if isinstance(inner, ast.Call) else []
            if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
                pairs = [(inner.targets[0].id, inner.value)]
            for name, value in pairs:
                if name == "extra":
                    word = ast.unparse(value).strip("'\"").rpartition(".")[2]
                    return {"forbid": REFUSED, "allow": KEPT}.get(word, IGNORED)
    return IGNORED


def _passed_on_to(code: Code, module: str, node: ast.ClassDef) -> str:
    """The class of the package that gets the other keywords of a constructor."""
    method = methods(node).get("__init__")
    if method is None or method.args.kwarg is None:
        return ""
    for inner in ast.walk(method):
        if isinstance(inner, ast.Call) and any(
            keyword.arg is None and ast.unparse(keyword.value) == method.args.kwarg.arg for keyword in inner.keywords
        ):
            found = code.find_class(module, inner.func)
            if found is not None:
                return found[1].name
    return ""
