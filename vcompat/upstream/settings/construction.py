"""Follows the construction of objects of other classes, such as the configurations that vLLM makes of EngineArgs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress

from vcompat.foundation.syntax.bindings import annotated
from vcompat.foundation.syntax.terms import called, keywords, last_name, names_in, text_of
from vcompat.upstream.settings.annotations import read_annotation
from vcompat.upstream.settings.code import Code, Unknown, decorators, methods
from vcompat.upstream.settings.constructor_state import Binding, Instance, State, Value
from vcompat.upstream.settings.fields import CONSTRUCTOR, kind_of, own_fields
from vcompat.upstream.settings.logic import all_of, comparison, is_true
from vcompat.upstream.settings.side_effects import Method
from vcompat.upstream.settings.walk import Arguments, Outcome, Walk, bound

_BOUNDS: dict[str, type[ast.cmpop]] = {"gt": ast.LtE, "ge": ast.Lt, "lt": ast.GtE, "le": ast.Gt}


class Constructed:
    """Follows the construction of classes whose names have a prefix and a suffix."""

    def __init__(self, prefix: str = "", suffix: str = "") -> None:
        self._prefix, self._suffix = prefix, suffix

    def are_followed(self, name: str) -> bool:
        """Whether construction of a class with this name is followed."""
        return name.startswith(self._prefix) and name.endswith(self._suffix)

    def construct(self, walk: Walk, owner: tuple[str, ast.ClassDef], given: Arguments, state: State) -> Outcome:
        """Follow a constructor; the value is the object."""
        instance = Instance(*owner)
        method = walk.effects.method(instance, "__init__")
        if kind_of(walk.code, *owner) == CONSTRUCTOR and method is not None:
            names = bound(method[2], Arguments([instance, *given.positional], given.named))
            return walk.follow(method, names, state)[0], instance
        after = state.copy()
        _take(walk, instance, given.named, after)
        return walk.follow_all(_validators(walk, instance), instance, after), instance


def _take(walk: Walk, instance: Instance, named: Mapping[str, Binding], state: State) -> None:
    """Assign the fields of a dataclass, with the checks that pydantic makes of their annotations."""
    checked = any(_is_pydantic(walk.code, module, owner) for module, owner in walk.effects.chain(instance))
    replaced = set(_replaced_by_validators(walk, instance))
    for module, owner in reversed(walk.effects.chain(instance)):
        for name, table in own_fields(walk.code, module, owner).items():
            default = Value(ast.Constant(table["default"])) if "default" in table else None
            value = named.get(name, default)
            state.attributes[instance, name] = None if name in replaced else value
            if checked and name not in replaced and name in named and isinstance(value, Value):
                _limit_field(walk, Instance(module, owner), name, value, state)


def limit_model(walk: Walk, instance: Instance, state: State) -> State | None:
    """Record what pydantic refuses for the fields that the model's own class defines, and its validators."""
    if instance.node is None:
        return state
    replaced = set(_replaced_by_validators(walk, instance))
    state = state.copy()
    state.attributes.update({(instance, name): None for name in replaced})
    for name in own_fields(walk.code, instance.module, instance.node):
        value = state.get(instance, name)
        if isinstance(value, Value):
            _limit_field(walk, instance, name, value, state)
    own = (method for method in _validators(walk, instance) if method[1] is instance.node and method[2].args.args)
    return walk.follow_all(own, instance, state)


def _limit_field(walk: Walk, owner: Instance, name: str, value: Value, state: State) -> None:
    """Record what pydantic refuses for a field that gets `value`; nothing for an alias."""
    statement = dict(annotated(owner.node)).get(name) if owner.node is not None else None
    if statement is None:
        return
    module = owner.module
    stated = read_annotation(walk.code, module, statement.annotation)
    optional = [comparison(value.node, [ast.IsNot()], [ast.Constant(None)])]
    if stated.choices is not None:
        own = isinstance(value.node, ast.Name) and is_true(value.guard) and is_true(all_of(state.conditions))
        if own and isinstance(value.node, ast.Name):
            walk.enforced.setdefault(value.node.id, list(stated.choices))
        else:
            allowed = ast.List([ast.Constant(one) for one in stated.choices], ast.Load())
            walk.limit(value, [*optional, ast.Compare(value.node, [ast.NotIn()], [allowed])], state)
    for word, limit in _limits(walk.code, module, statement.value):
        compared = comparison(value.node, [_BOUNDS[word]()], [ast.Constant(limit)])
        walk.limit(value, [*optional, compared] if "none" in stated.types else [compared], state)


def _limits(code: Code, module: str, value: ast.expr | None) -> Iterator[tuple[str, float]]:
    given = keywords(value) if isinstance(value, ast.Call) and called(value) == "Field" else {}
    for word, limit in given.items():
        with suppress(Unknown):
            if word in _BOUNDS:
                yield word, code.constant(module, limit)


def _is_pydantic(code: Code, module: str, owner: ast.ClassDef) -> bool:
    """Whether a decorator makes the class a pydantic dataclass, or a base a pydantic model."""
    if "BaseModel" in map(last_name, owner.bases):
        return True
    for decorator in owner.decorator_list:
        node = decorator.func if isinstance(decorator, ast.Call) else decorator
        if code.foreign(module, node).startswith("pydantic."):
            return True
        definition = code.definitions.named(module, node)
        # vLLM's own decorator makes pydantic dataclasses since it uses pydantic's `dataclass`.
        if definition is not None and isinstance(definition.node, ast.FunctionDef):
            dataclass = code.foreign(definition.module, ast.Name("dataclass", ast.Load()))
            if dataclass.startswith("pydantic.") and "dataclass" in names_in(definition.node):
                return True
    return False


def _validators(walk: Walk, instance: Instance) -> Iterator[Method]:
    """The methods that construction calls with the object, in order."""
    found = walk.effects.method(instance, "__post_init__")
    if found is not None:
        yield found
    for module, owner in reversed(walk.effects.chain(instance)):
        for method in methods(owner).values():
            if "model_validator" in decorators(method) and _mode(method) == "after":
                yield module, owner, method


def _replaced_by_validators(walk: Walk, instance: Instance) -> Iterator[str]:
    """The fields whose values a validator may replace; all that one with mode ``before`` sees are among them."""
    for module, owner in walk.effects.chain(instance):
        for method in methods(owner).values():
            if decorators(method) & {"field_validator", "validator"}:
                yield from filter(None, (text_of(argument) for call in _calls(method) for argument in call.args))
            elif "model_validator" in decorators(method) and _mode(method) != "after":
                yield from own_fields(walk.code, module, owner)


def _mode(method: ast.FunctionDef) -> str:
    modes = (text_of(keywords(call).get("mode")) for call in _calls(method))
    return next(filter(None, modes), "before")


def _calls(method: ast.FunctionDef) -> Iterator[ast.Call]:
    """The decorators with arguments."""
    return (decorator for decorator in method.decorator_list if isinstance(decorator, ast.Call))
