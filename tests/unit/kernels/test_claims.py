"""Rules about kernels, against the committed records."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.foundation.errors import InputError
from vcompat.kernels import kernel_record
from vcompat.kernels.claims import FAILS, contradictions, rows
from vcompat.kernels.grid import HALF, Attempt
from vcompat.kernels.survey import stale
from vcompat.report.parts.kernels import grid
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule

CLAIMING = [rule for rule in load_rules() if rule.evidence.kernels]
CLAIM = {"call": "prefix-prefill", "states": ["mma -> mma", "parent layout", "f16 to f16"], "given": {}}


def rule_for(versions: str, capability: str) -> Rule:
    when = {"packages.vllm": versions, "gpu.compute_capability": capability}
    return make_rule(when=when, evidence={"kernels": [CLAIM]})


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.id)
def test_a_rule_about_a_kernel_applies_exactly_where_the_kernel_fails(rule: Rule) -> None:
    assert list(contradictions([rule])) == []


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.id)
def test_a_rule_about_a_kernel_has_releases_where_it_fails_and_where_it_does_not(rule: Rule) -> None:
    for claim in rule.evidence.kernels:
        words = {FAILS in fares.values() for row in rows(claim) for fares in row.fares.values()}
        assert words == {True, False}


def test_a_rule_that_applies_where_the_kernel_compiles_contradicts_the_record() -> None:
    found = list(contradictions([rule_for(">=0.5.5", "<8.0")]))
    assert any(line.startswith("a-rule: vLLM 0.7.2, Triton 3.1.0 at 7.5: the rule applies") for line in found)


def test_a_rule_that_does_not_apply_where_the_kernel_fails_contradicts_the_record() -> None:
    found = list(contradictions([rule_for("<0.9.0", "<7.5")]))
    assert any(line.startswith("a-rule: vLLM 0.9.0, Triton 3.3.0 at 7.0: the rule does not apply") for line in found)


def test_a_rule_that_takes_every_triton_for_the_required_one_contradicts_the_record() -> None:
    found = list(contradictions([rule_for(">=0.9.0,<0.10.2", ">=7.5,<8.0")]))
    wrong = [line.partition(" at 7.5: the rule applies")[0] for line in found if " at 7.5: the rule applies" in line]
    assert "a-rule: vLLM 0.9.0, Triton 3.2.0" in wrong
    assert "a-rule: vLLM 0.9.0, Triton 3.3.0" not in wrong


def test_a_claim_about_what_is_not_recorded_is_no_agreement() -> None:
    rule = make_rule(when={"packages.vllm": ">=0.5.5"}, evidence={"kernels": [{**CLAIM, "call": "nothing"}]})
    assert list(contradictions([rule])) == ["a-rule: nothing is recorded of nothing"]


def test_a_claim_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(InputError, match="kernels"):
        _ = make_rule(evidence={"kernels": [{**CLAIM, "more": 1}]}).evidence


def test_the_records_cover_every_release_with_the_triton_that_its_torch_pins() -> None:
    assert list(stale()) == []


def test_the_seed_failure_is_recorded() -> None:
    (known,) = [one for one in kernel_record.load_all() if one.kernel.name == "prefix-prefill"]
    variant = known.variant_of(Version("0.7.2"))
    assert variant is not None
    cell = variant.cells[Attempt("prefix-prefill", "7.0", HALF, 64)]
    assert cell == kernel_record.Cell(kernel_record.ABORTS, "mma -> mma layout conversion is only supported on Ampere")


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.id)
def test_the_grid_of_a_rule_fits_80_columns(rule: Rule) -> None:
    lines = [line for claim in rule.evidence.kernels for line in grid(claim)]
    assert len(lines) > 3
    assert max(map(len, lines)) <= 80
