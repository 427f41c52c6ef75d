"""The checks that TRL's trainers make of their configuration, and what transformers' Trainer assigns to it."""

from __future__ import annotations

import ast

from vcompat.foundation.syntax.terms import dotted
from vcompat.upstream.settings.code import Code, methods
from vcompat.upstream.settings.construction import Constructed
from vcompat.upstream.settings.constructor_state import Binding, Instance, State
from vcompat.upstream.settings.fields import Table, empty_table, given_settings
from vcompat.upstream.settings.setting_classes import Subject
from vcompat.upstream.settings.side_effects import Foreign
from vcompat.upstream.settings.walk import Arguments, Walk, bound

_TRAINER = "transformers.trainer"


def trainer_table(code: Code, subject: Subject, foreign: Foreign) -> Table | None:
    """Return what is recorded of a trainer: its checks, over the settings of its configuration; None if it has none."""
    method = methods(subject.node).get("__init__")
    name = "" if method is None else _configuration_parameter(method)
    if method is None or not name:
        return None
    annotation = next(argument.annotation for argument in method.args.args if argument.arg == name)
    configuration = _class_in(code, subject.module, annotation)
    if configuration is None:
        return None
    settings, state = _configured(code, configuration, foreign)
    walk = Walk(code, foreign, Constructed(prefix="VLLM"))
    trainer = Instance(subject.module, subject.node)
    arguments: dict[str, Binding] = {**bound(method, Arguments([trainer], {})), name: settings}
    arguments |= {argument.arg: None for argument in method.args.args[1:] if argument.arg != name}
    walk.follow((subject.module, subject.node, method), arguments, state)
    return empty_table(subject.module, checks=list(walk.checks), **({"unread": walk.unread} if walk.unread else {}))


def arguments_assigned_by_trainer(code: Code) -> Table:
    """Return the attributes that transformers' Trainer assigns, those of its arguments with ``args.`` before."""
    trainer = code.find_class(_TRAINER, "Trainer")
    if trainer is None:
        return {}
    names = set()
    for node in ast.walk(trainer[1]):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            owner = dotted(node.value)
            names |= {f"args.{node.attr}"} if owner in ("args", "self.args") else set()
            names |= {node.attr} if owner == "self" else set()
    return empty_table(trainer[0], assigns=sorted(names))


def _configuration_parameter(method: ast.FunctionDef) -> str:
    return next((argument.arg for argument in method.args.args if argument.arg in ("args", "config")), "")


def _class_in(code: Code, module: str, annotation: ast.expr | None) -> tuple[str, ast.ClassDef] | None:
    """The first class of the package in an annotation."""
    names = [node for node in ast.walk(annotation) if isinstance(node, ast.Name)] if annotation is not None else []
    return next(filter(None, (code.find_class(module, name) for name in names)), None)


def _configured(code: Code, owner: tuple[str, ast.ClassDef], foreign: Foreign) -> tuple[Instance, State]:
    """A configuration as its constructor leaves it."""
    settings = Instance(*owner, given_settings(code, *owner, foreign))
    walk, state = Walk(code, foreign), State()
    method = walk.effects.method(settings, "__post_init__")
    if method is None:
        walk.effects.construct_foreign_base(settings, state)
        return settings, state
    return settings, walk.follow_all([method], settings, state) or state
