"""Logs of real failures: `vcompat diagnose` names their rule first, by the log alone.

Those in ``logs`` were printed by real releases (`python -m tests.upstream.trials --logs tests/cases/logs`). What compilers
print is in the records of kernels. `tests/e2e` diagnoses the logs of real runs, healthy ones, too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.test_cases import RULES
from vcompat.diagnosis.diagnosing import diagnose_paths, diagnose_text
from vcompat.kernels.grid import KERNELS
from vcompat.kernels.kernel_record import ABORTS, RAISES, load

LOGS = sorted((Path(__file__).parent / "logs").glob("*.log"))
#: What Triton prints where it fails, by rule that claims it.
COMPILERS = {
    (rule.id, cell.message)
    for rule in RULES
    for claim in rule.evidence.kernels
    for kernel in KERNELS
    for variant in load(kernel).variants
    for attempt, cell in variant.cells.items()
    if attempt.call == claim.call and cell.word in (ABORTS, RAISES)
    if any(text in cell.message for text in claim.states)
}


def test_there_is_a_log_of_each_rule_that_is_tried() -> None:
    tried = {rule.id for rule in RULES if rule.evidence.trials and any(symptom.pattern for symptom in rule.symptoms)}
    assert tried <= {path.stem for path in LOGS}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_log_of_a_real_failure_names_its_rule_first(path: Path) -> None:
    found = diagnose_paths([str(path)], RULES)
    assert [match.rule.id for match in found.causes][:1] == [path.stem]


@pytest.mark.parametrize(("rule", "message"), sorted(COMPILERS))
def test_what_a_compiler_prints_names_the_rules_that_claim_it(rule: str, message: str) -> None:
    causes = [match.rule.id for match in diagnose_text(f"{message}\n", RULES).causes]
    claimed = {name for name, text in COMPILERS if text == message}
    assert rule in causes
    assert set(causes[: len(claimed)]) == claimed
