"""The expansion of words, with the results of bash: quotes, tildes, braces, splitting, substitutions."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.started import contradictions, read, spelled, started
from vcompat.sources.reading.shell import run_shell


@parametrized(__file__, "expansion.txt", "expansion_open.txt")
def test_a_script_starts_programs_with_these_words(case: Case) -> None:
    case.check(spelled(started(read(case.text))))


def test_bash_does_the_same() -> None:
    assert contradictions(__file__, "expansion.txt", any="7", other="z", RANK="3") == []
    assert contradictions(__file__, "expansion.txt", any="1", other="", RANK="x") == []


def test_a_variable_that_an_expansion_sets_has_its_line() -> None:
    ran = run_shell(": ${A:=1}\nprog $((B = 2)) \\\n${C=3}\nprog", "run.sh", line=5)
    places = ran.invocations[-1].environment.places
    assert {name: place.line for name, place in places.items()} == {"A": 5, "B": 6, "C": 6}
