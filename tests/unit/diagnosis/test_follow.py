"""Logs that are still written: what is read of them, and when a failure has ended a process. The times are stated."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import GOES_ON
from vcompat.diagnosis.follow import SURE, UNSURE, Follower
from vcompat.diagnosis.log_search import Found, Search
from vcompat.foundation.errors import InputError

RULES = [make_rule(id="memory", symptoms=[{"pattern": "out of memory"}])]
FRAMES = 'Traceback (most recent call last):\n  File "/opt/train.py", line 3, in main\n    start()\n'
FAILURE = f"{FRAMES}MemoryError: out of memory\n"
QUIET = "".join(f"step {number}\n" for number in range(50))


class Following:
    """Logs that are followed; each look is at a time in seconds."""

    def __init__(self, *paths: Path) -> None:
        self.follower = Follower([str(path) for path in paths], Search(RULES))

    def ended(self, now: float) -> bool:
        while self.follower.look(now):
            pass
        return self.follower.has_ended(now)

    def found(self) -> list[Found]:
        return self.follower.end()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.touch()
    return path


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def errors(found: list[Found]) -> list[str]:
    return [failure.cause.error for each in found for failure in each.failures]


def test_a_failure_in_the_last_lines_has_ended_the_process_after_some_seconds(log: Path) -> None:
    following = Following(log)
    assert not following.ended(0)
    append(log, QUIET + FAILURE)
    assert not following.ended(1)
    assert not following.ended(1 + SURE - 0.1)
    assert following.ended(1 + SURE)
    assert [each.rule.id for each in following.found()[0].shown] == ["memory"]


def test_a_failure_that_is_written_in_pieces_is_one_failure(log: Path) -> None:
    following = Following(log)
    for number in range(0, len(FAILURE), 7):
        append(log, FAILURE[number : number + 7])
        assert not following.ended(number * 10.0)
    assert following.ended(len(FAILURE) * 10.0 + SURE)
    (found,) = following.found()
    assert errors([found]) == ["MemoryError: out of memory"]
    assert found.lines == 4


def test_half_a_traceback_is_no_end(log: Path) -> None:
    append(log, FRAMES)
    following = Following(log)
    assert not following.ended(0)
    assert not following.ended(1000)


def test_a_failure_that_other_lines_follow_has_to_stay_the_last_one_for_longer(log: Path) -> None:
    append(log, f"{FAILURE}\nsome program goes on\n")
    following = Following(log)
    assert not following.ended(0)
    assert not following.ended(UNSURE - 1)
    assert following.ended(UNSURE)


def test_a_consequence_has_to_stay_for_longer_since_the_cause_may_come(log: Path) -> None:
    append(log, f"{FRAMES}RuntimeError: Engine core initialization failed.\n")
    following = Following(log)
    assert not following.ended(0)
    assert not following.ended(SURE)
    assert following.ended(UNSURE)


@pytest.mark.parametrize(("lines", "ended"), [(GOES_ON // 2, True), (GOES_ON + 1, False)])
def test_a_program_that_goes_on_for_long_has_not_ended(log: Path, lines: int, ended: bool) -> None:
    append(log, FAILURE + "step\n" * lines)
    following = Following(log)
    assert not following.ended(0)
    assert following.ended(10 * UNSURE) is ended


def test_a_warning_with_a_traceback_is_no_end(log: Path) -> None:
    append(log, "".join(f"WARNING 06-05 02:45:37 [a.py:1] {line}\n" for line in FAILURE.splitlines()))
    following = Following(log)
    assert not following.ended(0)
    assert not following.ended(10 * UNSURE)


def test_one_process_has_ended_although_the_others_write(log: Path) -> None:
    append(log, "".join(f"[rank1]: {line}\n" for line in FAILURE.splitlines()))
    following = Following(log)
    assert not following.ended(0)
    append(log, "[rank0]: waiting\n" * 5)
    assert following.ended(SURE)


def test_lines_after_the_failure_begin_the_time_anew(log: Path) -> None:
    append(log, FAILURE)
    following = Following(log)
    assert not following.ended(0)
    append(log, FAILURE)
    assert not following.ended(SURE)
    assert following.ended(2 * SURE)


def test_a_truncated_log_is_read_from_its_beginning_and_what_it_had_is_kept(log: Path) -> None:
    append(log, QUIET + FAILURE)
    following = Following(log)
    assert not following.ended(0)
    log.write_text("short\n")
    assert not following.ended(1)
    assert not following.ended(1000)
    first, second = following.found()
    assert (errors([first]), errors([second]), second.lines) == (["MemoryError: out of memory"], [], 1)


def test_a_log_that_was_rotated_goes_on_in_the_new_file(log: Path) -> None:
    append(log, "first\n")
    following = Following(log)
    assert not following.ended(0)
    append(log, "last line before\n")
    log.rename(log.with_suffix(".1"))
    assert not following.ended(1)
    log.write_text(FAILURE)
    assert not following.ended(2)
    assert following.ended(2 + SURE)
    assert [(found.path, found.lines) for found in following.found()] == [(str(log), 2), (str(log), 4)]


def test_a_rotated_log_in_a_folder_is_not_read_twice(log: Path) -> None:
    append(log, FAILURE)
    following = Following(log.parent)
    assert not following.ended(0)
    log.rename(log.with_suffix(".1"))
    log.write_text("new\n")
    assert not following.ended(1)
    assert not following.ended(2)
    assert [found.lines for found in following.found()] == [4, 1]


def test_new_files_of_a_folder_are_read(tmp_path: Path) -> None:
    following = Following(tmp_path)
    assert not following.ended(0)
    (tmp_path / "rank_0").mkdir()
    (tmp_path / "rank_0" / "stderr.log").write_text(FAILURE)
    assert not following.ended(1)
    assert following.ended(1 + SURE)
    (found,) = following.found()
    assert found.failures[0].cause.line.process == os.path.join("rank_0", "stderr.log")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_new_file_of_a_folder_that_may_not_be_read_is_noted(tmp_path: Path) -> None:
    following = Following(tmp_path)
    (tmp_path / "a.log").touch(mode=0)
    (tmp_path / "b.log").write_text("step\n")
    assert not following.ended(0)
    assert {Path(found.path).name: found.note for found in following.found()} == {
        "a.log": "Permission denied",
        "b.log": "",
    }


def test_an_empty_folder_ends_without_an_answer(tmp_path: Path) -> None:
    following = Following(tmp_path)
    assert not following.ended(0)
    with pytest.raises(InputError, match="a folder without files"):
        following.found()


def test_a_log_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        Following(tmp_path / "none.log")


def test_compressed_logs_and_other_files_are_read_once_and_then_nothing_is_left_to_follow(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(FAILURE.encode()))
    (tmp_path / "b.bin").write_bytes(bytes(range(256)) * 10)
    following = Following(tmp_path / "a.gz", tmp_path / "b.bin")
    assert following.ended(0)
    first, second = following.found()
    assert (errors([first]), second.note) == (["MemoryError: out of memory"], "binary data, not a log")


def test_records_of_metrics_are_read_as_they_are_when_the_logs_end(log: Path) -> None:
    table, checkpoint = log.with_name("metrics.csv"), log.with_name("trainer_state.json")
    table.write_text("step,reward_std,kl\n1,0.5,0.1\n")
    checkpoint.write_text('{"log_history": [{"step": 1, "reward_std": 0.5}]}\n')
    following = Following(log.parent)
    assert not following.ended(0)
    append(table, "2,0.5,0.2\n")
    checkpoint.write_text('{"log_history": [{"step": 1, "reward_std": 0.5}, {"step": 2, "reward_std": 0.5}]}\n')
    append(log, FAILURE)
    assert not following.ended(1)
    assert following.ended(1 + SURE)
    steps = {
        Path(found.path).name: [len(series.values) for run in found.runs for series in run.all_series[:1]]
        for found in following.found()
    }
    assert steps == {"train.log": [], "metrics.csv": [2], "trainer_state.json": [2]}


def test_a_named_pipe_ends_when_its_writer_closes_it(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    following = Following(path)
    writer = os.open(path, os.O_WRONLY)
    assert not following.ended(0)
    os.write(writer, FAILURE.encode())
    assert not following.ended(1)
    os.close(writer)
    assert following.ended(2)
    assert errors(following.found()) == ["MemoryError: out of memory"]


def test_a_log_that_is_long_already_is_read_in_turns(log: Path) -> None:
    append(log, QUIET * 60_000 + FAILURE)
    following = Following(log)
    assert following.follower.look(0)
    assert not following.ended(0)
    assert following.ended(SURE)
    assert following.found()[0].lines == 50 * 60_000 + 4
