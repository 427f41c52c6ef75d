"""What explains the failure of a rehearsal: the rules by the facts of the run, and the log of a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from vcompat.diagnosis.diagnosing import diagnose_paths
from vcompat.diagnosis.stated.around import Around
from vcompat.evaluation.finding import Finding
from vcompat.facts.facts import Facts
from vcompat.rehearsal.ending import LAST_STEP
from vcompat.rehearsal.known import KNOWN
from vcompat.rehearsal.verdict import FAILED, WEIGHTS, Cause, Rehearsal
from vcompat.rules.rule import Rule

#: Possible causes that are listed where none is certain.
_POSSIBLE = 3


def explained(
    outcome: Rehearsal, log: str, facts: Facts, findings: Sequence[Finding], rules: Sequence[Rule]
) -> tuple[tuple[Cause, ...], str]:
    """Return the causes, the likeliest first, and the message of the failure that came first in the log.

    `findings` are those of the rules on `facts`, the facts of the run.
    """
    failed = {check.name for check in outcome.checks if check.status == FAILED}
    causes, failure = [], ""
    # What the log of a stuck run ends with is how it was ended.
    if os.path.getsize(log) and not outcome.stuck:
        found = diagnose_paths([log], rules, {}, Around(facts))
        causes += [Cause(one.rule.id, one.rule.title, one.certainty) for one in found.causes]
        if found.failure and failed & {LAST_STEP, "clean exit"}:
            failure = found.failure.cause.error
    mine = [one for one in findings if not one.fixed_by]
    if KNOWN in failed:
        causes += [_cause(one) for one in mine if one.is_certain and one.rule.severity == "error"]
    if failed & {WEIGHTS, "parameters", "sleep mode", "second generation", "same tokens"}:
        causes += _likeliest([one for one in mine if one.rule.effect == "silent-corruption"])
    if outcome.stuck:
        causes += _likeliest([one for one in mine if one.rule.effect == "hang"])
    return tuple(dict.fromkeys(causes)), failure


def _likeliest(findings: Sequence[Finding]) -> Iterator[Cause]:
    """Yield the certain ones; if there are none, the first possible ones."""
    certain = [one for one in findings if one.is_certain]
    yield from map(_cause, certain or findings[:_POSSIBLE])


def _cause(finding: Finding) -> Cause:
    return Cause(finding.rule.id, finding.title, finding.certainty)
