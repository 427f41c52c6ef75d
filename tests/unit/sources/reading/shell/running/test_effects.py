"""What common programs print, and the files that they write."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims


@parametrized(__file__, "effects.txt")
def test_what_a_program_prints_and_writes(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=(), reads=False))
