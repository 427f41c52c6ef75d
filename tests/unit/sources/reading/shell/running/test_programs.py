"""Programs behind other programs, and other shells."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims


@parametrized(__file__, "programs.txt")
def test_which_programs_are_started_by_others(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=(), reads=False))
