"""What functions and classes take, how that differs between two releases, and which calls no longer fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.upstream.offers.definitions import Defined, Function
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
    constructor = side.method(defined, "__init__")
    if constructor is not None and isinstance(constructor.node, Function):
        return of_function(constructor.node, is_method=True)
    owners = list(side.with_bases(defined))
    classes = [owner.node for owner in owners if isinstance(owner.node, ast.ClassDef)]
    fields = {field.name: field for node in reversed(classes) for field in _fields(node)}
    is_complete = len(classes) == len(owners) and "dataclass" in _called(defined.node.decorator_list)
    return Takes(tuple(fields.values()), False, False, is_complete) if fields else None


def of_function(node: Function, is_method: bool) -> Takes:
    """Return what a function takes, without the object or the class that a method gets."""
    args = node.args
    plain = [*args.posonlyargs, *args.args]
    texts: list[str | None] = [None] * (len(plain) - len(args.defaults))
    named = [Parameter(arg.arg, text) for arg, text in zip(plain, [*texts, *map(_short, args.defaults)], strict=True)]
    decorators = _called(node.decorator_list)
    named = named[1:] if is_method and "staticmethod" not in decorators else named
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        named.append(Parameter(arg.arg, _short(default) if default is not None else None, is_positional=False))
    plain_decorators = {"staticmethod", "classmethod", "abstractmethod"}.issuperset(decorators)
    return Takes(tuple(named), args.vararg is not None, args.kwarg is not None, plain_decorators)


def _fields(node: ast.ClassDef) -> Iterator[Parameter]:
    for inner in node.body:
        if isinstance(inner, ast.AnnAssign) and "ClassVar" not in ast.unparse(inner.annotation):
            yield Parameter(ast.unparse(inner.target), _default_of(inner.value))


def _default_of(value: ast.expr | None) -> str | None:
    """The text of a field's default; None if it has none."""
    if isinstance(value, ast.Call) and _called([value]) & _FIELDS:
        found = [k.value for k in value.keywords if k.arg in ("default", "default_factory", "factory")]
        found += [arg for arg in value.args[:1] if not (isinstance(arg, ast.Constant) and arg.value is ...)]
        value = found[0] if found else None
    return _short(value) if value is not None else None


def _short(value: ast.expr) -> str:
    text = ast.unparse(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _called(nodes: Sequence[ast.expr]) -> set[str]:
    return {ast.unparse(node).partition("(")[0].rpartition(".")[2] for node in nodes}


def differences(before: Takes, after: Takes, passed: Mapping[str, str]) -> Iterator[str]:
    """Yield how what is taken differs, in words. `passed` are the arguments that are passed by name, with a place.

    A further parameter with a default is no difference. Nor is another order: `shifted` compares calls by position.
    """
    old, new = ({p.name: p for p in takes.named} for takes in (before, after))
    renamed = dict(_renamed(before, after))
    for name in (name for name in old if name not in new):
        to = f"renamed: {name} to {renamed[name]}" if name in renamed else f"removed: {name}"
        yield to + _whether(name, passed) + ("; **kwargs takes it" if after.takes_others else "")
    for name, parameter in new.items():
        if name not in old and parameter.default is None and name not in renamed.values():
            yield f"new and required: {name}"
    for name in (name for name in old if name in new):
        one, other = old[name], new[name]
        if one.default is not None and other.default is None:
            yield f"now required: {name}{_whether(name, passed)}"
        elif one.default is not None and one.default != other.default:
            yield f"default of {name}: {one.default} -> {other.default}{_whether(name, passed)}"
        if one.is_positional and not other.is_positional:
            yield f"by name only: {name}"


def _renamed(before: Takes, after: Takes) -> Iterator[tuple[str, str]]:
    """Parameters at the place of one that is gone, where the other ones kept their places."""
    known = [{p.name for p in takes.named} for takes in (before, after)]
    if len(before.named) == len(after.named):
        for one, other in zip(before.named, after.named, strict=True):
            if one.name not in known[1] and other.name not in known[0]:
                yield one.name, other.name


def _whether(name: str, passed: Mapping[str, str]) -> str:
    return f" (passed in {passed[name]})" if name in passed else " (not passed)"


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


def shifted(call: ast.Call, before: Takes, after: Takes) -> str:
    """Return which argument that is passed by position another parameter gets than before; empty if none."""
    new = {p.name for p in after.named}
    for one, other in list(zip(before.named, after.named, strict=False))[: len(call.args)]:
        if one.name != other.name and one.name in new and one.is_positional and other.is_positional:
            return f"passes by position what was {one.name} and is {other.name}"
    return ""
