"""Reads a justfile: which commands `just` runs for a recipe, by plain recipes, parameters and variables.

The result of a function or of a command in an expression is not known. A file with something else, such as a module or
an import, is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.sources.reading.recipes.recipes import (
    LONGEST_LINE,
    MOST_EXPANSIONS,
    MOST_RECIPES,
    Lookup,
    NotFollowed,
    Recipe,
    bounded,
)
from vcompat.sources.reading.word import UNKNOWN, Word, concat, joined, readable

_ASSIGNMENT = re.compile(r"(export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)")
_HEAD = re.compile(r"@?([A-Za-z_][\w-]*)((?:\s+[^:]*?)?)\s*:(?!=)(.*)")
_PARAMETER = re.compile(r"([+*]?)(\$?)([A-Za-z_][\w-]*)(?:=(\"[^\"]*\"|'[^']*'|[^\s\"']+))?")
_TERM = re.compile(r"\s*(?:'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|([A-Za-z_][\w-]*)(?![\w-])(?!\s*\())\s*")
_DEPENDENCY = re.compile(r"\(([^)]*)\)|([A-Za-z_][\w-]*)")
_INTERPOLATION = re.compile(r"\{\{\{\{|\{\{(.*?)\}\}")
#: Lines that change nothing of what a recipe runs.
_HARMLESS = re.compile(r"set\s+(shell\s*:=\s*\[\s*['\"](ba|z|da)?sh|quiet|fallback|ignore-comments)|alias\b")


class _Parameter(NamedTuple):
    name: str
    is_many: bool
    needed: bool
    is_exported: bool
    default: str | None


class _Recipe(NamedTuple):
    parameters: tuple[_Parameter, ...]
    before: str
    """The dependencies that run before it, as written."""
    after: str
    body: list[tuple[str, int]]


class Justfile:
    """A justfile that was read."""

    def __init__(self, text: str, environment: Lookup) -> None:
        """Read `text`. Raises NotFollowed."""
        self._environment = environment
        self._expressions: dict[str, str] = {}
        self._exported: set[str] = set()
        self._recipes: dict[str, _Recipe] = {}
        self._aliases: dict[str, str] = {}
        self._given: dict[str, Word] = {}
        self._first = ""
        self._expansions = 0
        self._evaluating: list[str] = []
        self._read(text)

    def _read(self, text: str) -> None:
        recipe: _Recipe | None = None
        for number, line in enumerate(text.split("\n"), 1):
            if line[:1].isspace() or not line:
                if recipe is not None and (line.strip() or recipe.body):
                    recipe.body.append((line, number))
                continue
            recipe = None
            if len(line) > LONGEST_LINE:
                raise NotFollowed(line)
            if line.startswith(("#", "[")):
                # Attributes of recipes, such as [private].
                if line.startswith("[") and not re.match(r"\[(private|group|doc|no-exit-message|linux|unix)\b", line):
                    raise NotFollowed(line)
                continue
            recipe = self._line(line)

    def _line(self, line: str) -> _Recipe | None:
        """Read an assignment, an alias, or the head of a recipe, which is returned."""
        if match := re.match(r"alias\s+([\w-]+)\s*:=\s*([\w-]+)", line):
            self._aliases[match[1]] = match[2]
            return None
        if _HARMLESS.match(line):
            return None
        if match := _ASSIGNMENT.fullmatch(line):
            self._expressions[match[2]] = match[3]
            self._exported |= {match[2]} if match[1] else set()
            return None
        match = _HEAD.fullmatch(line)
        if match is None:
            raise NotFollowed(line)
        before, _, after = match[3].partition("#")[0].partition("&&")
        recipe = _Recipe(self._parameters(match[2]), before, after, [])
        self._recipes[match[1]] = recipe
        self._first = self._first or match[1]
        return recipe

    def _parameters(self, text: str) -> tuple[_Parameter, ...]:
        found, position = [], 0
        text = text.strip()
        while position < len(text):
            match = _PARAMETER.match(text, position)
            if match is None:
                raise NotFollowed(text)
            found.append(
                _Parameter(match[3], bool(match[1]), match[1] != "*" and not match[4], bool(match[2]), match[4])
            )
            position = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip())
        return tuple(found)

    # Expressions

    def _value(self, name: str, own: Mapping[str, Word]) -> Word:
        if name in own:
            return own[name]
        if name in self._given:
            return self._given[name]
        if name not in self._expressions or name in self._evaluating:
            raise NotFollowed(name)
        self._evaluating.append(name)
        try:
            return self._evaluated(self._expressions[name], {})
        finally:
            self._evaluating.pop()

    def _evaluated(self, expression: str, own: Mapping[str, Word]) -> Word:
        """Return the value of an expression: texts and names, joined by ``+`` and ``/``; else UNKNOWN."""
        self._expansions += 1
        if self._expansions > MOST_EXPANSIONS:
            raise NotFollowed("too many variables")
        result: Word = ""
        position = 0
        expression = expression.strip()
        while True:
            match = _TERM.match(expression, position)
            if match is None or not match[0] or match[3] == "if":
                return self._of_function(expression, own)
            if match[3] is not None:
                result += self._value(match[3], own)
            else:
                result += match[1] if match[1] is not None else re.sub(r"\\(.)", _escaped, match[2])
            position = match.end()
            sign = expression[position : position + 1]
            if sign == "#" or not sign:
                return bounded(result)
            if sign not in ("+", "/"):
                return UNKNOWN
            result += "/" * (sign == "/")
            position += 1

    def _of_function(self, expression: str, own: Mapping[str, Word]) -> Word:
        """Return the value of a call: of `env`, a variable of the environment or its default; else UNKNOWN."""
        match = re.fullmatch(r"(?:env|env_var|env_var_or_default)\(([^(),]*)(?:,([^(),]*))?\)", expression)
        if match is None:
            return UNKNOWN
        name = self._evaluated(match[1], own)
        found = self._environment(name) if isinstance(name, str) else UNKNOWN
        if found is None:
            return self._evaluated(match[2], own) if match[2] else UNKNOWN
        return found

    # Recipes

    def recipes(self, words: Sequence[str]) -> list[Recipe]:
        """Return the commands for the words after `just`: variables, recipes and their arguments.

        Raises NotFollowed for a recipe that is not there, and for arguments that do not fit.
        """
        rest = list(words)
        while rest and re.match(r"[A-Za-z_][\w-]*=", rest[0]):
            name, _, self._given[name] = rest.pop(0).partition("=")
        found: list[Recipe] = []
        done: set[tuple[str, ...]] = set()
        if not rest:
            self._add(self._first, [], found, done)
        while rest:
            name = rest.pop(0)
            recipe = self._known(name)
            many = any(parameter.is_many for parameter in recipe.parameters)
            count = len(rest) if many else min(len(rest), len(recipe.parameters))
            arguments, rest = rest[:count], rest[count:]
            self._add(name, arguments, found, done)
        return found

    def _known(self, name: str) -> _Recipe:
        recipe = self._recipes.get(self._aliases.get(name, name))
        if recipe is None:
            raise NotFollowed(name)
        return recipe

    def _add(self, name: str, arguments: Sequence[str], found: list[Recipe], done: set[tuple[str, ...]]) -> None:
        """Add the commands of a recipe, with those of its dependencies around them."""
        recipe = self._known(name)
        if (name, *arguments) in done:
            return
        done.add((name, *arguments))
        if len(done) > MOST_RECIPES:
            raise NotFollowed("too many recipes")
        own = self._bound(recipe, arguments)
        self._depend(recipe.before, own, found, done)
        exported = {parameter.name for parameter in recipe.parameters if parameter.is_exported}
        variables = {one: self._value(one, {}) for one in self._exported} | {one: own[one] for one in exported}
        lines = [(self._interpolated(_unindented(line), own), number) for line, number in recipe.body]
        while lines and not lines[-1][0].strip():
            lines.pop()
        found += [Recipe(text, number, "", tuple(variables.items())) for text, number in _joined(lines)]
        self._depend(recipe.after, own, found, done)

    def _bound(self, recipe: _Recipe, arguments: Sequence[str]) -> dict[str, Word]:
        rest, own = list(arguments), dict[str, Word]()
        for parameter in recipe.parameters:
            if rest and parameter.is_many:
                own[parameter.name], rest = " ".join(rest), []
            elif rest:
                own[parameter.name] = rest.pop(0)
            elif parameter.needed:
                raise NotFollowed(parameter.name)
            else:
                own[parameter.name] = self._evaluated(parameter.default, own) if parameter.default else ""
        if rest:
            raise NotFollowed(" ".join(rest))
        return own

    def _depend(self, text: str, own: Mapping[str, Word], found: list[Recipe], done: set[tuple[str, ...]]) -> None:
        for match in _DEPENDENCY.finditer(text):
            if match[2]:
                self._add(match[2], [], found, done)
                continue
            name, _, rest = match[1].strip().partition(" ")
            values = [self._evaluated(term[0], own) for term in _TERM.finditer(rest) if term[0].strip()]
            known = [value for value in values if isinstance(value, str)]
            if len(known) < len(values):
                raise NotFollowed(text)
            self._add(name, known, found, done)

    def _interpolated(self, line: str, own: Mapping[str, Word]) -> Word:
        pieces: list[Word] = []
        position = 0
        for match in _INTERPOLATION.finditer(line):
            pieces += [line[position : match.start()], "{{" if match[1] is None else self._evaluated(match[1], own)]
            position = match.end()
        return concat((*pieces, line[position:]))


def _escaped(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1])


def _unindented(line: str) -> str:
    return line.lstrip(" \t")


def _joined(lines: Sequence[tuple[Word, int]]) -> list[tuple[Word, int]]:
    """Return the commands of a recipe: a script as one text, else each line, with those that it goes on in."""
    if lines and lines[0][0].startswith("#!"):
        first = readable(lines[0][0])
        if not re.match(r"#!.*\b(ba|z|da)?sh\b", first):
            raise NotFollowed(first)
        return [(joined("\n", (text for text, _ in lines)), lines[0][1])]
    found: list[tuple[Word, int]] = []
    goes_on = False
    for text, number in lines:
        plain = text if goes_on else text.lstrip("@-").lstrip()
        if goes_on:
            found[-1] = (joined("\n", (found[-1][0], plain)), found[-1][1])
        elif plain and not plain.startswith("#"):
            found.append((plain, number))
        goes_on = bool(found) and text.endswith("\\")
    return found
