"""Which rules can apply to a set of releases, by what is known of each release by itself.

A condition that is false stays false when unknown facts become known. So a rule that does not apply to one release of
a set needs no evaluation for the set, unless a fact of its condition has another value there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vcompat.facts.facts import Facts
from vcompat.index.rows import union
from vcompat.rules.rule import Rule


class Narrowing:
    """Rules that are not about settings, and those of them that do not apply to given facts.

    Sets of rules are numbers with one bit for each rule, since a search intersects many of them.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._bits = {rule: 1 << number for number, rule in enumerate(rules)}
        self._with: dict[str, int] = {}
        """For each fact, the rules whose conditions have it."""
        for rule, bit in self._bits.items():
            for name in rule.when.names():
                self._with[name] = self._with.get(name, 0) | bit

    def of(self, rules: Iterable[Rule]) -> int:
        """Return some of the rules as a set."""
        return union(self._bits[rule] for rule in rules)

    def false(self, facts: Facts) -> int:
        """Return the rules whose condition is false."""
        return self.of(rule for rule in self._bits if rule.excludes(facts) or rule.when.truth(facts) is False)

    def still_false(self, rules: int, before: Facts, after: Facts) -> int:
        """Return those of `rules` whose condition is false for `after`, too, since it was for `before`."""
        for name in before.changed(after):
            rules &= ~self._with.get(name, 0)
        return rules

    def select(self, rules: int) -> Iterator[Rule]:
        """Yield the rules of a set, in their order."""
        while rules:
            first = rules & -rules
            yield self._rules[first.bit_length() - 1]
            rules ^= first
