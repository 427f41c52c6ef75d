"""Logs of real runs that hung, in ``hangs``: `tests/e2e/test_hangs.py` printed them; paths are replaced.

Each folder has the log, or the stack, of each rank, or the log that torchrun wrote of all. The runs whose folders have no
release in their names used torch 2.13.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cases.test_cases import RULES
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_paths, diagnose_text
from vcompat.diagnosis.waiting.own import own_frame
from vcompat.report.diagnoses.hang import title

HANGS = Path(__file__).parent / "hangs"


class Expected(NamedTuple):
    """What the logs of a run show."""

    kind: str
    certainty: str
    does: str
    """What rank 1 does."""
    call: str
    """Its innermost call; empty if the logs do not show it."""
    since: str
    """The time of its last line, without the date; empty if there is none."""


EXPECTED = {
    "diverged": Expected("diverged", "likely", "waits", "broadcast", "00:44:51"),
    "killed": Expected("ended", "likely", "ended", "", "00:44:42"),
    "killed-torchrun": Expected("ended", "certain", "ended", "", "00:45:35"),
    "late": Expected("late", "likely", "unknown", "", "00:44:05"),
    "late-with-dumps": Expected("late", "certain", "runs", "reward", "00:44:18"),
    "py-spy": Expected("late", "likely", "runs", "reward", ""),
    "raises": Expected("ended", "certain", "ended", "misbehave", "00:44:31"),
}
#: Runs with other releases, and what the logs of each show, whatever the release. Only an exact time differs.
RELEASES = ("2.6.0", "2.9.1", "2.14.1")
EXPECTED_OF_EACH = {
    "absent": Expected("rendezvous", "certain", "unknown", "", ""),
    "diverged": Expected("diverged", "likely", "waits", "broadcast", ""),
    "diverged-with-checks": Expected("diverged", "certain", "waits", "broadcast", ""),
    "killed": Expected("ended", "likely", "ended", "", ""),
    "killed-torchrun": Expected("ended", "certain", "ended", "", ""),
    "late": Expected("late", "likely", "unknown", "", ""),
    "late-with-dumps": Expected("late", "certain", "runs", "reward", ""),
    "py-spy": Expected("late", "likely", "runs", "reward", ""),
    "raises": Expected("ended", "certain", "ended", "misbehave", ""),
    # The rank took longer to end than the other ranks had.
    "raises-slowly": Expected("ended", "likely", "ended", "misbehave", ""),
    # all_gather_object calls all_gather.
    "skips": Expected("diverged", "likely", "waits", "all_gather", ""),
}
RUNS = [(how, release) for how in EXPECTED_OF_EACH for release in RELEASES]
#: The collective in which the other ranks wait, and the function that calls it, if it is not all_reduce in `train`.
WAITS = {"absent": ("init_process_group", "connect"), "diverged-with-checks": ("ALLREDUCE", "train")}
_TIME = re.compile(r"^\d{4}-(\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)


def diagnose(name: str) -> Diagnosis:
    return diagnose_paths([str(HANGS / name)], RULES)


def test_each_run_has_what_its_logs_show() -> None:
    assert {path.name for path in HANGS.iterdir()} == {*EXPECTED, *(f"{how}-{release}" for how, release in RUNS)}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_rank_that_the_other_ranks_wait_for_is_named(name: str) -> None:
    hang, expected = diagnose(name).hang, EXPECTED[name]
    assert hang is not None
    assert (hang.kind, hang.certainty) == (expected.kind, expected.certainty)
    (odd,) = hang.odd
    assert (odd.name, odd.does) == ("rank 1", expected.does)
    assert (odd.frames[0].function if odd.frames else "") == expected.call
    assert odd.since.rpartition(" ")[2] == expected.since


@pytest.mark.parametrize(("how", "release"), RUNS)
def test_each_release_of_torch_shows_the_rank_its_call_since_when_and_what_the_others_wait_for(
    how: str, release: str
) -> None:
    name = f"{how}-{release}"
    hang, expected = diagnose(name).hang, EXPECTED_OF_EACH[how]
    assert hang is not None
    assert (hang.kind, hang.certainty) == (expected.kind, expected.certainty)
    (odd,) = hang.odd
    assert (odd.name, odd.does) == ("rank 1", expected.does)
    calls = [frame.function for frame in odd.frames if not frame.file.endswith("c10d_logger.py")]
    assert calls[:1] == ([expected.call] if expected.call else [])
    collective, function = WAITS.get(how, ("all_reduce", "train"))
    assert [(one.name, one.collective) for one in hang.waiting] == [("rank 0", collective), ("rank 2", collective)]
    for one in hang.waiting:
        own = own_frame(one.frames)
        assert own is not None and own.function == function
    log = HANGS / name / "rank_1.log"
    if log.exists():
        assert odd.since == _TIME.findall(log.read_text())[-1]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_other_ranks_wait_in_the_collective_that_the_script_calls(name: str) -> None:
    hang = diagnose(name).hang
    assert hang is not None
    assert [(one.name, one.collective) for one in hang.waiting] == [("rank 0", "all_reduce"), ("rank 2", "all_reduce")]
    calls = [next(frame for frame in one.frames if frame.function == "train") for one in hang.waiting]
    assert {call.line for call in calls} == {58}


@pytest.mark.parametrize("name", [name for name in EXPECTED if "torchrun" not in name and name != "py-spy"])
@pytest.mark.parametrize("label", ["[default{0}]:", "[rank{0}]: ", "(train pid={1}) [rank{0}]: ", "{0}: "])
def test_one_log_of_all_ranks_shows_the_same_as_a_log_of_each(name: str, label: str) -> None:
    """As launchers, Ray and srun write it: a line of each rank in turn."""
    logs = {rank: (HANGS / name / f"rank_{rank}.log").read_text().splitlines() for rank in range(3)}
    most = max(map(len, logs.values()))
    lines = [
        # srun and Ray cut nothing; torchrun writes no space.
        label.format(rank, 100 + rank) + lines[index]
        for index in range(most)
        for rank, lines in logs.items()
        if index < len(lines)
    ]
    mixed, separate = diagnose_text("\n".join(lines), RULES).hang, diagnose(name).hang
    assert mixed is not None and separate is not None
    assert title(mixed) == title(separate)
    assert [one.frames for one in mixed.odd] == [one.frames for one in separate.odd]


@pytest.mark.parametrize("name", EXPECTED)
def test_what_the_ranks_wait_for_is_no_cause_of_its_own(name: str) -> None:
    """A rule that names a cause would send the reader to another place than the rank that stopped."""
    assert diagnose(name).causes == ()


def test_without_the_log_of_the_late_rank_nothing_is_claimed_about_it() -> None:
    hang = diagnose_paths([str(HANGS / "late" / f"rank_{rank}.log") for rank in (0, 2)], RULES).hang
    assert hang is not None
    assert (hang.kind, hang.odd) == ("unclear", ())
