"""What explains the failure of a rehearsal: the rules by the facts of the run, and the log of a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from vcompat.diagnosis.diagnosing import diagnose_paths
from vcompat.diagnosis.stated.around import Around
from vcompat.evaluation.finding import Finding
from vcompat.facts.facts import Facts
from vcompat.rehearsal.ending import CLEAN_EXIT, LAST_STEP
from vcompat.rehearsal.known import KNOWN
from vcompat.rehearsal.verdict import FAILED, WEIGHTS, Cause, Rehearsal
from vcompat.rules.rule import Rule

#: Possible causes that are listed where none is certain.
_POSSIBLE = 3
#: Checks that fail where vLLM has other weights than the trainer.
_BY_WEIGHTS = {WEIGHTS, "parameters", "sleep mode", "second generation", "same tokens"}


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
        diagnosis = diagnose_paths([log], rules, {}, Around(facts))
        causes += [Cause(match.rule.id, match.rule.title, match.certainty) for match in diagnosis.causes]
        if diagnosis.failure and failed & {LAST_STEP, CLEAN_EXIT}:
            failure = diagnosis.failure.cause.error
    mine = [finding for finding in findings if not finding.fixed_by]
    if KNOWN in failed:
        causes += map(_cause, (finding for finding in mine if finding.reaches("error")))
    if failed & _BY_WEIGHTS:
        causes += _likeliest(mine, "silent-corruption")
    if outcome.stuck:
        causes += _likeliest(mine, "hang")
    return tuple(dict.fromkeys(causes)), failure


def _likeliest(findings: Sequence[Finding], effect: str) -> Iterator[Cause]:
    """Return the certain ones with an effect; if there are none, the first possible ones."""
    findings = [finding for finding in findings if finding.rule.effect == effect]
    certain = [finding for finding in findings if finding.is_certain]
    return map(_cause, certain or findings[:_POSSIBLE])


def _cause(finding: Finding) -> Cause:
    return Cause(finding.rule.id, finding.title, finding.certainty)
