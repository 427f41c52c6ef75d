"""Shell arithmetic, with the results of bash."""

from __future__ import annotations

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.started import contradictions, read, spelled, started


@parametrized(__file__, "arithmetic.txt", "arithmetic_open.txt")
def test_a_script_starts_programs_with_these_words(case: Case) -> None:
    case.check(spelled(started(read(case.text))))


def test_bash_does_the_same() -> None:
    assert contradictions(__file__, "arithmetic.txt", any="7", other="z", RANK="3") == []
    assert contradictions(__file__, "arithmetic.txt", any="1", other="", RANK="x") == []


@pytest.mark.parametrize(
    ("opening", "operator", "closing", "terms"),
    [("", "+1", "", 101), ("(" * 20, "+1", ")" * 20, 81), ("- " * 19 + "(", "+1", ")", 81), ("a=" * 20, "+1", "", 81),
     ("", "||0", "", 101), ("", "&&1", "", 101), ("1+(" , "+1", ")", 99), ("0||(", "+1", ")", 99),
     ("1&&(", "+1", ")", 99), ("0,(", "+1", ")", 99), ("1?(", "+1", "):0", 99), ("0?0:(", "+1", ")", 99)],
)  # fmt: skip
def test_an_expression_is_evaluated_to_a_limit(opening: str, operator: str, closing: str, terms: int) -> None:
    for number, is_known in ((terms, True), (terms + 1, False)):
        first = "0" if operator == "||0" else "1"
        result = started(f"prog $(({opening}{first}{operator * (number - 1)}{closing}))")
        assert (result != "<one>") == is_known


def test_variables_in_variables_are_followed_to_a_limit() -> None:
    names = [f"A{number}=A{number + 1}" for number in range(20)]
    assert started("; ".join([*names[:9], "A9=5", "prog $((A0)) $((A0 + 1))"])) == "5|<one>"
    assert started("; ".join([*names[:10], "A10=5", "prog $((A0)) $((A1))"])) == "<one>|5"
