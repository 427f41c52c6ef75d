"""`test`, ``[ ]`` and ``[[ ]]``, with the results of bash."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.started import contradictions, read, spelled, started


@parametrized(__file__, "conditions.txt", "conditions_open.txt")
def test_a_script_starts_programs_with_these_words(case: Case) -> None:
    case.check(spelled(started(read(case.text))))


def test_bash_does_the_same() -> None:
    assert contradictions(__file__, "conditions.txt", any="7", other="z", RANK="3") == []
    assert contradictions(__file__, "conditions.txt", any="1", other="", RANK="x") == []
