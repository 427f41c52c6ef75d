"""Conditions over facts, in three-valued logic: true, false, or None if the result depends on an unknown fact.

A condition is parsed once from a rule's ``[when]`` table. This module does not depend on rules.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue, Value
from vcompat.facts.vocabulary import FLAG, NUMBER, VERSION, Spec, spec_of
from vcompat.foundation.errors import InputError
from vcompat.index.packages import IMPORTED
from vcompat.rules.ranges import InvalidRange, check_range, parse_range

if TYPE_CHECKING:
    from vcompat.rules.unfit import Unfit

Truth = bool | None
Matcher = Callable[[Value], Truth]


class Condition(Protocol):
    """The interface of every node of a condition."""

    def truth(self, facts: Facts) -> Truth:
        """Whether the condition holds; None if that depends on an unknown fact."""

    def deciders(self, facts: Facts) -> Iterator[str]:
        """Yield the names of the facts that made the condition true, or None."""

    def names(self) -> Iterator[str]:
        """Yield the names of all facts in the condition."""


class FactTest(NamedTuple):
    """Compares a fact with an expectation. For a fact with several values, one match is enough."""

    fact: str
    expected: object
    """The expectation as written in the rule."""
    matches: Matcher

    def truth(self, facts: Facts) -> Truth:
        known = facts.get(self.fact)
        if known is not None:
            return self._of(known.value)
        # What holds for all values that it can have is certain.
        truths = {self._of(value) for value in facts.candidates(self.fact)}
        return truths.pop() if len(truths) == 1 else None

    def _of(self, value: FactValue) -> Truth:
        if isinstance(value, tuple):
            return either(self.matches(one) for one in value)
        return self.matches(value)

    def deciders(self, facts: Facts) -> Iterator[str]:
        yield self.fact

    def names(self) -> Iterator[str]:
        yield self.fact


class Comparison(NamedTuple):
    """Compares two facts. Holds if one pair of their values matches; a fact without a value matches nothing."""

    fact: str
    word: str
    """One of ``COMPARING``."""
    other: str

    def truth(self, facts: Facts) -> Truth:
        left, right = facts.get(self.fact), facts.get(self.other)
        for known in (left, right):
            if known is not None and known.value in (None, ()):
                return False
        if self.word == "not_multiple_of" and right is not None and set(_each(right.value)) == {1}:
            return False
        if left is None or right is None:
            return None
        compare = COMPARING[self.word]
        return any(compare(one, other) for one in _each(left.value) for other in _each(right.value))

    def deciders(self, facts: Facts) -> Iterator[str]:
        known = [name for name in self.names() if facts.get(name) is not None]
        nothing = [name for name in known if facts.value(name) in (None, ())]
        yield from nothing or self.names()

    def names(self) -> Iterator[str]:
        yield self.fact
        yield self.other


def _each(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


class AllOf(NamedTuple):
    """Holds if every part holds."""

    parts: tuple[Condition, ...]

    def truth(self, facts: Facts) -> Truth:
        result: Truth = True
        for part in self.parts:
            truth = part.truth(facts)
            if truth is False:
                return False
            if truth is None:
                result = None
        return result

    def deciders(self, facts: Facts) -> Iterator[str]:
        for part in self.parts:
            yield from part.deciders(facts)

    def names(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.names()


class AnyOf(NamedTuple):
    """Holds if one part holds."""

    parts: tuple[Condition, ...]

    def truth(self, facts: Facts) -> Truth:
        result: Truth = False
        for part in self.parts:
            truth = part.truth(facts)
            if truth:
                return True
            if truth is None:
                result = None
        return result

    def deciders(self, facts: Facts) -> Iterator[str]:
        truth = self.truth(facts)
        for part in self.parts:
            if part.truth(facts) is truth:
                yield from part.deciders(facts)

    def names(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.names()


class Not(NamedTuple):
    """Holds if its part does not."""

    part: Condition

    def truth(self, facts: Facts) -> Truth:
        truth = self.part.truth(facts)
        return None if truth is None else not truth

    def deciders(self, facts: Facts) -> Iterator[str]:
        yield from self.part.names()

    def names(self) -> Iterator[str]:
        yield from self.part.names()


#: The packages with classes whose settings are recorded.
_WITH_SETTINGS = ("trl", "transformers", "vllm", "peft", "accelerate", "deepspeed", "torch")


class SettingsTest(NamedTuple):
    """Holds if a configuration class gets a setting that does not fit the releases at hand (see `unfit`)."""

    kind: str
    """One of UNFIT."""

    def truth(self, facts: Facts) -> Truth:
        found = either(True if unfit.is_certain else None for unfit in self.found(facts))
        return found if found or facts.stated else None

    def found(self, facts: Facts) -> Iterator[Unfit]:
        """Yield the settings that do not fit."""
        # Imported here: only a run whose settings are known needs the records.
        from vcompat.rules.unfit import unfit

        return (one for one in unfit(facts) if one.kind == self.kind)

    def deciders(self, facts: Facts) -> Iterator[str]:
        yield from self.names()

    def names(self) -> Iterator[str]:
        yield from (f"packages.{package}" for package in _WITH_SETTINGS)


class NamesTest(NamedTuple):
    """Holds if the code of the run uses what the releases at hand do not have (see `missing`)."""

    kind: str
    """One of `vcompat.rules.missing.LACKING`."""

    def truth(self, facts: Facts) -> Truth:
        # Imported here: only a run whose code is known needs the index of names.
        from vcompat.rules.missing import missing

        if any(facts.get(f"packages.{used.package}") is None for used in facts.uses) or not facts.uses:
            return None
        found = (one.used[0] for one in missing(facts) if one.kind == self.kind)
        return either(None if used.presumes or used.branch else True for used in found)

    def deciders(self, facts: Facts) -> Iterator[str]:
        yield from self.names()

    def names(self) -> Iterator[str]:
        yield from (f"packages.{package}" for package in IMPORTED)


def either(truths: Iterator[Truth]) -> Truth:
    """Return True if one is true, else None if one is None, else False."""
    result: Truth = False
    for truth in truths:
        if truth:
            return True
        if truth is None:
            result = None
    return result


def parse_condition(table: Mapping[str, Any], where: str) -> Condition:
    """Build the condition of a ``[when]`` table. Raises InputError with `where` and the key if it is malformed.

    Patterns are not compiled here: see `check_patterns`.
    """
    if not isinstance(table, dict) or not table:
        raise InputError(where, "an empty condition", "a table of facts, any, all or not")
    parts = [_part(key, value, where) for key, value in table.items()]
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def check_patterns(table: Any, where: str) -> None:
    """Raise InputError for a malformed pattern in a ``[when]`` table, which `parse_condition` does not compile."""
    for key, value in table.items() if isinstance(table, dict) else ():
        if key == "matches" and isinstance(value, str):
            try:
                re.compile(value)
            except re.error as error:
                raise InputError(where, f"not a regular expression: {error}") from None
        items = value if isinstance(value, list) else [value]
        for index, item in enumerate(items):
            check_patterns(item, f"{where}.{key}[{index}]" if isinstance(value, list) else f"{where}.{key}")


def _part(key: str, value: Any, where: str) -> Condition:
    here = f"{where}.{key}"
    if key in ("any", "all"):
        if not isinstance(value, list) or not value:
            raise InputError(here, f"{value!r}", "a list of tables")
        parts = tuple(parse_condition(item, f"{here}[{index}]") for index, item in enumerate(value))
        return AnyOf(parts) if key == "any" else AllOf(parts)
    if key == "not":
        return Not(parse_condition(value, here))
    if key == "settings":
        return _settings(value, here)
    if key == "names":
        return _names(value, here)
    spec = spec_of(key, here)
    if isinstance(value, dict) and value and next(iter(value)) in COMPARING:
        return _comparison(spec, value, here)
    return FactTest(key, value, _matcher(spec, value, here))


#: Comparisons of two facts in a rule: ``"plan.world_size" = { not_multiple_of = "plan.vllm_tensor_parallel_size" }``.
COMPARING: Mapping[str, Callable[[Any, Any], bool]] = {
    "not_multiple_of": lambda one, other: bool(other) and one % other != 0,
    "more_than": operator.gt,
    "less_than": operator.lt,
    "differs_from": operator.ne,
    "shares_with": operator.eq,
    # Builds of one release, such as 0.6.16 and 0.6.16+cu130, do not differ.
    "other_release_than": lambda one, other: one.public != other.public,
}


def _comparison(spec: Spec, expected: Mapping[str, object], where: str) -> Comparison:
    (word, other), *more = expected.items()
    if more or not isinstance(other, str):
        raise InputError(where, f"{dict(expected)!r}", f"{{ {word} = 'another fact' }}")
    against = spec_of(other, where)
    of_versions = word == "other_release_than"
    compared = (VERSION,) if of_versions else (NUMBER, VERSION)
    if against.kind != spec.kind or (word not in ("differs_from", "shares_with") and spec.kind not in compared):
        wanted = "two versions" if of_versions else "two numbers"
        raise InputError(where, f"{spec.name} is a {spec.kind}, {other} a {against.kind}", wanted)
    return Comparison(spec.name, word, other)


def _settings(expected: object, where: str) -> Condition:
    # Imported here: few rules are about settings.
    from vcompat.facts.stated import UNFIT

    if expected not in UNFIT:
        raise InputError(where, f"{expected!r}", "one of " + ", ".join(UNFIT))
    return SettingsTest(str(expected))


def _names(expected: object, where: str) -> Condition:
    # Imported here: few rules are about names.
    from vcompat.rules.missing import LACKING

    if expected not in LACKING:
        raise InputError(where, f"{expected!r}", "one of " + ", ".join(LACKING))
    return NamesTest(str(expected))


#: The types of an expectation that a value is equal to, other than text.
_PLAIN: Mapping[str, tuple[type, ...]] = {NUMBER: (int, float), VERSION: (), FLAG: ()}


def _matcher(spec: Spec, expected: object, where: str) -> Matcher:
    if isinstance(expected, list) and expected:
        return _one_of([_matcher(spec, item, where) for item in expected])
    if isinstance(expected, dict):
        return _table_matcher(expected, where)
    if spec.kind in (VERSION, NUMBER) and isinstance(expected, str):
        if spec.name == "host.python":
            return _python_in_range(expected, where)
        return (_in_range if spec.kind == VERSION else _in_number_range)(expected, where)
    if spec.kind == FLAG and isinstance(expected, bool):
        return lambda value: value is expected
    if type(expected) in _PLAIN.get(spec.kind, (str,)):
        return lambda value: value == expected
    wanted = {
        VERSION: "a version range such as '>=0.8.5'",
        NUMBER: "a number or a range such as '>=2'",
        FLAG: "true or false",
    }
    raise InputError(where, f"{expected!r}", wanted.get(spec.kind, "a string, a list of strings or { matches = ... }"))


def _table_matcher(expected: Mapping[str, object], where: str) -> Matcher:
    if set(expected) == {"set"} and isinstance(expected["set"], bool):
        wanted = expected["set"]
        return lambda value: (value is not None) is wanted
    if set(expected) == {"matches"} and isinstance(expected["matches"], str):
        pattern = expected["matches"]
        # Most patterns are never compared with a value, so `re` compiles and keeps those that are.
        return lambda value: value is not None and re.search(pattern, str(value)) is not None
    raise InputError(where, f"{dict(expected)!r}", "{ set = true }, { set = false } or { matches = '...' }")


def _one_of(matchers: list[Matcher]) -> Matcher:
    return lambda value: either(matcher(value) for matcher in matchers)


def _in_range(text: str, where: str) -> Matcher:
    """Match a version range; None for a pre-release at a bound, which can be on either side."""
    try:
        check_range(text)
    except InvalidRange:
        raise InputError(where, f"'{text}' is not a version range", "such as '>=0.7.0,<0.8.5'") from None

    answers: dict[Version, Truth] = {}

    def matches(value: Value) -> Truth:
        if not isinstance(value, Version):
            return False
        # A search asks about each release many times.
        try:
            return answers[value]
        except KeyError:
            range_ = parse_range(text)
            answers[value] = True if range_.contains(value) else None if range_.may_contain(value) else False
            return answers[value]

    return matches


def _python_in_range(text: str, where: str) -> Matcher:
    """Match a range of Pythons; None where only 3.10 is known, from a path, and the range has some of its releases."""
    matches = _in_range(text, where)

    def of_python(value: Value) -> Truth:
        if isinstance(value, Version) and len(value.release) == 2:
            return parse_range(text).contains_all_of(value)
        return matches(value)

    return of_python


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def _in_number_range(text: str, where: str) -> Matcher:
    tests = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(>=|<=|==|!=|>|<)\s*(-?\d+(?:\.\d+)?)\s*", part)
        if match is None:
            raise InputError(where, f"'{text}' is not a range of numbers", "such as '>=2' or '>0,<1'")
        tests.append((_COMPARISONS[match[1]], float(match[2])))
    return lambda value: value is not None and all(compare(value, bound) for compare, bound in tests)
