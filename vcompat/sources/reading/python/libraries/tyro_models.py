"""Models of tyro: it fills the parameters of a function, or the fields of a dataclass, from the command line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.python.classes import classes
from vcompat.sources.reading.python.parsers import function_options
from vcompat.sources.reading.python.parsers.function_options import Option
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    UNSET,
    ClassValue,
    Function,
    Held,
    Obj,
    Unknown,
    Value,
    join,
    plain_or,
)
from vcompat.sources.reading.word import Word

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

_COMMAND_LINE = "taken from the command line"
#: Keywords that change no value.
_NO_MATTER = frozenset({"prog", "description"})
#: What changes how a field is given.
_CHANGES = ("Annotated", "tyro.conf", "tyro.MISSING")


class _Field(NamedTuple):
    """A field of a dataclass, or of one that it holds."""

    name: str
    default: Held
    nested: ClassValue | None
    kind: str
    """The type of its value, as `Option` has it."""


def _cli(run: Run, site: Site) -> Value:
    """Model ``tyro.cli(f, args=..., default=...)``."""
    target, default = site.argument(0, "f"), site.keywords.get("default")
    if site.why_open or site.keywords.keys() - {"f", "args", "default", *_NO_MATTER}:
        return run.calls.unknown_call(site, AT_RUN_TIME)
    words = _words(run, site)
    if isinstance(target, Function) and default is None:
        return run.calls.call(target, function_options.started(run, target, words, run.implicit(), by="tyro"))
    if not isinstance(target, ClassValue) or not _is_plain(run, target):
        return run.calls.unknown_call(site, AT_RUN_TIME)
    if default is not None and not isinstance(default.value, Obj):
        return Unknown(_COMMAND_LINE)
    base = default.value if default is not None and isinstance(default.value, Obj) else None
    options = list(_options(run, target, base, ""))
    values = function_options.parsed(options, words) if words is not None else None
    return _Maker(run, values, site.place).made(target, base)


def _words(run: Run, site: Site) -> tuple[Word, ...] | None:
    """Return the words that it parses; None if they are not known."""
    given = site.keywords.get("args")
    if given is None or given.is_certainly(None):
        return run.words
    plain = plain_or(given.value, None)
    return tuple(map(str, plain)) if isinstance(plain, list | tuple) else None


def _is_plain(run: Run, kind: ClassValue) -> bool:
    """Return whether a class is a dataclass of the script whose fields are options of their names."""
    text = "\n".join(ast.unparse(owner.node) for owner in run.objects.own_classes(kind))
    return kind.is_dataclass and not run.objects.library_classes(kind) and not any(word in text for word in _CHANGES)


def _fields(run: Run, kind: ClassValue, base: Obj | None) -> Iterator[_Field]:
    """Yield the fields of a dataclass, with the values of `base`, an instance of it, as their defaults."""
    for name, held in classes.all_fields(run, kind).items():
        default = base.cells.get(name, Held(UNSET)) if base is not None else classes.default_of(run, held)
        found = run.objects.annotation(kind, name)
        declared = run.expressions.evaluate(found[1], found[0].frame) if found and _is_name(found[1]) else None
        nested = declared if isinstance(declared, ClassValue) and declared.is_dataclass else None
        yield _Field(name, default, nested, function_options.kind_of(found[1]) if found else "")


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _options(run: Run, kind: ClassValue, base: Obj | None, prefix: str) -> Iterator[Option]:
    for field in _fields(run, kind, base):
        if field.nested is not None:
            yield from _options(run, field.nested, _instance(field), f"{prefix}{field.name}.")
        else:
            yield function_options.option_of_tyro(prefix, field.name, field.kind, field.default.value)


def _instance(field: _Field) -> Obj | None:
    return field.default.value if isinstance(field.default.value, Obj) else None


class _Maker(NamedTuple):
    """Makes instances of dataclasses."""

    run: Run
    values: Mapping[str, Value] | None
    """What the options set, by their names; None if that is not known."""
    place: Place

    def made(self, kind: ClassValue, base: Obj | None, prefix: str = "") -> Value:
        """Return an instance with what the options set, and otherwise what `base` has or the class by default."""
        keywords = {}
        for field in _fields(self.run, kind, base):
            name, default = f"{prefix}{field.name}", field.default
            if field.nested is not None:
                inner = self.made(field.nested, _instance(field), f"{name}.")
                keywords[field.name] = Held(inner, default.place)
            elif self.values is None:
                why = Unknown(_COMMAND_LINE)
                keywords[field.name] = Held(why if default.value is UNSET else join(why, default.value), self.place)
            elif name in self.values:
                keywords[field.name] = Held(self.values[name], self.run.start.place)
            elif default.value is not UNSET:
                keywords[field.name] = default
        made = self.run.calls.call(kind, self.run.implicit(place=self.place)._replace(keywords=keywords))
        if base is not None and base.why_open:
            self.run.open(made, base.why_open)
        return made


#: By dotted name.
MODELS: Mapping[str, Callable[[Run, Site], Value]] = {"tyro.cli": _cli}
