"""What the builtin commands of the shell change, print and return."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims


@parametrized(__file__, "builtins.txt")
def test_what_a_builtin_does(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=(), reads=False))
