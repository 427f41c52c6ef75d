"""The values of expressions. Each case is also run by Python, for several values."""

from __future__ import annotations

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.executed import contradictions, known


@parametrized(__file__, "expressions.txt")
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_is_known_of_expressions(case: Case) -> None:
    case.check(known(case.text))
    assert not contradictions(case.text)
