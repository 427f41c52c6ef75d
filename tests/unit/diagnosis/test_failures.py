"""Tracebacks and other failures in the lines of one process."""

from __future__ import annotations

import pytest

from vcompat.diagnosis.failures import Failure, failures, follows
from vcompat.diagnosis.logs.prefixes import parse_line

HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "/opt/a.py", line 3, in run\n    start()\n    ^^^^^^^\n'


def of(text: str) -> list[Failure]:
    return failures([parse_line(number, line) for number, line in enumerate(text.splitlines(), 1)])


def chains(text: str) -> list[list[str]]:
    return [[raised.error for raised in failure.chain] for failure in of(text)]


def test_a_traceback_is_a_failure_from_its_first_line_to_its_error() -> None:
    (failure,) = of(f"step 1\n{HEAD}{FRAME}ValueError: no\nstep 2\n")
    assert (failure.cause.error, failure.cause.first, failure.cause.last) == ("ValueError: no", 1, 5)
    assert failure.is_fatal


@pytest.mark.parametrize(
    "words",
    [
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    ],
)
def test_chained_exceptions_are_one_failure_whose_cause_is_the_first(words: str) -> None:
    text = f"{HEAD}{FRAME}KeyError: 'a'\n\n{words}\n\n{HEAD}{FRAME}RuntimeError: failed\n"
    assert chains(text) == [["KeyError: 'a'", "RuntimeError: failed"]]


def test_a_message_of_several_lines_does_not_break_a_chain() -> None:
    text = f"{HEAD}{FRAME}ValueError: one\nmore of it\nand more\n\nDuring handling of the above exception, another exception occurred:\n\n{HEAD}{FRAME}TypeError: two\n"
    assert chains(text) == [["ValueError: one", "TypeError: two"]]


def test_tracebacks_that_nothing_chains_are_failures_of_their_own() -> None:
    assert chains(f"{HEAD}{FRAME}ValueError: one\n{HEAD}{FRAME}ValueError: two\n") == [
        ["ValueError: one"],
        ["ValueError: two"],
    ]


def test_a_traceback_whose_head_is_cut_off_is_a_failure() -> None:
    (failure,) = of(f"{FRAME}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB\n")
    assert failure.is_fatal
    assert failure.cause.error == "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB"


def test_an_error_that_was_pasted_below_frames_with_their_indentation_is_theirs() -> None:
    (failure,) = of(f"{FRAME}  RuntimeError: no\n  more\n")
    assert failure.cause.error == "RuntimeError: no" and failure.has_traceback
    assert chains(f"{HEAD}{FRAME}  RuntimeError: no\nValueError: it\n") == [["ValueError: it"]]


def test_a_frame_behind_a_prefix_that_was_not_taken_off_is_no_error() -> None:
    assert chains(f'{HEAD}node1:   File "/opt/a.py", line 3, in run\nValueError: no\n') == [["ValueError: no"]]


@pytest.mark.parametrize("columns", [1, 4, 8])
def test_a_traceback_that_is_indented_as_a_whole_is_a_failure(columns: int) -> None:
    text = "".join(f"{' ' * columns}{line}\n" for line in f"{HEAD}{FRAME}ValueError: no\nmore".split("\n"))
    (failure,) = of(text)
    assert (failure.cause.error, failure.cause.last) == ("ValueError: no", 4)


def test_a_traceback_that_is_indented_as_a_whole_ends_without_its_head() -> None:
    text = "".join(f" {line}\n" for line in f"{FRAME}ValueError: no".split("\n"))
    assert chains(text) == [["ValueError: no"]]


def test_a_traceback_that_a_logger_writes_line_by_line_is_a_failure() -> None:
    text = "".join(
        f"ERROR 06-05 02:45:37 [core.py:515] {line}\n" for line in f"{HEAD}{FRAME}ValueError: no".split("\n")
    )
    assert chains(text) == [["ValueError: no"]]


def test_a_traceback_of_a_notebook_is_a_failure() -> None:
    text = "-----\nKeyError                  Traceback (most recent call last)\nCell In[1], line 2\n      1 import a\n----> 2 a.b()\n\nKeyError: 'x'\n"
    assert chains(text) == [["KeyError: 'x'"]]


def test_an_error_without_a_traceback_is_a_failure_that_may_not_be_fatal() -> None:
    (failure,) = of("WARNING 06-05 02:45:37 [a.py:1] ImportError: no module\n")
    assert not failure.is_fatal


@pytest.mark.parametrize(
    "line",
    [
        "LLVM ERROR: Unsupported rounding mode for conversion.",
        "python3: /a/Allocation.cpp:47: Assertion `!(a && b)' failed.",
        "Fatal Python error: none_dealloc: deallocating None",
        "terminate called after throwing an instance of 'c10::Error'",
        "*** SIGSEGV received at time=1",
        "train.py: error: unrecognized arguments: --x",
    ],
)
def test_what_aborts_a_process_is_fatal_without_a_traceback(line: str) -> None:
    assert [failure.is_fatal for failure in of(f"step 1\n{line}\n")] == [True]


@pytest.mark.parametrize("text", ["", "loss 0.1\n", "INFO 06-05 02:45:37 [a.py:1] no error so far\n", "  indented\n"])
def test_ordinary_lines_are_no_failure(text: str) -> None:
    assert of(text) == []


@pytest.mark.parametrize(
    ("error", "consequence"),
    [
        ("RuntimeError: Engine core initialization failed. See root cause above.", True),
        ("vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.", True),
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", True),
        ("torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15", True),
        ("torch.distributed.DistBackendError: NCCL communicator was aborted on rank 1.", True),
        ("RuntimeError: [unbound_buffer.cc:78] Timed out waiting 4000ms for recv operation to complete", True),
        ("RuntimeError: [pair.cc:589] Application timeout caused pair closure", True),
        ("RuntimeError: [Rank 0]: Rank 1 failed to pass monitoredBarrier in 2000 ms", True),
        ("Exception: WorkerProc initialization failed due to an exception in a background process.", True),
        ("ray.exceptions.ActorDiedError: The actor died unexpectedly", True),
        ("ConnectionResetError: [Errno 104] Connection reset by peer", True),
        ("ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0.", False),
        ("torch.OutOfMemoryError: CUDA out of memory.", False),
        ("AssertionError: Error in memory profiling.", False),
    ],
)
def test_what_follows_from_a_failure_elsewhere_is_a_consequence(error: str, consequence: bool) -> None:
    (failure,) = of(f"{HEAD}{FRAME}{error}\n")
    assert follows(failure) is consequence


DIRECT = "\nThe above exception was the direct cause of the following exception:\n\n"


@pytest.mark.parametrize(
    ("first", "second", "consequence"),
    [
        ("ConnectionRefusedError: [Errno 111]", "ConnectionError: The vLLM server can't be reached at x", False),
        ("ConnectionResetError: [Errno 104]", "BrokenPipeError: [Errno 32]", True),
        ("EngineDeadError: EngineCore encountered an issue", "ValueError: no answer", True),
        ("ValueError: no", "RuntimeError: Engine core initialization failed.", False),
    ],
)
def test_a_chain_is_a_consequence_if_it_names_no_cause(first: str, second: str, consequence: bool) -> None:
    (failure,) = of(f"{HEAD}{FRAME}{first}\n{DIRECT}{HEAD}{FRAME}{second}\n")
    assert follows(failure) is consequence


@pytest.mark.parametrize(
    "part", ["A", "a.", "A.", "Error", "Worker ", "Assertion `", " ", "[", "a: ", "/vllm/", "Watchdog "]
)
@pytest.mark.parametrize("start", ["", HEAD, FRAME])
def test_no_line_makes_a_pattern_try_without_end(start: str, part: str) -> None:
    assert len(of(f"{start}{part * 1000}\n")) <= 1
