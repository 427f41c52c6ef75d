"""What is known of what libraries get and make, and which events are recorded."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.executed import known


@parametrized(__file__, "library_objects.txt")
def test_what_is_known_of_objects_of_libraries(case: Case) -> None:
    case.check(known(case.text))
