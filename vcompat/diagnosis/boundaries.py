"""Which rules end between two releases of which a text states that one fails and the other does not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.rules.rule import Rule

_NAMES = r"trl|vllm|transformers|peft|deepspeed|accelerate|torch|unsloth"
_PACKAGE = re.compile(rf"(?i)\b({_NAMES})\b")
_RELEASE = r"v?(?:==)?(\d{1,4}(?:\.\d{1,3}){1,3}(?:\.?(?:post|rc|dev)\d+)?)\b"
#: A release: of the package that is named before it, or of one that the text names elsewhere. Other names, such as
#: those of models, have numbers, too.
_VERSION = re.compile(
    rf"(?i)(?:\b(?P<package>{_NAMES})(?: versions?)?[ =]{{1,2}}"
    rf"|\b(?:versions?|releases?|from|to|and|or|with|in|on|at|using) |, |/){_RELEASE}"
)
_HELPED = r"(?:fix|solv|resolv|work|help|gone|disappear|does not happen|no longer)\w*"
#: Another release, and that it helped, such as ``downgrading to 0.8.1 fixed it``.
_MOVED = re.compile(
    rf"(?i)\b(?:(?:down|up)grad\w+|revert\w*|roll\w* back|go(?:ing|es)? back|switch\w+|pinn?\w*)\b[^;\n]{{0,60}}?"
    rf"(?:\bto |==)(?:\w+[ =]{{1,2}})?{_RELEASE}[^;\n]{{0,40}}?\b{_HELPED}"
)
#: ``works with vLLM 0.8.1``, ``fixed in 0.8.1``.
_WORKS = re.compile(
    rf"(?i)\b(?:works|worked|fine|(?<!not )(?<!n't )fixed|no (?:problem|error|issue)s?) (?:\w+ )?"
    rf"(?:with|in|on|under|for|using) (?:\w+[ =]{{1,2}})?{_RELEASE}"
)
#: Words that turn the meaning of what follows.
_NOT = re.compile(r"(?i)\b(?:not|never|n't|nor|neither)\b")


class Boundary(NamedTuple):
    """Releases of a package that fail and that work, as a text states them."""

    package: str
    fails: tuple[Version, ...]
    works: tuple[Version, ...]


def boundaries(text: str) -> list[Boundary]:
    """Return the boundaries that a text may state, one for each package that it names."""
    works = working(text)
    named = [(one["package"] or "", _parsed(one[2])) for one in _VERSION.finditer(text)]
    found = []
    for package in dict.fromkeys(name.lower() for name in _PACKAGE.findall(text)):
        own = [version for of, version in named if of.lower() in ("", package) and version]
        fails = tuple(dict.fromkeys(version for version in own if version not in works))
        if fails and any(version in works for version in own):
            found.append(Boundary(package, fails, tuple(version for version in works if version in own)))
    return found


def working(text: str) -> list[Version]:
    """Return the releases of which a text says that they do not fail."""
    return [
        version
        for pattern in (_MOVED, _WORKS)
        for match in pattern.finditer(text)
        if not _NOT.search(match[0]) and (version := _parsed(match[1]))
    ]


def ending_between(text: str, rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that may apply to all releases of a package that fail, and to none that works."""
    found = boundaries(text)
    return [rule for rule in rules if any(_separates(rule, each) for each in found)]


def _separates(rule: Rule, boundary: Boundary) -> bool:
    name = f"packages.{boundary.package}"
    if rule.has_subjects or name not in rule.when.names():
        return False
    applies = [_truth(rule, name, version) is not False for version in boundary.fails]
    return all(applies) and all(_truth(rule, name, version) is False for version in boundary.works)


def _truth(rule: Rule, name: str, version: Version) -> bool | None:
    facts = Facts()
    facts.set(name, version, "the text")
    return rule.when.truth(facts)


def _parsed(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
