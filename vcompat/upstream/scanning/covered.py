"""Which rules cover what one package uses of another, for pairs of their releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.use import Use
from vcompat.rules.rule import Rule

Pair = tuple[Version, Version]


class Known:
    """The rules about two packages."""

    def __init__(self, packages: tuple[str, str], rules: Sequence[Rule]) -> None:
        self._packages = packages
        self._user, other = (f"packages.{package}" for package in packages)
        self._rules = [rule for rule in rules if {self._user, other} & set(rule.when.names())]
        self._truths = cache(self._truths_for)

    def covering(self, use: Use, pairs: Iterable[Pair]) -> tuple[tuple[str, ...], tuple[Pair, ...]]:
        """Return the rules that cover some of `pairs`, and the pairs that no rule covers.

        A rule covers a pair if it applies and is an error, or if it might apply, is about the using package, and names
        what is used.
        """
        naming = {rule.id for rule in self._rules if self._user in rule.when.names() and _names(rule, use)}
        rules: dict[str, None] = {}
        left: list[Pair] = []
        for pair in pairs:
            applying, possible = self._truths(*pair)
            covering = [*applying, *(rule for rule in possible if rule in naming)]
            rules.update(dict.fromkeys(covering))
            if not covering:
                left.append(pair)
        return tuple(rules), tuple(left)

    def _truths_for(self, user: Version, used: Version) -> tuple[list[str], list[str]]:
        """The errors that apply to a pair, and the rules that may apply."""
        facts = Facts()
        facts.set(f"packages.{self._packages[0]}", user, "scanned")
        facts.set(f"packages.{self._packages[1]}", used, "scanned")
        facts.set("plan.use_vllm", True, "scanned")
        truths = [(rule, rule.when.truth(facts)) for rule in self._rules]
        applying = [rule.id for rule, truth in truths if truth and rule.severity == "error"]
        return applying, [rule.id for rule, truth in truths if truth is not False]


def _names(rule: Rule, use: Use) -> bool:
    """Whether a fingerprint of the rule names what is used."""
    name = use.argument or use.name.rpartition(".")[2] or use.module.rpartition(".")[2]
    return any(name in text for found in rule.evidence.fingerprints for text in (*found.has, *found.lacks))
