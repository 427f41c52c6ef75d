"""Reads a Makefile: which commands `make` runs for a goal, by plain rules and variables.

Variables are expanded as GNU make does: ``$(X)``, ``?=``, ``:=``, ``+=``, those of the command line and of the
environment. The result of a function, such as ``$(shell ...)``, is not known. A file with something else, such as
`define` or a condition that is not known, is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.sources.reading.makefiles.makefile_lines import closing, logical_lines, plain, without_comment
from vcompat.sources.reading.makefiles.recipe import (
    LONGEST_LINE,
    MOST_EXPANSIONS,
    MOST_RECIPES,
    Lookup,
    NotFollowed,
    Passes,
    Reader,
    Recipe,
    bounded,
)
from vcompat.sources.reading.word import UNKNOWN, Gap, Word, concat, joined, readable

_ASSIGNMENT = re.compile(
    r"(?P<export>export\s+)?(?P<override>override\s+)?(?P<name>[\w.-]+)\s*(?P<sign>\?=|:{1,3}=|\+=|=)\s*(?P<value>.*)",
    re.DOTALL,
)
_CONDITION = re.compile(r"(ifeq|ifneq)\s*(?:\((.*),(.*)\)|[\"'](.*?)[\"']\s+[\"'](.*?)[\"'])\s*$")
_DEFINED = re.compile(r"(ifdef|ifndef)\s+(\S+)\s*$")
_REFERENCE = re.compile(r"\$(\$|[@<^*?+|%]|\w)")
_NOT_READ = re.compile(r"(define|undefine|vpath|load|private)\b|\S+\s*::?=\s*\$\(eval")
_MOST_INCLUDES = 10


class Environment(NamedTuple):
    """The variables of the environment in which make is started."""

    value: Lookup
    passes: Passes


class _Variable(NamedTuple):
    value: Word
    is_simple: bool = False
    """Whether the value was expanded when it was set."""
    is_default: bool = False
    """Whether a value of the environment comes before it (``?=``)."""


class _Rule(NamedTuple):
    prerequisites: tuple[Word, ...]
    recipe: list[tuple[str, int]]
    has_another: bool
    """Whether another rule of the target has commands already, of which only one counts."""


class _Goal(NamedTuple):
    """For what a target is made."""

    why: str
    """Why it may not be."""
    exists: Callable[[Word], bool]
    own: Mapping[str, Word]
    """The variables of the targets that need it."""


class Makefile:
    """A Makefile that was read."""

    def __init__(self, text: str, given: Mapping[str, str], environment: Environment, reads: Reader) -> None:
        """`given` has the variables of the command line, which come before all others. Raises NotFollowed."""
        self._given = given
        self._environment, self._passes = environment
        self._reads = reads
        self._variables: dict[str, _Variable] = {"MAKE": _Variable("make"), "CURDIR": _Variable(UNKNOWN)}
        self._exported: set[Word] = set()
        self._exports_all = False
        self._rules: dict[str, _Rule] = {}
        self._own: dict[Word, list[tuple[str, str, str]]] = {}
        self._phony: set[Word] = set()
        self._first = ""
        self._one_shell = False
        self._includes = self._expansions = 0
        self._read(text)

    # Reading

    def _read(self, text: str) -> None:
        """Read the lines of a file."""
        skipping: list[bool] = []
        """For each open condition, whether its present branch does not count."""
        current: list[_Rule] = []
        in_rule = False
        """Whether the lines of a recipe belong to a rule, which may be one whose targets are not known."""
        for line, number in logical_lines(text):
            if line.startswith("\t") and in_rule and not any(skipping):
                for rule in current:
                    if rule.has_another:
                        raise NotFollowed(line)
                    rule.recipe.append((line[1:], number))
                continue
            if len(line) > LONGEST_LINE:
                raise NotFollowed(line)
            statement = without_comment(line).strip()
            if not statement:
                continue
            if self._condition(statement, skipping) or any(skipping):
                continue
            rules = self._statement(statement, number)
            current, in_rule = rules or [], rules is not None

    def _condition(self, line: str, skipping: list[bool]) -> bool:
        """Follow a line of a condition. Returns whether it is one."""
        word = line.partition(" ")[0]
        if word == "endif" and skipping:
            skipping.pop()
        elif word == "else" and skipping:
            if line != "else":
                raise NotFollowed(line)
            skipping[-1] = not skipping[-1]
        elif word.startswith(("ifeq", "ifneq", "ifdef", "ifndef")):
            skipping.append(any(skipping) or not self._holds(line))
        else:
            return False
        return True

    def _holds(self, line: str) -> bool:
        if match := _DEFINED.match(line):
            value = self._value(match[2])
            if not isinstance(value, str):
                raise NotFollowed(line)
            return bool(value) is (match[1] == "ifdef")
        match = _CONDITION.match(line)
        if match is None:
            raise NotFollowed(line)
        left, right = match[2] if match[2] is not None else match[4], match[3] if match[3] is not None else match[5]
        sides = self.expand(left.strip()), self.expand(right.strip())
        if not all(isinstance(side, str) for side in sides):
            raise NotFollowed(line)
        return (sides[0] == sides[1]) is (match[1] == "ifeq")

    def _statement(self, line: str, number: int) -> list[_Rule] | None:
        """Read an assignment, an include, or the first line of a rule; return the rules whose recipe follows.

        Returns None if no recipe can follow.
        """
        if _NOT_READ.match(line):
            raise NotFollowed(line)
        word, _, rest = line.partition(" ")
        if word in ("include", "-include", "sinclude"):
            self._include(rest, word == "include")
            return None
        if word in ("export", "unexport") and "=" not in line:
            names = self.expand(rest).split()
            self._exports_all = self._exports_all or (word == "export" and not names)
            self._exported = self._exported | set(names) if word == "export" else self._exported - set(names)
            return None
        match = _ASSIGNMENT.fullmatch(line)
        if match:
            self._assign(match["name"], match["sign"], match["value"])
            self._exported |= {match["name"]} if match["export"] else set()
            return None
        return self._rule(line, number)

    def _include(self, names: str, needed: bool) -> None:
        for name in self.expand(names).split():
            self._includes += 1
            text = self._reads(name) if isinstance(name, str) else None
            if text is not None and self._includes <= _MOST_INCLUDES:
                self._read(text)
            elif needed or not isinstance(name, str) or text is not None:
                raise NotFollowed(readable(name))

    def _assign(self, name: str, sign: str, value: str) -> None:
        before = self._variables.get(name)
        if sign == "?=":
            if before is None:
                self._variables[name] = _Variable(value, is_default=True)
        elif sign == "+=" and (before is not None or self._environment(name)):
            old = before.value if before is not None else self._value(name)
            simple = before is not None and before.is_simple
            added = self.expand(value) if simple else value
            self._variables[name] = _Variable(
                joined(" ", (old, added)).strip(), simple, before is not None and before.is_default
            )
        elif sign.startswith(":"):
            self._variables[name] = _Variable(self.expand(value), True)
        else:
            self._variables[name] = _Variable(value)

    def _rule(self, line: str, number: int) -> list[_Rule]:
        head, inline, recipe = line.partition(";")
        left, colon, right = head.partition(":")
        if not colon:
            raise NotFollowed(line)
        targets = self.expand(left).split()
        right = right.lstrip(":")
        if assignment := _ASSIGNMENT.fullmatch(right.strip()):
            if any("%" in target for target in targets):
                raise NotFollowed(line)
            for target in targets:
                own = (assignment["name"], assignment["sign"], assignment["value"])
                self._own.setdefault(target, []).append(own)
            return []
        known_targets = [target for target in targets if isinstance(target, str)]
        if len(known_targets) < len(targets):
            return []
        prerequisites = tuple(self.expand(right.partition("|")[0] + " " + right.partition("|")[2]).split())
        if ".PHONY" in known_targets:
            self._phony |= set(prerequisites)
        self._one_shell = self._one_shell or ".ONESHELL" in known_targets
        rules = [self._with(target, prerequisites) for target in known_targets if not _is_special(target)]
        for rule in rules if inline else ():
            if rule.recipe:
                raise NotFollowed(line)
            rule.recipe.append((recipe.strip(), number))
        return rules

    def _with(self, target: str, prerequisites: tuple[Word, ...]) -> _Rule:
        """Return the rule of a target, with further prerequisites."""
        self._first = self._first or target * ("%" not in target)
        known = self._rules.get(target, _Rule((), [], False))
        self._rules[target] = _Rule((*known.prerequisites, *prerequisites), known.recipe, bool(known.recipe))
        return self._rules[target]

    # Variables

    def _value(self, name: str, own: Mapping[str, Word] | None = None) -> Word:
        """Return the expanded value of a variable; empty if it is not set."""
        if name in self._given:
            return self._given[name]
        if own and name in own:
            return own[name]
        variable = self._variables.get(name)
        if variable is None or variable.is_default:
            found = self._environment(name)
            if found is not None or variable is None:
                return found or ""
        return variable.value if variable.is_simple else self.expand(variable.value, own)

    def expand(self, text: Word, own: Mapping[str, Word] | None = None) -> Word:
        """Return a text with the values of its variables; `own` has those of the target. Raises NotFollowed."""
        self._expansions += 1
        if self._expansions > MOST_EXPANSIONS:
            raise NotFollowed("too many variables")
        if isinstance(text, str):
            return bounded(concat(self._pieces(text, own)))
        parts = (UNKNOWN if isinstance(part, Gap) else concat(self._pieces(part, own)) for part in text.parts)
        return bounded(concat(parts))

    def _pieces(self, text: str, own: Mapping[str, Word] | None) -> Iterator[Word]:
        """Yield the parts of an expanded text."""
        index = 0
        while index < len(text):
            if text[index] != "$":
                end = text.find("$", index)
                yield text[index : end if end > 0 else len(text)]
                index = end if end > 0 else len(text)
                continue
            opened = text[index + 1 : index + 2]
            if opened in ("(", "{") and opened:
                end = closing(text, index + 1)
                yield self._reference(text[index + 2 : end], own)
                index = end + 1
                continue
            match = _REFERENCE.match(text, index)
            if match is None:
                raise NotFollowed(text)
            yield "$" if match[1] == "$" else self._value(match[1], own)
            index = match.end()

    def _reference(self, inner: str, own: Mapping[str, Word] | None) -> Word:
        """Return what stands for ``$(inner)``: a variable, or the result of a function, which is not known."""
        if re.match(r"[a-z-]+[ \t]", inner) or "," in inner:
            function, _, rest = inner.partition(" ")
            return self.expand(rest, own).strip() if function == "strip" else UNKNOWN
        name = self.expand(inner, own)
        return self._value(name, own) if isinstance(name, str) and ":" not in name else UNKNOWN

    # Goals

    def recipes(self, goals: Sequence[str], exists: Callable[[Word], bool]) -> list[Recipe]:
        """Return the commands for `goals`, with those of prerequisites before them; for none, of the first target.

        `exists` returns whether a file is there: a target that is one may be up to date. Raises NotFollowed for a goal
        without a rule.
        """
        done: dict[Word, None] = {}
        recipes: list[Recipe] = []
        shell = self.expand(self._variables["SHELL"].value) if "SHELL" in self._variables else "sh"
        is_shell = isinstance(shell, str) and re.fullmatch(r"(.*/)?(ba|da|z)?sh", shell)
        if not is_shell or ".SHELLFLAGS" in self._variables:
            raise NotFollowed(f"SHELL is {readable(shell)}")
        first = self._variables.get(".DEFAULT_GOAL")
        for goal in goals or (first.value if first else self._first,):
            if self._rule_of(goal) is None:
                raise NotFollowed(f"no rule for {readable(goal)}")
            self._make(goal, _Goal("", exists, {}), done, recipes)
        return recipes

    def _rule_of(self, target: Word) -> tuple[_Rule, Word] | None:
        """Return the rule of a target, and the stem that a pattern matches; None if there is none."""
        if isinstance(target, str) and target in self._rules:
            return self._rules[target], ""
        for pattern, rule in self._rules.items():
            before, percent, after = pattern.partition("%")
            fits = percent and target.startswith(before) and target.endswith(after)
            if fits and len(target) > len(before) + len(after):
                return rule, target[len(before) : len(target) - len(after)]
        return None

    def _make(self, target: Word, goal: _Goal, done: dict[Word, None], recipes: list[Recipe]) -> None:
        """Add the commands of a target. They may not run, if it is a file that is there."""
        known = self._rule_of(target)
        if target in done or known is None:
            return
        done[target] = None
        if len(done) > MOST_RECIPES:
            raise NotFollowed("too many targets")
        rule, stem = known
        needed = [joined(stem, name.split("%")) for name in rule.prerequisites]
        why = goal.why
        if target not in self._phony and goal.exists(target):
            why = why or f"{readable(target)} may be up to date"
        own = self._own_values(target, goal)
        for prerequisite in needed:
            # Prerequisites have the variables of the target, too.
            self._make(prerequisite, _Goal(why, goal.exists, own), done, recipes)
        every = joined(" ", needed)
        here: dict[str, Word] = {"@": target, "<": needed[0] if needed else "", "^": every, "+": every, "*": stem}
        here |= own
        variables = tuple(self._passed_on(own).items())
        recipes += [Recipe(text, line, why, variables) for text, line in self._lines(rule, here) if text.strip()]

    def _own_values(self, target: Word, goal: _Goal) -> dict[str, Word]:
        """Return the variables that only a target has, and what it is needed for."""
        own = dict(goal.own)
        for name, sign, value in self._own.get(target, ()):
            if sign != "?=" or not self._value(name, own):
                before = (self._value(name, own), " ") if sign == "+=" else ()
                own[name] = concat((*before, self.expand(value, own)))
        return own

    def _lines(self, rule: _Rule, own: Mapping[str, Word]) -> list[tuple[Word, int]]:
        """Return what shells run for a rule, with the lines of the Makefile: each line, or all together."""
        lines = [(plain(self.expand(text, own)), line) for text, line in rule.recipe]
        if self._one_shell and lines:
            return [(joined("\n", (text for text, _ in lines)), lines[0][1])]
        return lines

    def _passed_on(self, own: Mapping[str, Word]) -> dict[str, Word | None]:
        """Return the variables in the environment of recipes: exported ones, and new values of inherited ones."""
        passed: dict[str, Word | None] = {}
        for name in {**self._variables, **own}:
            if not re.fullmatch(r"[A-Za-z_]\w*", name) or name in ("MAKE", "CURDIR", "SHELL"):
                continue
            inherited = self._passes(name)
            if name in self._exported or self._exports_all or inherited:
                passed[name] = self._value(name, own)
            elif inherited is None:
                passed[name] = None
        return passed | dict(self._given)


def _is_special(target: str) -> bool:
    return target.startswith(".") and target[1:].isupper()
