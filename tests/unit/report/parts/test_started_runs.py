"""The runs that run files start, as the answer lists them."""

from __future__ import annotations

import pytest

from vcompat.report.parts.started_runs import started


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("a.sh:1", "python a.py"), ("a.sh:2", "")], ["A run:|python a.py (a.sh:1)", "A run:|a.sh:2"]),
        ([("a.sh:1", "python a.py")] * 3, ["3 runs:|python a.py (a.sh:1)"]),
        (
            [("a.sh:1", f"python a.py --seed {seed} {seed % 2}") for seed in range(6)],
            ["6 runs:|python a.py --seed ... ... (a.sh:1), with --seed 0 or 1 or 2 or 3 or 2 others, 0 or 1"],
        ),
        (
            [("a.sh:1", "python a.py"), ("a.sh:1", "python a.py --beta 0"), ("a.sh:1", "python b.py")],
            ["2 runs:|python ... (a.sh:1), with a.py or b.py", "A run:|python a.py --beta 0 (a.sh:1)"],
        ),
        ([("a.sh:1", "x" * 300)], [f"A run:|{'x' * 200} ... (a.sh:1)"]),
    ],
)
def test_runs_that_start_one_command_differently_are_told_together(
    runs: list[tuple[str, str]], expected: list[str]
) -> None:
    assert ["|".join(line) for line in started(runs)] == expected
