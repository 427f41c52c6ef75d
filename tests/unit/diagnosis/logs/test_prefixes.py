"""What is read from the prefixes of a line: the process, the time, the level, and the text."""

from __future__ import annotations

import pytest

from vcompat.diagnosis.logs.prefixes import parse_line


def parts(text: str) -> tuple[str, str, str, str]:
    line = parse_line(1, text)
    return line.process, line.text, line.time, line.level


@pytest.mark.parametrize(
    ("raw", "process", "text"),
    [
        ("[rank3]: ValueError: x", "rank3", "ValueError: x"),
        ("[rank3]:   File", "rank3", "  File"),
        ("[default0]:[rank0]: x", "default0 rank0", "x"),
        ("3: x", "3", "x"),
        ("3:   File", "3", "  File"),
        ("(VllmWorker rank=1 pid=2345) x", "VllmWorker rank=1 pid=2345", "x"),
        ("(VllmWorkerProcess pid=99) x", "VllmWorkerProcess pid=99", "x"),
        ("(EngineCore_0 pid=12)   File", "EngineCore_0 pid=12", "  File"),
        ("(EngineCore_DP0 pid=12) x", "EngineCore_DP0 pid=12", "x"),
        ("(train_fn pid=12, ip=10.0.0.1) x", "train_fn pid=12, ip=10.0.0.1", "x"),
        ("(WorkerDict pid=1) (EngineCore_0 pid=2) x", "WorkerDict pid=1 EngineCore_0 pid=2", "x"),
        ("(worker pid=1) [repeated 3x across cluster] x", "worker pid=1", "x"),
        ("(head, rank=0, pid=12) x", "head, rank=0, pid=12", "x"),
        ("[1,3]<stderr>:  File", "3", " File"),
        ("trainer-1  |   File", "trainer-1", "  File"),
        ("[pod/train-0/main] x", "pod/train-0/main", "x"),
        ("10.0.0.2: [rank8]: x", "10.0.0.2 rank8", "x"),
        ("2025-06-05T02:45:37.123456789Z stderr F [rank0]: x", "rank0", "x"),
        ("> [rank0]: x", "rank0", "x"),
        ('{"log":"[rank0]:   File\\n","stream":"stderr","time":"2025-06-05T02:45:37Z"}', "rank0", "  File"),
        ("(pid=12, ip=10.0.0.1)   File", "pid=12, ip=10.0.0.1", "  File"),
        ("(pid=12) x", "pid=12", "x"),
        ("Mar 12 10:00:11 node1 train[12]:   File", "node1 train[12]", "  File"),
        ("2025-03-12T10:00:11+0000 node1 train[12]:   File", "node1 train[12]", "  File"),
        ("<14>1 2025-03-12T10:00:11Z node1 train 12 - -   File", "node1 train 12", "  File"),
        ("\ufeff[rank0]: x", "rank0", "x"),
        ("\x1b[36m(main_task pid=3)\x1b[0m x", "main_task pid=3", "x"),
    ],
)
def test_prefixes_that_name_a_process_are_taken_off_the_text(raw: str, process: str, text: str) -> None:
    assert parts(raw)[:2] == (process, text)


@pytest.mark.parametrize(
    ("raw", "text", "time", "level"),
    [
        ("ERROR 06-05 02:45:37 [core.py:515]   File", "  File", "06-05 02:45:37", "ERROR"),
        ("INFO 11-14 15:11:23 [v1/executor/abstract.py:306] x", "x", "11-14 15:11:23", "INFO"),
        ("ERROR 02-10 12:12:12 multiproc_worker_utils.py:242] x", "x", "02-10 12:12:12", "ERROR"),
        ("W0605 02:45:37.123000 140 torch/distributed/run.py:766] x", "x", "06-05 02:45:37", "WARNING"),
        ("[E605 02:45:37.123456789 ProcessGroupNCCL.cpp:616] x", "x", "06-05 02:45:37", "ERROR"),
        ("2025-06-05 02:45:37,123 - __main__ - ERROR - x", "x", "06-05 02:45:37", "ERROR"),
        ("[2025-06-05 02:45:37,123] [INFO] x", "x", "06-05 02:45:37", "INFO"),
        ("2025-06-05T02:45:37.1234567Z x", "x", "06-05 02:45:37", ""),
        ("[WARNING|trainer.py:816] 2024-11-01 12:00:00,123 >> x", "x", "11-01 12:00:00", "WARNING"),
        ("2025-03-12 10:00:11 - ERROR - __main__ -   File", "  File", "03-12 10:00:11", "ERROR"),
        ("03/12/2025 10:00:11 - INFO - trl.trainer - x", "x", "03-12 10:00:11", "INFO"),
        ("2025-03-12 10:00:11 - ERROR - loading - x", "loading - x", "03-12 10:00:11", "ERROR"),
        ("03/12/25 10:00:11   File", "  File", "03-12 10:00:11", ""),
        ("[03/12/25 10:00:11] x", "x", "03-12 10:00:11", ""),
        ("25/03/12 10:00:11   File", "  File", "03-12 10:00:11", ""),
        ("[2025-03-12 10:00:11,123] [ERROR] [x.py:12:fn]   File", "  File", "03-12 10:00:11", "ERROR"),
        ("2025-03-12 10:00:11.123 UTC   File", "  File", "03-12 10:00:11", ""),
        ("1741773611.123   File", "  File", "03-12 10:00:11", ""),
        ("[10:00:20]   File", "  File", "10:00:20", ""),
        ("10:00:20   File", "  File", "10:00:20", ""),
        ("10:00:20,123 ERROR x", "x", "10:00:20", "ERROR"),
        ("ERROR:root:x", "x", "", "ERROR"),
        ("[INFO:swift] x", "x", "", "INFO"),
        ("[WARNING:genesis.apply_all]   x", "  x", "", "WARNING"),
        ("[INFO|2025-06-01 10:00:00] llamafactory.hparams.parser:406 >> x", "x", "06-01 10:00:00", "INFO"),
        ("[WARNING|2025-06-01 10:00:00] parser.py:406 >> x", "x", "06-01 10:00:00", "WARNING"),
        ("INFO:     x", "x", "", "INFO"),
    ],
)
def test_prefixes_of_loggers_state_time_and_level(raw: str, text: str, time: str, level: str) -> None:
    assert parts(raw) == ("", text, time, level)


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: 3",
        "    return self.x",
        "    334     stdout_fd = sys.stdout.fileno()",
        "torch.OutOfMemoryError: CUDA out of memory. GPU 0 has a total capacity of 79.11 GiB",
        "[1, 2, 3]: x",
        "[0] is a list of one",
        "[stderr] x",
        "node1: x",
        "KeyError: 'a'",
        "#12 3.456 x",
        "Mar 12 was a Wednesday",
        "10:00:20",
        "1741773611.5",
        "10:00 x",
        '{"log": 3}',
        '{"log":',
        '{"log":' * 5000,
        "",
    ],
)
def test_a_text_without_prefixes_is_kept_as_it_is(text: str) -> None:
    assert parts(text) == ("", text, "", "")


def test_a_progress_bar_before_a_text_on_the_same_line_is_left_out() -> None:
    raw = "  5%|5         | 1/20 [00:01<00:20,  1.0s/it]Traceback (most recent call last):"
    assert parts(raw)[1] == "Traceback (most recent call last):"


def test_the_day_of_syslog_may_have_one_digit() -> None:
    assert parse_line(1, "Mar  2 10:00:11 node1 train[12]: x").time == "03-02 10:00:11"


def test_a_time_without_a_day_does_not_replace_one_with_a_day() -> None:
    assert parse_line(1, "2025-03-12T10:00:11Z 12:00:11 x").time == "03-12 10:00:11"


def test_a_line_without_the_name_of_a_process_has_that_of_its_log() -> None:
    assert parse_line(1, "x", "rank_2.log").process == "rank_2.log"


@pytest.mark.parametrize(
    "part",
    [
        "[rank1]: ",
        "(",
        "(a b=c ",
        "[pod/",
        "> ",
        "2025-06-05 02:45:37 - ",
        "1%|",
        "\x1b[",
        ":",
        "-",
        " ",
        "2025-06-05 02:45:37:",
        ": - ",
    ],
)
def test_a_line_full_of_prefixes_keeps_most_of_its_text(part: str) -> None:
    assert len(parse_line(1, part * 5000).text) >= len(part) * 5000 - 400 or part in ("> ", "\x1b[")


@pytest.mark.parametrize("part", [":", "-", " ", "a", "[", "a ", "- ", " - ", ": ", "a:", "[a] "])
@pytest.mark.parametrize("start", ["2025-06-05 02:45:37", "(a", "[WARNING|a", "INFO 06-05 02:45:37 "])
def test_no_line_makes_a_pattern_try_without_end(start: str, part: str) -> None:
    assert parse_line(1, f"{start}{part * 10_000}!").text.endswith("!")
