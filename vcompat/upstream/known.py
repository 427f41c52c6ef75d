"""Which rules cover what one package uses of another, for pairs of their releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.rule import Rule
from vcompat.upstream.uses import Use


class Known:
    """The rules about two packages."""

    def __init__(self, packages: tuple[str, str], rules: Sequence[Rule]) -> None:
        self._packages = packages
        named = {f"packages.{package}" for package in packages}
        self._rules = [rule for rule in rules if named & set(rule.when.names())]
        self._truths = cache(self._truths_for)

    def covering(self, use: Use, pairs: Iterable[tuple[Version, Version]]) -> tuple[str, ...]:
        """Return the rules that cover all `pairs`; empty if one pair has none.

        A rule covers a pair if it applies and is an error, or if it might apply and names what is used.
        """
        naming = {rule.id for rule in self._rules if _names(rule, use)}
        found: dict[str, None] = {}
        for pair in pairs:
            applying, possible = self._truths(*pair)
            covering = [*applying, *(rule for rule in possible if rule in naming)]
            if not covering:
                return ()
            found.update(dict.fromkeys(covering))
        return tuple(found)

    def _truths_for(self, one: Version, other: Version) -> tuple[list[str], list[str]]:
        """The errors that apply to a pair, and the rules that may apply."""
        facts = Facts()
        facts.set(f"packages.{self._packages[0]}", one, "scanned")
        facts.set(f"packages.{self._packages[1]}", other, "scanned")
        facts.set("plan.use_vllm", True, "scanned")
        truths = [(rule, rule.when.truth(facts)) for rule in self._rules]
        applying = [rule.id for rule, truth in truths if truth and rule.severity == "error"]
        return applying, [rule.id for rule, truth in truths if truth is not False]


def _names(rule: Rule, use: Use) -> bool:
    """Whether a fingerprint of the rule names what is used."""
    name = use.argument or use.name.rpartition(".")[2] or use.module.rpartition(".")[2]
    return any(name in text for found in rule.evidence.fingerprints for text in (*found.has, *found.lacks))
