"""No fact that is stated about a generated example differs from what happens when the example runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, seed, settings

from tests.oracle.compare import Falsehood, judge
from tests.oracle.example import Example, save
from tests.oracle.generate import GENERATION, examples
from tests.oracle.shrink import shrink
from tests.oracle.truth import Sandbox

#: Parts for test processes to share. The first example of each part is the same one, the simplest.
PARTS, SIZE = 10, 51
#: The parts of which `make test` takes the time.
EACH_COMMIT = 4


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.slow] * (part >= EACH_COMMIT)) for part in range(PARTS)]
)
def test_stated_facts_are_what_happens(part: int, sandbox: Sandbox, tmp_path: Path) -> None:
    verdicts = []

    @seed(part)
    @settings(GENERATION, max_examples=SIZE)
    @given(examples())
    def compare(example: Example) -> None:
        verdicts.append((example, judge(example, sandbox)))

    # Failures are collected, since hypothesis would stop at the first one.
    compare()
    assert sum(verdict.trained for _, verdict in verdicts) > SIZE / 2
    failures = [(example, falsehood) for example, verdict in verdicts for falsehood in verdict.false]
    if failures:
        pytest.fail(_report(failures, sandbox, tmp_path), pytrace=False)


def _report(failures: list[tuple[Example, Falsehood]], sandbox: Sandbox, folder: Path) -> str:
    """Shrink the first failure, write it as a case, and return the message."""
    example, first = failures[0]

    def fails(smaller: Example) -> bool:
        return any(found[:2] == first[:2] for found in judge(smaller, sandbox).false)

    small = shrink(example, fails, most=60)
    note = "\n".join(str(found) for found in judge(small, sandbox).false)
    save(small, folder / "case", note)
    others = "\n".join(str(falsehood) for _, falsehood in failures[1:20])
    return f"{note}\nThe example is in {folder / 'case'}; to keep it, move it to tests/oracle/cases.\nalso:\n{others}"
