"""Loops, with known and unknown numbers of passes."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims


@parametrized(__file__, "loops.txt")
def test_which_programs_a_loop_starts(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=(), reads=False))
