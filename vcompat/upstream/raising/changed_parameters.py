"""What functions and classes take, how that differs between two releases, and which calls no longer fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vcompat.foundation.syntax.bindings import annotated, is_class_variable
from vcompat.foundation.syntax.blocks import Function
from vcompat.foundation.syntax.function_parameters import parameters
from vcompat.foundation.syntax.terms import called
from vcompat.upstream.offers.definitions import Defined
from vcompat.upstream.raising.side import Side

#: Calls that describe a field instead of being its default.
_FIELDS = frozenset({"field", "Field"})
_LONGEST = 40


class Parameter(NamedTuple):
    """One parameter of a function, or one field of a class."""

    name: str
    default: str | None
    """The text of its default; None if it is required."""
    is_positional: bool = True


class Takes(NamedTuple):
    """What a call can pass."""

    named: tuple[Parameter, ...]
    takes_more: bool
    """Whether there is ``*args``."""
    takes_others: bool
    """Whether there is ``**kwargs``."""
    is_complete: bool = True
    """Whether nothing else decides what is accepted, such as a base outside the package or a decorator."""


def taken(side: Side, defined: Defined, is_method: bool) -> Takes | None:
    """Return what a function, or the constructor of a class, takes; None if its source does not determine it."""
    if isinstance(defined.node, Function):
        return of_function(defined.node, is_method)
    if not isinstance(defined.node, ast.ClassDef):
        return None
    constructor = side.definitions.method(defined, "__init__")
    if constructor is not None and isinstance(constructor.node, Function):
        return of_function(constructor.node, is_method=True)
    owners = list(side.definitions.with_bases(defined))
    classes = [owner.node for owner in owners if isinstance(owner.node, ast.ClassDef)]
    fields = {field.name: field for node in reversed(classes) for field in _fields(node)}
    is_complete = len(classes) == len(owners) and "dataclass" in map(called, defined.node.decorator_list)
    return Takes(tuple(fields.values()), False, False, is_complete) if fields else None


def of_function(node: Function, is_method: bool) -> Takes:
    """Return what a function takes, without the object or the class that a method gets."""
    decorators = set(map(called, node.decorator_list))
    takes = parameters(node, is_bound=is_method and "staticmethod" not in decorators)
    named = [Parameter(p.name, _short(p.default), p.is_positional) for p in takes]
    is_plain = {"staticmethod", "classmethod", "abstractmethod"}.issuperset(decorators)
    return Takes(tuple(named), node.args.vararg is not None, node.args.kwarg is not None, is_plain)


def _fields(node: ast.ClassDef) -> Iterator[Parameter]:
    for name, statement in annotated(node):
        if not is_class_variable(statement):
            yield Parameter(name, _default_of(statement.value))


def _default_of(value: ast.expr | None) -> str | None:
    """The text of a field's default; None if it has none."""
    if isinstance(value, ast.Call) and called(value) in _FIELDS:
        defaults = [k.value for k in value.keywords if k.arg in ("default", "default_factory", "factory")]
        defaults += [arg for arg in value.args[:1] if not (isinstance(arg, ast.Constant) and arg.value is ...)]
        value = defaults[0] if defaults else None
    return _short(value)


def _short(value: ast.expr | None) -> str | None:
    text = ast.unparse(value) if value is not None else None
    return text if text is None or len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def differences(before: Takes, after: Takes, passed: Mapping[str, str]) -> Iterator[str]:
    """Yield how what is taken differs, in words. `passed` are the arguments that are passed by name, with a place.

    A further parameter with a default is no difference. Nor is another order: `no_longer_fits` looks at calls.
    """
    old, new = ({p.name: p for p in takes.named} for takes in (before, after))
    renamed = dict(_renamed(before, after))
    for name in (name for name in old if name not in new):
        to = f"renamed: {name} to {renamed[name]}" if name in renamed else f"removed: {name}"
        yield to + _whether(name, passed) + ("; **kwargs takes it" if after.takes_others else "")
    required = (name for name, parameter in new.items() if parameter.default is None)
    yield from (f"new and required: {name}" for name in required if name not in {*old, *renamed.values()})
    for name in (name for name in old if name in new):
        yield from _changed(old[name], new[name], _whether(name, passed))


def _changed(old: Parameter, new: Parameter, whether: str) -> Iterator[str]:
    """How a parameter that both releases have differs."""
    if old.default is not None and new.default is None:
        yield f"now required: {old.name}{whether}"
    elif old.default is not None and old.default != new.default:
        yield f"default of {old.name}: {old.default} -> {new.default}{whether}"
    if old.is_positional and not new.is_positional:
        yield f"by name only: {old.name}"


def _renamed(before: Takes, after: Takes) -> Iterator[tuple[str, str]]:
    """Parameters at the place of one that is gone, where the other ones kept their places."""
    known = [{p.name for p in takes.named} for takes in (before, after)]
    if len(before.named) == len(after.named):
        for one, other in zip(before.named, after.named, strict=True):
            if one.name not in known[1] and other.name not in known[0]:
                yield one.name, other.name


def _whether(name: str, passed: Mapping[str, str]) -> str:
    return f" (passed in {passed[name]})" if name in passed else " (not passed)"


def no_longer_fits(call: ast.Call, before: Takes, after: Takes, with_names: bool) -> str:
    """Return why a call that fits one release does not fit the other, in words; empty if it does.

    `with_names`, the names of its arguments count, too.
    """
    reason = "" if refusal(call, before) else refusal(call, after) or _shifted(call, before, after)
    return reason or (unknown(call, after) if with_names and not unknown(call, before) else "")


def refusal(call: ast.Call, takes: Takes) -> str:
    """Return why a call fails, in words; empty if it does not, or if that is not known."""
    if not takes.is_complete or any(isinstance(arg, ast.Starred) for arg in call.args):
        return ""
    if any(keyword.arg is None for keyword in call.keywords):
        return ""
    positional = [p.name for p in takes.named if p.is_positional]
    given = {*positional[: len(call.args)], *(keyword.arg for keyword in call.keywords)}
    if len(call.args) > len(positional) and not takes.takes_more:
        return f"passes {len(call.args)} arguments by position, of which {len(positional)} are taken"
    missing = [p.name for p in takes.named if p.default is None and p.name not in given]
    return f"does not pass {', '.join(missing)}" if missing else ""


def unknown(call: ast.Call, takes: Takes) -> str:
    """Return which arguments that a call passes by name are not taken, in words; empty if all may be."""
    names = {p.name for p in takes.named}
    wrong = [keyword.arg for keyword in call.keywords if keyword.arg and keyword.arg not in names]
    return f"passes {', '.join(wrong)}" if wrong and takes.is_complete and not takes.takes_others else ""


def _shifted(call: ast.Call, before: Takes, after: Takes) -> str:
    """Which argument that is passed by position another parameter gets than before; empty if none."""
    new = {p.name for p in after.named}
    for one, other in list(zip(before.named, after.named, strict=False))[: len(call.args)]:
        if one.name != other.name and one.name in new and one.is_positional and other.is_positional:
            return f"passes by position what was {one.name} and is {other.name}"
    return ""
