"""Builds the real parser from the steps that a script takes to describe its options."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vcompat.sources.reading.python.parsers.argparse_texts import is_unknown
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ITEMS,
    ON_CONDITION,
    ClassValue,
    Const,
    Function,
    Held,
    Items,
    Lib,
    NotPlainError,
    Obj,
    Table,
    Unknown,
    Value,
    members,
    plain_or,
    to_plain,
    truth,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: The class of the objects that stand for a parser, a group or a collection of subparsers.
KIND = "argparse.ArgumentParser"
_TYPES = {"int": int, "float": float, "str": str, "bool": bool, "json.loads": json.loads}
FROM_COMMAND_LINE = "taken from the command line"


class Unseen(list):  # type: ignore[type-arg]
    """The value of an option that the command line does not set."""

    def __add__(self, more: Any) -> Any:
        """Return what an option that counts has after it is given once."""
        return more


class ParsingError(Exception):
    """The real parser refused the command line."""


class _Formatter(argparse.HelpFormatter):
    """What argparse checks each option with. It asks for the size of the terminal unless it has a width."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class Parser(argparse.ArgumentParser):
    """The real parser, which raises instead of ending the program."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, **keywords})

    def error(self, message: str) -> Any:
        """Raise instead of ending the program."""
        raise ParsingError(message)

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        """Raise instead of ending the program."""
        raise ParsingError(message or "it prints help and ends")


class Choices:
    """The choices of an option; a value that is not known can be any of them."""

    def __init__(self, choices: Any) -> None:
        self.choices = list(choices)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Unknown) or value in self.choices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.choices)


class Builder:
    """Builds the real parser from the steps that the script took."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.places: dict[str, Held] = {}
        self.abstract: list[Value] = []

    def build(self, parser: Obj) -> argparse.ArgumentParser:
        """Return the real parser. Raises NotPlainError if it depends on something unknown."""
        new, *steps = self._steps(parser)
        keywords = self._keywords(
            new[1], "add_help prefix_chars fromfile_prefix_chars allow_abbrev argument_default conflict_handler"
        )
        keywords["parents"] = [self.build(self._parent(held)) for held in self._parents(new[1])]
        built = Parser(**keywords)
        self._take(built, steps)
        return built

    def extend(self, built: argparse.ArgumentParser, parser: Obj) -> list[argparse.Action]:
        """Add the options that the script adds to `parser`, and return them.

        An option must have a name of its own: of two for one attribute, either may be the one that counts. Raises
        NotPlainError, or what argparse does.
        """
        before = list(built._actions)
        self._take(built, self._steps(parser))
        added = built._actions[len(before) :]
        names = {action.dest for action in added}
        is_plain = len(names) == len(added) and all(action.option_strings for action in added)
        if not is_plain or names & {action.dest for action in before}:
            raise NotPlainError(AT_RUN_TIME)
        return added

    def _parents(self, keywords: dict[str, Held]) -> tuple[Held, ...]:
        held = keywords.get("parents")
        parents = () if held is None else self.run.objects.iterate(held.value)
        if parents is None:
            raise NotPlainError(AT_RUN_TIME)
        return parents

    @staticmethod
    def _parent(held: Held) -> Obj:
        if not isinstance(held.value, Obj):
            raise NotPlainError(AT_RUN_TIME)
        return held.value

    def _steps(self, parser: Obj) -> list[tuple[str, dict[str, Held], tuple[Held, ...], Value, Held]]:
        held = parser.cells.get(ITEMS)
        if held is None or not isinstance(held.value, Items):
            raise NotPlainError(parser.why_open or AT_RUN_TIME)
        return [_step(held) for held in held.value.held]

    def _keywords(self, keywords: dict[str, Held], names: str) -> dict[str, Any]:
        return {name: to_plain(keywords[name].value) for name in names.split() if name in keywords}

    def _take(self, built: Any, steps: list[Any]) -> None:
        for name, keywords, arguments, child, step in steps:
            if name == "add_argument":
                self._argument(built, keywords, arguments, step)
            elif name == "set_defaults":
                built.set_defaults(**{key: self._default(held) for key, held in keywords.items()})
            elif name == "add_subparsers":
                wanted = self._keywords(keywords, "dest")
                self._take(built.add_subparsers(**wanted), self._steps(child))
            elif name == "add_parser":
                self._subparser(built, keywords, arguments, child)
            else:
                group = (
                    built.add_argument_group() if name == "add_argument_group" else built.add_mutually_exclusive_group()
                )
                self._take(group, self._steps(child))

    def _subparser(self, built: Any, keywords: dict[str, Held], arguments: tuple[Held, ...], child: Obj) -> None:
        wanted = self._keywords(keywords, "aliases add_help")
        parents = [self.build(self._parent(held)) for held in self._parents(keywords)]
        made = built.add_parser(to_plain(arguments[0].value), parents=parents, **wanted)
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
            choices = self.run.objects.iterate(members(keywords["choices"].value))
            if choices is not None:
                taken["choices"] = Choices(to_plain(held.value) for held in choices)
        if "action" in keywords:
            taken["action"] = self._action(keywords["action"].value)
        if "type" in keywords:
            taken["type"] = self._type(keywords["type"].value)
        elif taken.get("action", "store") in ("store", "append", "extend"):
            taken["type"] = _text
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
        return plain_or(held.value, held.value)

    def _type(self, value: Value) -> Any:
        if isinstance(value, Lib) and value.path in _TYPES:
            return _wrapped(_TYPES[value.path])
        if isinstance(value, Lib) and value.name in ("Path", "fspath"):
            return _text
        if isinstance(value, Function | ClassValue):
            return lambda text: self._called(value, text)
        return lambda text: Unknown("converted by an unknown function")

    def _called(self, function: Value, text: str) -> Any:
        if is_unknown(text):
            return Unknown(FROM_COMMAND_LINE)
        place = self.run.place(None, None)
        site = Site((Held(Const(text)),), {}, "", place, ast.Pass(), self.run.module)
        result = self.run.calls.call(function, site)
        return plain_or(result, result)


def _step(step: Held) -> tuple[str, dict[str, Held], tuple[Held, ...], Value, Held]:
    """Return the parts of one step. Raises NotPlainError if it depends on a condition."""
    assert isinstance(step.value, Items)
    name, arguments, keywords, child, why = (part.value for part in step.value.held)
    if isinstance(name, Unknown) or not isinstance(arguments, Items) or not isinstance(keywords, Table):
        raise NotPlainError(ON_CONDITION)
    assert isinstance(name, Const)
    if why != Const(""):
        raise NotPlainError(why.value if isinstance(why, Const) else ON_CONDITION)
    return str(name.value), {str(key): value for key, value in keywords.cells.items()}, arguments.held, child, step


def _text(text: str) -> Any:
    return Unknown(FROM_COMMAND_LINE) if is_unknown(text) else text


def _wrapped(convert: Any) -> Any:
    def converted(text: Any) -> Any:
        return Unknown(FROM_COMMAND_LINE) if isinstance(text, str) and is_unknown(text) else convert(text)

    # The name is in argparse's messages.
    converted.__name__ = convert.__name__
    return converted
