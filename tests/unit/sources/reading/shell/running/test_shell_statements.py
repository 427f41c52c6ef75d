"""Lists, pipelines, branches and functions."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims


@parametrized(__file__, "statements.txt")
def test_which_programs_a_statement_starts(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=(), reads=False))
