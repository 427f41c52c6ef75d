"""The outcome of a check: everything that a report format needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from vcompat.evaluation.finding import POSSIBLE, Finding
from vcompat.evaluation.judgement import Judgement
from vcompat.facts.facts import Facts
from vcompat.facts.memory.budget import Budget
from vcompat.rules.rule import Rule

if TYPE_CHECKING:
    from vcompat.evaluation.compiled import Compiled


class Outcome(NamedTuple):
    """The outcome of a check."""

    judgement: Judgement
    facts: Facts
    rules: tuple[Rule, ...]
    """All rules that were evaluated."""
    version: str
    """The version of vcompat."""
    files: tuple[str, ...] = ()
    """The run files that were read."""
    runs: tuple[tuple[str, str], ...] = ()
    """If there are several runs: the position of each training command and the command."""
    missing: tuple[tuple[str, str], ...] = ()
    """Files that a run file names and that were not found, each with the position that names it."""
    subject: str = "this environment"
    """What was checked, if no run file was read."""
    given_up: tuple[str, ...] = ()
    """What of the run files was not followed since it takes too many steps, with the place."""
    newer: tuple[str, ...] = ()
    """One sentence for each package whose release is newer than all that are recorded."""
    stated_by: tuple[str, ...] = ()
    """The files of the run's project that state the releases; empty if something else does."""
    arguments: tuple[str, ...] = ()
    """The words of a command line that checks the same run, without ``vcompat check``."""
    command: tuple[str, ...] = ()
    """The words of the command that was checked, which follow these after ``--``; empty if files were named."""
    threshold: str = "error"
    """The severity from which on a finding fails the check, or 'never'."""
    strict: bool = False
    """Whether likely and possible findings fail the check, too."""
    fail_on_likely: bool = False
    """Whether likely findings fail the check, too."""
    budget: Budget | None = None
    """Memory per GPU; None without a GPU."""
    not_judged: Mapping[str, list[str]] = {}
    """Estimates and advice that could not be judged, with the facts that are not known."""
    compiled: Compiled | None = None
    """What `--compile` compiled; None without it."""
    width: int = 100
    """Columns of the terminal."""
    everything: bool = False
    """Whether possible findings and what was not judged are printed in full."""

    @property
    def fails(self) -> bool:
        """Whether the check fails."""
        return self.judgement.fails(self.threshold, self.strict, self.fail_on_likely)

    @property
    def certain(self) -> tuple[Finding, ...]:
        """Findings that apply for certain and that no patch fixes, the worst first."""
        return tuple(f for f in self.judgement.findings if f.is_certain and not f.fixed_by)

    @property
    def likely(self) -> tuple[Finding, ...]:
        """Findings that apply unless a presumption is wrong, and that no patch fixes, the worst first."""
        return tuple(f for f in self.judgement.findings if f.is_likely and not f.fixed_by)

    @property
    def possible(self) -> tuple[Finding, ...]:
        """Findings that depend on a fact that is not known, and that no patch fixes."""
        return tuple(f for f in self.judgement.findings if f.certainty == POSSIBLE and not f.fixed_by)

    @property
    def fixed(self) -> tuple[Finding, ...]:
        """Findings that a patch fixes which the run applies."""
        return tuple(f for f in self.judgement.findings if f.fixed_by)
