"""What assignments and declarations give variables, and to which programs."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims


@parametrized(__file__, "assignments.txt")
def test_what_an_assignment_does(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=(), reads=False))
