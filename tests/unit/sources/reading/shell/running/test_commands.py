"""Simple commands: assignments, functions, status, with the results of bash."""

from __future__ import annotations

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.started import contradictions, read, spelled, started
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell import run_shell


@parametrized(__file__, "commands.txt", "commands_open.txt")
def test_a_script_starts_programs_with_these_words(case: Case) -> None:
    case.check(spelled(started(read(case.text))))


def test_bash_does_the_same() -> None:
    assert contradictions(__file__, "commands.txt", any="7", other="z", RANK="3") == []
    assert contradictions(__file__, "commands.txt", any="1", other="", RANK="x") == []


def test_a_program_has_the_variables_of_its_own_command() -> None:
    ran = run_shell(
        "export A=1\nB=2 C=$A \\\n prog x\nD=3\nA=4 eval prog\nprog\nexport D E=5",
        "run.sh",
        start=Environment({}, Others.UNSET),
    )
    first, second, third = (invocation.environment for invocation in ran.invocations)
    assert (first.values, _lines(first)) == ({"A": "1", "B": "2", "C": "1"}, {"A": 1, "B": 2, "C": 2})
    assert (second.values, _lines(second)) == ({"A": "4", "D": None}, {"A": 5, "D": 4})
    assert (third.values, _lines(third)) == ({"A": "1", "D": None}, {"A": 1, "D": 4})
    assert (ran.environment.values, _lines(ran.environment)) == (
        {"A": "1", "D": "3", "E": "5"},
        {"A": 1, "D": 7, "E": 7},
    )
    assert [invocation.place.line for invocation in ran.invocations] == [2, 5, 6]


def _lines(environment: Environment) -> dict[str, int]:
    return {name: place.line for name, place in environment.places.items()}


def test_after_a_file_that_is_not_there_a_word_may_be_a_function() -> None:
    ran = run_shell("export A=1\nsource nowhere.sh\nexport A=2\ntrain x\npython x", "run.sh", reads=False)
    first, second = (invocation.environment for invocation in ran.invocations[-2:])
    assert (first.values, first.others) == ({}, Others.UNKNOWN)
    assert second.why_open == first.why_open != ""
    ran = run_shell("source nowhere.sh\nexport A=2\npython x\ntorchrun y", "run.sh", reads=False)
    assert [invocation.environment.values for invocation in ran.invocations[-2:]] == [{"A": "2"}, {"A": "2"}]
