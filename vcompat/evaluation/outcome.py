"""The outcome of a check: what every report format gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vcompat.evaluation.judgement import Judgement
from vcompat.facts.facts import Facts
from vcompat.rules.rule import Rule


class Outcome(NamedTuple):
    """The outcome of a check."""

    judgement: Judgement
    facts: Facts
    rules: tuple[Rule, ...]
    """All that were held against the facts."""
    version: str
    """vcompat's own."""
    files: tuple[str, ...] = ()
    """Those of the plan that were read."""
    threshold: str = "error"
    """The severity from which on a finding fails the check."""
    width: int = 100
    """Columns of the terminal."""
    unjudged: Mapping[str, list[str]] = {}
    """Estimates and advice that could not be judged, with the facts that are not known."""
    only_certain: bool = False
    """Whether what is merely possible does not fail the check."""

    @property
    def fails(self) -> bool:
        """Whether the check fails."""
        return self.judgement.fails(self.threshold, self.only_certain)
