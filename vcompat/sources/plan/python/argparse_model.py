"""Models `argparse`: the script's parser is built with the real argparse, and parses the words of the command line.

Words that are not known open what they may set: a value of one option, or every option that is not on the command line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS
from vcompat.sources.plan.python.core import Jump, Site, Stopped
from vcompat.sources.plan.python.values import (
    AT_RUN_TIME,
    NONE,
    ClassValue,
    Const,
    Function,
    Held,
    Items,
    Lib,
    NotPlainError,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
    candidates,
    from_plain,
    to_plain,
    truth,
)

if TYPE_CHECKING:
    from vcompat.sources.plan.python.interpreter import Interpreter

#: The class of the objects that stand for a parser, a group or a collection of subparsers.
KIND = "argparse.ArgumentParser"
_STEPS = "<steps>"
_CHILDREN = frozenset("add_argument_group add_mutually_exclusive_group add_subparsers add_parser".split())
_TYPES = {"int": int, "float": float, "str": str, "bool": bool, "json.loads": __import__("json").loads}
_FROM_COMMAND_LINE = "taken from the command line"


class _Unseen(list):  # type: ignore[type-arg]
    """The value of an option that the command line does not set."""


class _ParsingError(Exception):
    """The real parser refused the command line."""


class Parser(argparse.ArgumentParser):
    """The real parser, which raises instead of ending the program."""

    def error(self, message: str) -> Any:
        """Raise instead of ending the program."""
        raise _ParsingError(message)

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        """Raise instead of ending the program."""
        raise _ParsingError(message or "it prints help and ends")


class _Choices:
    """The choices of an option; a value that is not known can be any of them."""

    def __init__(self, choices: Any) -> None:
        self.choices = list(choices)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Unknown) or value in self.choices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.choices)


def make(run: Interpreter, site: Site) -> Value:
    """Create a parser."""
    parser = Obj(Lib(KIND), site.place)
    parser.cells[_STEPS] = Held(Items((_step("new", site, parser),)))
    return parser


def _step(name: str, site: Site, child: Value = NONE) -> Held:
    why = Const(site.why_open)
    keywords = Table(dict(site.keywords))  # type: ignore[arg-type]
    parts = (Held(Const(name)), Held(Seq("tuple", site.arguments)), Held(keywords), Held(child), Held(why))
    return Held(Seq("tuple", parts), site.place)


def call(run: Interpreter, parser: Obj, name: str, site: Site) -> Value:
    """Call a method of a parser or group."""
    if name in ("parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"):
        return _parse(run, parser, name, site)
    if name in ("add_argument", "set_defaults") or name in _CHILDREN:
        child: Value = NONE
        if name in _CHILDREN:
            child = Obj(Lib(KIND), site.place)
            child.cells[_STEPS] = Held(Items(()))
        _add(run, parser, _step(name, site, child))
        return child
    if name == "get_default":
        return Unknown(_FROM_COMMAND_LINE)
    if name in ("print_help", "format_help", "print_usage", "format_usage"):
        return NONE
    if name in ("error", "exit"):
        raise Stopped(Jump("exit"))
    run.open(parser, AT_RUN_TIME)
    return Unknown()


def _add(run: Interpreter, parser: Obj, step: Held) -> None:
    before = parser.cells.get(_STEPS)
    if before is not None and isinstance(before.value, Items) and not before.optional:
        run.state.write(parser, _STEPS, Held(Items((*before.value.held, step))))
    else:
        run.open(parser, "its options depend on a condition")


# Building the real parser


class _Builder:
    """Builds the real parser from the steps that the script took."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.places: dict[str, Held] = {}
        self.abstract: list[Value] = []

    def build(self, parser: Obj) -> argparse.ArgumentParser:
        """Return the real parser. Raises NotPlainError if it depends on something unknown."""
        new, *steps = self._steps(parser)
        keywords = self._keywords(new[1], "parents prefix_chars fromfile_prefix_chars allow_abbrev argument_default conflict_handler")
        keywords["parents"] = [self.build(self._parent(held)) for held in self._parents(new[1])]
        built = Parser(prog="script", add_help=not keywords["parents"], **keywords)
        self._take(built, steps)
        return built

    def _parents(self, keywords: dict[str, Held]) -> tuple[Held, ...]:
        held = keywords.get("parents")
        return () if held is None else self.run.iterate(held.value) or ()

    @staticmethod
    def _parent(held: Held) -> Obj:
        if not isinstance(held.value, Obj):
            raise NotPlainError(AT_RUN_TIME)
        return held.value

    def _steps(self, parser: Obj) -> list[tuple[str, dict[str, Held], tuple[Held, ...], Value, str, Held]]:
        held = parser.cells.get(_STEPS)
        if parser.why_open or held is None or not isinstance(held.value, Items):
            raise NotPlainError(parser.why_open or AT_RUN_TIME)
        found = []
        for step in held.value.held:
            assert isinstance(step.value, Seq) and step.value.items is not None
            name, arguments, keywords, child, why = (part.value for part in step.value.items)
            assert isinstance(name, Const) and isinstance(arguments, Seq) and isinstance(keywords, Table)
            assert isinstance(why, Const)
            named = {str(key): value for key, value in keywords.cells.items()}
            if why.value:
                raise NotPlainError(str(why.value))
            found.append((str(name.value), named, arguments.items or (), child, str(why.value), step))
        return found  # type: ignore[return-value]

    def _keywords(self, keywords: dict[str, Held], names: str) -> dict[str, Any]:
        taken = {}
        for name in names.split():
            if name in keywords and name != "parents":
                taken[name] = to_plain(keywords[name].value)
        return taken

    def _take(self, built: Any, steps: list[Any]) -> None:
        for name, keywords, arguments, child, _, step in steps:
            if name == "add_argument":
                self._argument(built, keywords, arguments, step)
            elif name == "set_defaults":
                built.set_defaults(**{key: self._default(held) for key, held in keywords.items()})
            elif name == "add_subparsers":
                wanted = self._keywords(keywords, "dest")
                self._take(built.add_subparsers(parser_class=Parser, **wanted), self._steps(child))
            elif name == "add_parser":
                self._subparser(built, keywords, arguments, child)
            else:
                group = built.add_argument_group() if name == "add_argument_group" else built.add_mutually_exclusive_group()
                self._take(group, self._steps(child))

    def _subparser(self, built: Any, keywords: dict[str, Held], arguments: tuple[Held, ...], child: Obj) -> None:
        wanted = self._keywords(keywords, "aliases")
        parents = [self.build(self._parent(held)) for held in self._parents(keywords)]
        made = built.add_parser(to_plain(arguments[0].value), parents=parents, add_help=not parents, **wanted)
        self._take(made, self._steps(child))

    def _argument(self, built: Any, keywords: dict[str, Held], arguments: tuple[Held, ...], step: Held) -> None:
        flags = [to_plain(held.value) for held in arguments]
        taken = self._keywords(keywords, "nargs dest")
        if "required" in keywords and truth(keywords["required"].value):
            taken["required"] = True
        for name in ("const", "default"):
            if name in keywords:
                taken[name] = self._default(keywords[name])
        if "choices" in keywords:
            choices = self.run.iterate(keywords["choices"].value)
            if choices is not None:
                taken["choices"] = _Choices(to_plain(held.value) for held in choices)
        if "action" in keywords:
            taken["action"] = self._action(keywords["action"].value)
        if "type" in keywords:
            taken["type"] = self._type(keywords["type"].value)
        elif taken.get("action", "store") in ("store", "append", "extend"):
            taken["type"] = _text
        if taken.get("action") in ("version", "help"):
            return
        action = built.add_argument(*flags, **taken)
        shown = next((flag for flag in flags if str(flag).startswith("--")), flags[0])
        self.places.setdefault(action.dest, Held(Const(shown), step.place))

    @staticmethod
    def _action(value: Value) -> Any:
        if isinstance(value, Lib) and value.name == "BooleanOptionalAction":
            return argparse.BooleanOptionalAction
        plain = to_plain(value)
        if not isinstance(plain, str):
            raise NotPlainError(AT_RUN_TIME)
        return plain

    def _default(self, held: Held) -> Any:
        """Return a default as argparse keeps it: text is converted by the option's type, other values are not."""
        try:
            plain = to_plain(held.value)
        except NotPlainError:
            return held.value
        return plain

    def _type(self, value: Value) -> Any:
        if isinstance(value, Lib) and value.path in _TYPES:
            return _wrapped(_TYPES[value.path])
        if isinstance(value, Lib) and value.name in ("Path", "fspath"):
            return _text
        if isinstance(value, Function | ClassValue):
            return lambda text: self._called(value, text)
        return lambda text: Unknown("converted by an unknown function")

    def _called(self, function: Value, text: str) -> Any:
        if UNKNOWN in text:
            return Unknown(_FROM_COMMAND_LINE)
        place = self.run.place(None, None)
        node = getattr(function, "node", None)
        result = self.run.call(function, Site((Held(Const(text)),), {}, "", place, node, self.run.module))
        try:
            return to_plain(result)
        except NotPlainError:
            return result


def _text(text: str) -> Any:
    return Unknown(_FROM_COMMAND_LINE) if UNKNOWN in text else text


def _wrapped(convert: Any) -> Any:
    return lambda text: Unknown(_FROM_COMMAND_LINE) if isinstance(text, str) and UNKNOWN in text else convert(text)


# Parsing


def _parse(run: Interpreter, parser: Obj, name: str, site: Site) -> Value:
    words = _words(run, site.argument(0, "args"))
    builder = _Builder(run)
    known = "known" in name
    given = site.argument(1, "namespace")
    namespace = given if isinstance(given, Obj) else Obj(Lib("argparse.Namespace"), site.place)
    run.raises()
    try:
        built = builder.build(parser)
        rest = _fill(run, builder, built, words, namespace, known, site.argument(0, "args") is not None)
    except NotPlainError as error:
        run.open(namespace, str(error))
        rest = None
    except (_ParsingError, argparse.ArgumentError, TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
        run.open(namespace, f"the command line does not fit its parser: {error}"[:100])
        rest = None
    if not known:
        return namespace
    remaining = Seq("list", None if rest is None else [Held(_word(word)) for word in rest])
    return Seq("tuple", [Held(namespace), Held(remaining)])


def _word(word: str) -> Value:
    return Unknown(_FROM_COMMAND_LINE) if UNKNOWN in word else Const(word)


def _words(run: Interpreter, given: Value | None) -> tuple[str, ...] | None:
    """Return the words to parse; None if they are not known at all."""
    if given is None or (isinstance(given, Const) and given.value is None):
        return run.start.words
    items = run.iterate(given)
    if items is None:
        return (UNKNOWN_WORDS,) if run.start.words is not None else None
    words = []
    for held in items:
        value = held.value
        plain = value.value if isinstance(value, Const) else UNKNOWN
        words.append(str(plain) if not held.optional else UNKNOWN_WORDS)
    return tuple(words)


def _fill(
    run: Interpreter,
    builder: _Builder,
    built: argparse.ArgumentParser,
    words: tuple[str, ...] | None,
    namespace: Obj,
    known: bool,
    is_list: bool,
) -> list[str] | None:
    """Set the attributes of `namespace` to what the real parser returns. Return the words that it does not know."""
    defaults = _defaults(built)
    if words is None:
        for dest, default in defaults.items():
            shown = builder.places.get(dest)
            place = shown.place if shown else None
            value = Unknown(_FROM_COMMAND_LINE, candidates(_abstract(default)))
            run.state.write(namespace, dest, Held(value, place))
        return None
    kept, is_open = _resolved(built, words)
    parsed = argparse.Namespace(**{dest: _Unseen() for dest in defaults} if is_open else {})
    if is_open:
        for action in _actions(built):
            action.required = False
    result, rest = built.parse_known_args(kept, parsed)
    if rest and not known and not is_open:
        raise _ParsingError(f"unrecognized arguments {' '.join(rest)}")
    seen = _seen(built, kept, defaults)
    # A subparser gives its options their defaults, whether or not something unknown may set them.
    below = {dest for child in _subparsers(built) for dest in _defaults(child)} if is_open else set()
    for dest, value in vars(result).items():
        if dest in below and dest not in _defaults_of_one(built):
            value = _Unseen()
        place = builder.places.get(dest, Held(NONE)).place
        if isinstance(value, _Unseen) and not value:
            held = Held(Unknown(_FROM_COMMAND_LINE, candidates(_abstract(defaults.get(dest)))), place)
        else:
            held = _held(run, builder, dest, value, dest in seen, place, is_list)
        run.state.write(namespace, dest, held)
    return None if is_open else rest


def _held(
    run: Interpreter, builder: _Builder, dest: str, value: Any, seen: bool, place: Any, is_list: bool
) -> Held:
    abstract = _abstract(value)
    shown = builder.places.get(dest, Held(Const(dest))).value
    option = shown.value if isinstance(shown, Const) else dest
    if isinstance(abstract, Const):
        remark = f"{option} in {run.start.place}" if seen and not is_list else f"default of {option}"
        abstract = Const(abstract.value, remark)
    return Held(abstract, run.start.place if seen and not is_list and run.start.place else place)


def _abstract(value: Any) -> Value:
    """Return what a value of the real parser stands for; lists can hold abstract values."""
    if isinstance(value, _Unseen):
        return Unknown(_FROM_COMMAND_LINE)
    if isinstance(value, list | tuple):
        return Seq("list", [Held(_abstract(item)) for item in value])
    if isinstance(value, str) and UNKNOWN in value:
        return Unknown(_FROM_COMMAND_LINE)
    if value is None or isinstance(value, bool | int | float | str | bytes | dict):
        return from_plain(value)
    return value if hasattr(value, "why") or hasattr(value, "cells") or isinstance(value, Lib | Function) else Unknown()


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for child in {id(p): p for p in action.choices.values()}.values():
                yield from _actions(child)


def _defaults(parser: argparse.ArgumentParser) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for action in _actions(parser):
        if action.dest not in (argparse.SUPPRESS, "help"):
            found.setdefault(action.dest, None if action.default == argparse.SUPPRESS else action.default)
    return found | dict(parser._defaults)


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _defaults_of_one(parser: argparse.ArgumentParser) -> set[str]:
    return {action.dest for action in parser._actions}


def _resolved(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> tuple[list[str], bool]:
    """Return the words without those that stand for any number, and whether there were such words.

    After an option with exactly one value they stand for that value.
    """
    kept: list[str] = []
    is_open = False
    prefixes = parser.fromfile_prefix_chars or ""
    for word in words:
        if word and word[0] in prefixes:
            is_open = True
        elif UNKNOWN_WORDS not in word and not (word.startswith(UNKNOWN) and not _wants_value(parser, kept)):
            kept.append(word)
        elif _wants_value(parser, kept):
            kept.append(UNKNOWN)
        else:
            is_open = True
    return kept, is_open


def _wants_value(parser: argparse.ArgumentParser, kept: list[str]) -> bool:
    """Return whether the last word is an option that takes exactly one value."""
    if not kept or not kept[-1].startswith("-") or "=" in kept[-1]:
        return False
    matching = [a for a in _actions(parser) for option in a.option_strings if option.startswith(kept[-1])]
    exact = [a for a in matching if kept[-1] in a.option_strings]
    return any(action.nargs is None for action in exact or matching)


def _seen(parser: argparse.ArgumentParser, words: list[str], defaults: dict[str, Any]) -> set[str]:
    """Return the attributes that the command line sets."""
    marked = argparse.Namespace(**{dest: _Unseen() for dest in defaults})
    try:
        result, _ = parser.parse_known_args(words, marked)
    except (_ParsingError, argparse.ArgumentError, TypeError, ValueError, AttributeError):
        return set()
    return {dest for dest, value in vars(result).items() if not (isinstance(value, _Unseen) and not value)}


__all__ = ["KIND", "Parser", "call", "make"]
