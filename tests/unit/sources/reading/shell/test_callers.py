"""What is claimed if the variables and arguments of the caller are not known."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import claims


@parametrized(__file__, "callers.txt")
def test_what_is_claimed_for_any_caller(case: Case) -> None:
    case.check(claims(case.text, reads=False))
