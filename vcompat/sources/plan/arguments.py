"""The command-line options of a script that uses `argparse` or a dataclass parser.

An option that is not on the command line has its default. If the command line is unknown, the default is used, and the
source of the value states that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vcompat.sources.plan.evaluator import Evaluator
from vcompat.sources.plan.outline import Outline, Scope, Site, callee
from vcompat.sources.plan.part import CommandLine
from vcompat.sources.plan.reaching import Use
from vcompat.sources.plan.values import Values, constant, unknown

_PARSERS = ("TrlParser", "HfArgumentParser", "H4ArgumentParser")


class Field(NamedTuple):
    """A field of a dataclass that is defined in the script."""

    name: str
    default: ast.expr
    use: Use


class Dataclass(NamedTuple):
    """A class that is defined in the script, and its fields with a default."""

    name: str
    bases: tuple[str, ...]
    fields: tuple[Field, ...]
    node: ast.ClassDef


def dataclasses(outline: Outline) -> dict[str, Dataclass]:
    """Return the classes of the script by name."""
    return {
        site.node.name: Dataclass(
            site.node.name,
            tuple(filter(None, (_last_name(base) for base in site.node.bases))),
            tuple(_fields(site.node, site.scope)),
            site.node,
        )
        for site in outline.classes
        if isinstance(site.node, ast.ClassDef)
    }


def parsed_classes(outline: Outline, evaluator: Evaluator) -> list[str]:
    """Return the names of the classes that a parser of the script fills from the command line."""
    names: list[str] = []
    for site in outline.calls:
        if isinstance(site.node, ast.Call) and callee(site.node) in _PARSERS:
            given = [*site.node.args, *(k.value for k in site.node.keywords if k.arg == "dataclass_types")]
            for node in given:
                origin, _ = evaluator.origin(node, use_of(site))
                parts = origin.elts if isinstance(origin, ast.Tuple | ast.List) else [origin]
                names += filter(None, map(_last_name, parts))
    return names


def options(
    outline: Outline,
    evaluator: Evaluator,
    classes: Mapping[str, Dataclass],
    parsed: list[str],
    given: CommandLine | None,
) -> dict[str, Values]:
    """Return the values of the command-line options, by the attribute that the script reads."""
    found: dict[str, Values] = {}
    for name in parsed:
        for field in classes[name].fields if name in classes else ():
            default = evaluator.value(field.default, field.use)
            found[field.name] = _as_given(field.name, f"--{field.name}", default, None, given)
    for site in outline.calls:
        if isinstance(site.node, ast.Call) and callee(site.node) == "add_argument":
            found.update(_option(site, evaluator, given))
    for site in outline.calls:
        if isinstance(site.node, ast.Call) and callee(site.node) == "set_defaults":
            for entry in evaluator.entries(site.node, use_of(site)):
                if entry.name in found and not (given and entry.name in given.options):
                    found[entry.name] = evaluator.value(entry.node, entry.use)
    return found


def use_of(site: Site) -> Use:
    """Return the position of a call."""
    return Use(site.scope, site.arms, (getattr(site.node, "lineno", 0), getattr(site.node, "col_offset", 0)))


def _option(site: Site, evaluator: Evaluator, given: CommandLine | None) -> dict[str, Values]:
    call, use = site.node, use_of(site)
    assert isinstance(call, ast.Call)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    spelled = [v.candidates[0] for v in (evaluator.value(a, use) for a in call.args) if v.is_constant]
    flags = [text for text in spelled if isinstance(text, str)]
    if not flags:
        return {}
    shown = next((flag for flag in flags if flag.startswith("--")), flags[0])
    name = shown.lstrip("-").replace("-", "_")
    if "dest" in keywords and (dest := evaluator.value(keywords["dest"], use)).is_constant:
        name = str(dest.candidates[0])
    default = _default(keywords, evaluator, use, shown)
    kind = keywords.get("type")
    stated = _as_given(name, shown, default, kind.id if isinstance(kind, ast.Name) else None, given)
    return {name: stated}


def _default(keywords: Mapping[str, ast.expr], evaluator: Evaluator, use: Use, shown: str) -> Values:
    action = evaluator.value(keywords["action"], use) if "action" in keywords else constant("store")
    word = action.candidates[0] if action.is_constant else ""
    if "default" in keywords:
        return evaluator.value(keywords["default"], use)
    if word in ("store_true", "store_false"):
        return constant(word == "store_false")
    required = "required" in keywords and evaluator.value(keywords["required"], use).candidates == (True,)
    if required or not shown.startswith("-"):
        return unknown("taken from the command line")
    return constant(None)


def _as_given(name: str, shown: str, default: Values, kind: str | None, given: CommandLine | None) -> Values:
    """Return the value from the command line, or the default with a remark that it is one."""
    if given is not None and name in given.options:
        value = given.options[name]
        remark = f"{shown} in {given.place}"
        if isinstance(value, bool):
            # An option without a value inverts its default.
            return constant(not default.candidates[0] if default.is_constant else True, remark)
        try:
            return constant(_converted(value, kind, default), remark)
        except ValueError:
            return unknown(f"invalid value '{value}' for {shown}")
    if default.is_constant:
        where = "" if given is not None else ", unless set on the command line"
        return constant(default.candidates[0], f"default of {shown}{where}")
    return default


def _converted(text: str, kind: str | None, default: Values) -> object:
    like = default.candidates[0] if default.is_constant else None
    if kind == "int" or (kind is None and type(like) is int):
        return int(text)
    if kind == "float" or (kind is None and type(like) is float):
        return float(text)
    if kind is None and isinstance(like, bool):
        return text.lower() in ("true", "1", "yes")
    return text


def _fields(node: ast.ClassDef, scope: Scope) -> Iterator[Field]:
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign | ast.Assign) and statement.value is not None:
            target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            value = _field_default(statement.value)
            if isinstance(target, ast.Name) and value is not None:
                yield Field(target.id, value, Use(scope, (), (value.lineno, value.col_offset)))


def _field_default(value: ast.expr) -> ast.expr | None:
    """Return the default in ``name: int = field(default=3)``, or the value itself."""
    if isinstance(value, ast.Call) and callee(value) in ("field", "Field"):
        return next((k.value for k in value.keywords if k.arg == "default"), None)
    return value


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
