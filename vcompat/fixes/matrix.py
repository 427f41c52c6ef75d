"""Which releases work together on one kind of hardware: the newest set with each release of a package.

This is what ``resolve`` computes with each release kept, with one judgement of pairs for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.fixes.compatibility import Compatibility, Reason
from vcompat.fixes.evaluator import Evaluator
from vcompat.fixes.releases import Catalogue, Pin, Pins, Wish, wanted
from vcompat.fixes.resolving import accepted
from vcompat.foundation.newest_first import Search
from vcompat.rules.rule import Rule


class Row(NamedTuple):
    """What goes with one release."""

    pin: Pin
    pins: Pins
    """The newest set with it; empty if there is none."""
    reason: Reason | None
    """Why there is none."""


class Matrix:
    """The sets of releases that work together for one wish."""

    def __init__(self, wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> None:
        """Judge the releases of `catalogue` under `wish`, whose ``kept`` limits them further."""
        evaluator = Evaluator(wish.runs, catalogue, rules)
        self._judge = Compatibility(wish, catalogue, evaluator, accepted(evaluator))
        self._packages = wanted(wish, catalogue)
        self._usable = {
            package: [pin for pin in self._judge.releases(package) if self._judge.by_itself(pin) is None]
            for package in self._packages
        }

    def row(self, package: str, version: Version) -> Row:
        """Return the newest set with a release of `package`, by the order of ``resolve`` among the others."""
        pin = Pin(package, version)
        alone = self._judge.by_itself(pin)
        if alone is not None:
            return Row(pin, (), alone)
        pins = self._first({package: [pin]})
        return Row(pin, pins or (), None if pins else self._why(pin))

    def pair(self, one: Pin, other: Pin) -> Reason | None:
        """Return why two releases do not work together; None if nothing that is known of both rules it out."""
        return self._judge.by_itself(one) or self._judge.by_itself(other) or self._judge.together(one, other)

    def _first(self, only: dict[str, list[Pin]]) -> Pins | None:
        return Search(
            [only.get(package, self._usable[package]) for package in self._packages],
            lambda pin: self._judge.by_itself(pin) is None,
            lambda one, other: self._judge.together(one, other) is None,
            self._judge.conflict,
        ).first()

    def _why(self, pin: Pin) -> Reason:
        """Return the reason that rules out most releases of a package with which `pin` has no set.

        Releases that `pin` takes come first: what rules these out by themselves says more than that it takes no others.
        """
        for package in self._packages:
            others = [one for one in self._judge.releases(package) if package != pin.package]
            reasons = [(other, self._judge.by_itself(other), self._judge.together(pin, other)) for other in others]
            if not others or any(alone is None and both is None for _, alone, both in reasons):
                continue
            taken = [(other, alone) for other, alone, both in reasons if alone is not None and both is None]
            if taken:
                other, most = _commonest(taken)
                return most._replace(text=f"{other}: {most.text}")
            return _commonest([(other, both) for other, _, both in reasons if both is not None])[1]
        return Reason("no compatible set contains it", "no compatible set contains it")


def _commonest(reasons: Sequence[tuple[Pin, Reason]]) -> tuple[Pin, Reason]:
    """Return the first reason of the kind that most releases have, with the release."""
    kinds = Counter(reason.kind for _, reason in reasons)
    return max(reasons, key=lambda one: kinds[one[1].kind])
