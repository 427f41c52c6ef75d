"""What is known after statements. Each case is also run by Python, for several values."""

from __future__ import annotations

import sys

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.executed import contradictions, known


@parametrized(__file__, "statements.txt")
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_is_known_after_statements(case: Case) -> None:
    if "except*" in case.text and sys.version_info < (3, 11):
        pytest.skip("a syntax of Python 3.11")
    case.check(known(case.text))
    assert not contradictions(case.text)
