"""Why ranks wait for each other, by what NCCL's watchdog, stores and launchers print.

The lines of NCCL have the form that ProcessGroupNCCL.cpp gives them in several releases of torch.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from click import unstyle

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_paths, diagnose_text
from vcompat.diagnosis.waiting.rank_of_line import rank_of_path
from vcompat.diagnosis.waiting.why_waiting import Hang
from vcompat.report.diagnoses import diagnosis as diagnosis_text
from vcompat.report.diagnoses.hang import title

RULES = [make_rule(id="one", symptoms=[{"pattern": "out of memory"}])]

_WORK = "WorkNCCL(SeqNum={number}, OpType={operation}, NumelIn={size}, NumelOut={size}, Timeout(ms)=600000)"
_TIMEOUT = f"Watchdog caught collective operation timeout: {_WORK} ran for 600042 milliseconds before timing out."
_BEHIND = "last enqueued NCCL work: {number}, last completed NCCL work: {before}."
_SIGNAL = (
    "Received a dump signal due to a collective timeout from {source} and we will try our best to dump the debug info. "
    "Last enqueued NCCL work: {number}, last completed NCCL work: {before}.This is most likely caused by incorrect usages "
    "of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks"
)
#: What the watchdog prints of a timeout, by release of torch, and what it prints on a rank that has not timed out.
TIMEOUTS = {
    "2.1": [f"[E ProcessGroupNCCL.cpp:475] [Rank {{rank}}] {_TIMEOUT}"],
    "2.3": [
        f"[rank{{rank}}]:[E ProcessGroupNCCL.cpp:523] [Rank {{rank}}] {_TIMEOUT}",
        f"[rank{{rank}}]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank {{rank}}] Timeout at NCCL work: {{number}}, {_BEHIND}",
    ],
    "2.4": [
        f"[rank{{rank}}]:[E709 17:05:38.162146912 ProcessGroupNCCL.cpp:607] [Rank {{rank}}] {_TIMEOUT}",
        "[rank{rank}]:[E709 17:05:38.162575187 ProcessGroupNCCL.cpp:1664] [PG 0 (default_pg) Rank {rank}] Exception (either "
        f"an error or timeout) detected by watchdog at work: {{number}}, {_BEHIND}",
    ],
    "2.5": [
        f"[rank{{rank}}]:[E709 17:05:38.162288810 ProcessGroupNCCL.cpp:616] [Rank {{rank}}] {_TIMEOUT}",
        "[rank{rank}]:[E709 17:05:38.162705810 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
        f"Exception (either an error or timeout) detected by watchdog at work: {{number}}, {_BEHIND}",
    ],
    "2.7": [
        f"[rank{{rank}}]:[E709 17:05:38.162288810 ProcessGroupNCCL.cpp:632] [Rank {{rank}}] {_TIMEOUT}",
        "[rank{rank}]:[E709 17:05:38.162814866 ProcessGroupNCCL.cpp:2271] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  "
        "failure detected by watchdog at work sequence id: {number} PG status: last enqueued work: {number}, last "
        "completed work: {before}",
        "[rank{rank}]:[E709 17:05:38.162832798 ProcessGroupNCCL.cpp:670] Stack trace of the failed collective:",
        "#0 all_reduce from /opt/env/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py:2810",
        "#1 step from /opt/project/train.py:40",
        "#2 <module> from /opt/project/train.py:60",
        "",
    ],
}
SIGNALS = {
    "2.6": "[rank{rank}]:[E709 17:05:38.482119928 ProcessGroupNCCL.cpp:1746] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
    f"{_SIGNAL}",
}


def timeout(release: str, rank: int, number: int = 7, operation: str = "ALLREDUCE", size: int = 1) -> list[str]:
    """What the watchdog of a rank prints in a release."""
    values = {"rank": rank, "number": number, "operation": operation, "size": size, "before": number - 1}
    return [line.format(**values) for line in TIMEOUTS[release]]


def idle(rank: int, number: int, source: str = " rank 0") -> list[str]:
    """What a rank prints that has completed all of its work when another rank times out."""
    return [SIGNALS["2.6"].format(rank=rank, number=number, before=number, source=source)]


def diagnose(*lines: str) -> Diagnosis:
    return diagnose_text("\n".join(lines), RULES)


def hang_of(*lines: str) -> Hang:
    hang = diagnose(*lines).hang
    assert hang is not None
    return hang


def names(hang: Hang) -> tuple[list[str], list[str]]:
    return [one.name for one in hang.odd], [one.name for one in hang.waiting]


@pytest.mark.parametrize("release", TIMEOUTS)
def test_all_ranks_in_the_same_collective_leave_the_network(release: str) -> None:
    hang = hang_of(*(line for rank in range(3) for line in timeout(release, rank)))
    assert (hang.kind, hang.certainty) == ("same collective", "likely")
    assert names(hang) == ([], ["rank 0", "rank 1", "rank 2"])
    assert {(one.collective, one.number, one.seconds) for one in hang.waiting} == {("ALLREDUCE", 7, 600.042)}


@pytest.mark.parametrize("release", TIMEOUTS)
def test_different_collectives_of_one_number_are_certain(release: str) -> None:
    lines = [*timeout(release, 0), *timeout(release, 1, operation="BROADCAST"), *timeout(release, 2)]
    hang = hang_of(*lines)
    assert (hang.kind, hang.certainty) == ("diverged", "certain")
    assert names(hang) == (["rank 1"], ["rank 0", "rank 2"])
    assert hang.odd[0].collective == "BROADCAST"


def test_the_same_collective_with_another_size_is_another_collective() -> None:
    hang = hang_of(*timeout("2.7", 0), *timeout("2.7", 1, size=4))
    assert (hang.kind, hang.certainty) == ("diverged", "certain")
    # Of two ranks, none is known to be the one that is wrong.
    assert names(hang) == (["rank 0", "rank 1"], [])


def test_collectives_of_several_numbers_are_likely_different_ones() -> None:
    hang = hang_of(*timeout("2.7", 0, 8), *timeout("2.7", 1, 7, "BROADCAST"), *timeout("2.7", 2, 8))
    assert (hang.kind, hang.certainty) == ("diverged", "likely")
    assert names(hang)[0] == ["rank 1"]


def test_a_rank_that_has_completed_all_of_its_work_is_late() -> None:
    hang = hang_of("[rank2]: scoring", *timeout("2.7", 0), *timeout("2.7", 1), *idle(2, 6))
    assert (hang.kind, hang.certainty) == ("late", "certain")
    assert names(hang) == (["rank 2"], ["rank 0", "rank 1"])
    last = hang.odd[0].last
    assert last is not None and last.line.text == "scoring"
    assert hang.odd[0].completed == 6


def test_the_stack_of_the_collective_shows_which_call_of_the_script_waits() -> None:
    hang = hang_of(*timeout("2.7", 0), *idle(1, 6))
    assert [frame.function for frame in hang.waiting[0].frames] == ["all_reduce", "step", "<module>"]


def test_the_time_since_when_a_rank_waits_is_that_of_the_timeout_less_its_length() -> None:
    hang = hang_of(*timeout("2.5", 0), *idle(1, 6))
    assert hang.waiting[0].since == "07-09 16:55:38"


def test_the_rank_within_a_group_is_not_taken_for_the_rank() -> None:
    """The default group has the same ranks; the line about the timeout does not state the group, but the next one does."""
    lines = [
        "[rank9]:[E709 17:05:38.1 ProcessGroupNCCL.cpp:683] [Rank 1] "
        + _TIMEOUT.format(number=5, operation="_ALLGATHER_BASE", size=8),
        "[rank9]:[E709 17:05:38.2 ProcessGroupNCCL.cpp:2241] [PG ID 5 PG GUID 37(TENSOR_MODEL_PARALLEL_GROUP) Rank 1]  "
        "failure detected by watchdog at work sequence id: 5 PG status: last enqueued work: 9, last completed work: 4",
    ]
    found = diagnose(*lines)
    assert found.hang is not None
    assert names(found.hang) == ([], ["rank 9"])
    # A log of its own, without the prefix of torch.
    alone = hang_of(*(line.removeprefix("[rank9]:") for line in lines))
    assert [one.rank for one in alone.waiting] == [None]


def test_collectives_of_several_groups_are_only_possibly_the_cause() -> None:
    group = "[PG ID 5 PG GUID 37(tp) Rank 0]  failure detected by watchdog at work sequence id: 7 PG status: "
    other = [timeout("2.7", 1)[0], f"[rank1]:{group}last enqueued work: 7, last completed work: 6"]
    hang = hang_of(*timeout("2.7", 0), *other)
    assert (hang.kind, hang.certainty) == ("diverged", "possible")
    assert not hang.is_explained


def test_a_rank_that_was_killed_before_the_others_gave_up_is_the_cause() -> None:
    launcher = "E0709 17:01:00.000000 99 torch/distributed/elastic/multiprocessing/api.py:869] "
    hang = hang_of(
        *(line for rank in (0, 2, 3) for line in timeout("2.7", rank)),
        f"{launcher}failed (exitcode: -9) local_rank: 1 (pid: 32042) of binary: /usr/bin/python3",
    )
    assert (hang.kind, hang.certainty) == ("ended", "certain")
    assert names(hang) == (["rank 1"], ["rank 0", "rank 2", "rank 3"])
    assert (hang.odd[0].error, hang.odd[0].since) == ("SIGKILL", "07-09 17:01:00")


def test_the_table_of_torchrun_tells_the_rank_of_a_process_on_another_node() -> None:
    hang = hang_of(
        *timeout("2.7", 0),
        "failed (exitcode: -9) local_rank: 1 (pid: 32042) of binary: /usr/bin/python3",
        "[0]:",
        "  time      : 2026-07-09_17:01:00",
        "  rank      : 9 (local_rank: 1)",
        "  exitcode  : -9 (pid: 32042)",
    )
    assert names(hang) == (["rank 9"], ["rank 0"])


def test_the_watchdogs_own_abort_and_the_launchers_signals_are_no_causes() -> None:
    hang = hang_of(
        *timeout("2.7", 0),
        *timeout("2.7", 1),
        "[rank0]: terminate called after throwing an instance of 'c10::DistBackendError'",
        "[rank0]: Fatal Python error: Aborted",
        "[rank0]: Thread 0x00007f31 (most recent call first):",
        '[rank0]:   File "/opt/project/train.py", line 40 in step',
        "failed (exitcode: -6) local_rank: 0 (pid: 1) of binary: /usr/bin/python3",
        "  rank      : 1 (local_rank: 1)",
        "  exitcode  : -15 (pid: 2)",
    )
    assert hang.kind == "same collective"


def test_a_crash_of_compiled_code_is_where_its_stack_is() -> None:
    hang = hang_of(
        "[rank1]: Fatal Python error: Segmentation fault",
        "[rank1]: ",
        "[rank1]: Current thread 0x00007f31 (most recent call first):",
        '[rank1]:   File "/opt/project/score.py", line 4 in parse',
        '[rank1]:   File "/opt/project/train.py", line 40 in step',
        *timeout("2.3", 0),
    )
    assert (hang.kind, names(hang)[0]) == ("ended", ["rank 1"])
    assert hang.odd[0].frames[0].function == "parse"


def test_a_failure_after_the_timeout_is_only_possibly_the_cause() -> None:
    own = ["Traceback (most recent call last):", '  File "/opt/train.py", line 1, in f', "ValueError: later"]
    hang = hang_of(*timeout("2.3", 0), *(f"[rank1]: {line}" for line in own))
    assert (hang.kind, hang.certainty) == ("ended", "possible")


def test_monitored_barrier_names_the_ranks_that_are_missing() -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "/opt/train.py", line 9, in <module>',
        '  File "/opt/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 1, in monitored_barrier',
        "RuntimeError: [Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 2000 ms",
    ]
    hang = hang_of(
        *(f"[rank0]: {line}" for line in lines),
        "[rank2]: [gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 4000ms for recv operation to complete",
    )
    assert (hang.kind, hang.certainty) == ("late", "certain")
    assert names(hang)[0] == ["rank 1", "rank 3"]


def test_the_desync_report_names_the_ranks_that_did_not_join() -> None:
    report = "\t     [1, 2] finished collective #6, but didn't join collective #7 (count from 1)"
    assert names(hang_of(*timeout("2.5", 0), report))[0] == ["rank 1", "rank 2"]


def test_torchs_own_comparison_of_collectives_is_certain() -> None:
    hang = hang_of(
        "[rank0]: RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=1, OpType=ALLREDUCE, TensorShape=[4], TensorDtypes=Float, TensorDeviceTypes="
        "TensorOptions(dtype=float (default), device=cpu)), but Rank 1 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=1, OpType=BROADCAST, TensorShape=[4], TensorDtypes=Float)."
    )
    assert (hang.kind, hang.certainty) == ("diverged", "certain")
    assert [(one.name, one.collective) for one in hang.odd] == [("rank 0", "ALLREDUCE"), ("rank 1", "BROADCAST")]


@pytest.mark.parametrize(
    "line",
    [
        "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.",
        "torch.distributed.DistStoreError: wait timeout after 300000ms, keys: /default_pg/0/store_based_barrier_key:1",
        "torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to connect to "
        "(10.0.0.1, 29500).",
        "torch.distributed.DistStoreError: Socket Timeout",
        "RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: "
        "store_based_barrier_key:1 (world_size=2, worker_count=1, timeout=0:30:00)",
        "RuntimeError: Gloo connectFullMesh failed with [pair.cc:144] timed out connecting: SO_ERROR: Connection refused",
    ],
)
def test_a_process_that_does_not_connect_is_waited_for_at_the_store(line: str) -> None:
    hang = hang_of(
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "/opt/project/train.py", line 9, in main',
        "[rank0]:     dist.init_process_group()",
        f"[rank0]: {line}",
    )
    assert (hang.kind, names(hang)) == ("rendezvous", ([], ["rank 0"]))
    assert hang.waiting[0].frames[0].function == "main"


def test_a_watchdog_that_is_stuck_is_of_the_rank_that_is_late() -> None:
    stuck = (
        "[rank1]:[E709 17:05:38.1 ProcessGroupNCCL.cpp:1316] [PG ID 0 PG GUID 0(default_pg) Rank 1] ProcessGroupNCCL's "
        "watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. "
    )
    hang = hang_of(*timeout("2.7", 0), stuck)
    assert (hang.kind, hang.certainty, names(hang)[0]) == ("late", "likely", ["rank 1"])


def test_watchdogs_that_are_stuck_on_all_ranks_are_a_hang_in_a_call_that_no_log_names() -> None:
    stuck = (
        "[rank{rank}]:[E306 00:30:11.7 ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
        "ProcessGroupNCCL's watchdog got stuck for 600 seconds without making progress in monitoring enqueued collectives. "
    )
    lines = [stuck.format(rank=rank) for rank in range(3)]
    hang = hang_of(*lines)
    assert (hang.kind, hang.certainty, names(hang)) == ("stuck", "likely", ([], ["rank 0", "rank 1", "rank 2"]))
    assert not hang.is_explained and title(hang).endswith("on ranks 0-2 (watchdog got stuck)")
    assert "py-spy dump --native" in diagnosis_text.render(diagnose_text("\n".join(lines), RULES), 200)
    assert "its watchdog makes no progress" in diagnosis_text.render(diagnose_text(lines[1], RULES), 200)


def test_the_main_thread_counts_and_not_what_it_has_started() -> None:
    lines = [
        "Timeout (0:05:00)!",
        "Thread 0x00007f31 (most recent call first):",
        '  File "/usr/lib/python3.11/threading.py", line 331 in wait',
        "",
        "Thread 0x00007f32 (most recent call first):",
        '  File "/opt/project/rewards.py", line 8 in score',
        '  File "/opt/project/train.py", line 40 in step',
    ]
    hang = hang_of(*timeout("2.7", 0), *(f"[rank1]: {line}" for line in lines))
    assert (hang.kind, hang.certainty) == ("late", "certain")
    assert [frame.function for frame in hang.odd[0].frames] == ["score", "step"]


def test_stacks_of_a_run_that_went_on_to_its_end_are_no_hang() -> None:
    dumps = [
        line
        for rank, call in ((0, "/env/torch/distributed/distributed_c10d.py"), (1, "/opt/train.py"))
        for line in (
            f"[rank{rank}]: Timeout (0:05:00)!",
            f"[rank{rank}]: Thread 0x00007f32 (most recent call first):",
            f'[rank{rank}]:   File "{call}", line 8 in all_reduce',
            f"[rank{rank}]: ",
        )
    ]
    assert diagnose(*dumps).hang is not None
    assert diagnose(*dumps, "{'train_runtime': 12.3, 'train_loss': 0.1}").hang is None


def test_a_lost_connection_alone_is_no_hang() -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "/opt/train.py", line 9, in <module>',
        "RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:25809",
    ]
    assert diagnose(*(f"[rank0]: {line}" for line in lines)).hang is None


def test_a_log_without_such_lines_is_no_hang() -> None:
    assert diagnose("step 1", "[rank0]: Traceback (most recent call last):", "[rank0]: ValueError: x").hang is None


def test_a_known_reason_for_the_hang_counts_as_a_cause_and_needs_no_lead() -> None:
    found = diagnose("[rank1]: scoring", *timeout("2.7", 0), *idle(1, 6))
    assert found.is_cause_found
    assert found.leads == ()
    assert not diagnose(*timeout("2.7", 0)).is_cause_found


@pytest.mark.parametrize(
    ("path", "rank"),
    [
        ("logs/rank_3.log", 3),
        ("logs/attempt_0/12/stderr.log", 12),
        ("logs/train.rank7.err", 7),
        ("worker-2.log", 2),
        ("log.5", 5),
        ("rank_4/stdout.txt", 4),
        ("train.log", None),
        ("train-20250301.log", None),
        ("frank1234567.log", None),
    ],
)
def test_the_path_of_a_log_can_name_its_rank(path: str, rank: int | None) -> None:
    assert rank_of_path(path) == rank


def test_a_number_in_the_name_of_the_only_log_is_no_rank(tmp_path: Path) -> None:
    path = f"{tmp_path}/run-12.log"
    with open(path, "w") as file:
        file.write("\n".join(line.removeprefix("[rank0]:") for line in timeout("2.7", 0)[2:]) or "x")
    assert diagnose_paths([path], RULES).hang is None


OWN = ["Traceback (most recent call last):", '  File "/opt/train.py", line 1, in score', "ValueError: no reward"]


def test_an_exception_that_the_rank_has_coped_with_is_not_why_it_is_late() -> None:
    """It is logged as an error, and hundreds of steps later the rank stops."""
    steps = [f"[rank1]: step {number}" for number in range(300)]
    hang = hang_of(*(f"[rank1]: {line}" for line in OWN), *steps, *timeout("2.7", 0), *idle(1, 6))
    assert (hang.kind, hang.certainty) == ("late", "certain")
    last = hang.odd[0].last
    assert last is not None and last.line.text == "step 299"


def test_a_late_rank_comes_before_a_failure_that_came_after_the_timeout() -> None:
    hang = hang_of(*timeout("2.3", 0), *(f"[rank1]: {line}" for line in OWN), "[rank2]: scoring", *idle(2, 6))
    assert (hang.kind, [one.name for one in hang.odd]) == ("late", ["rank 2"])


def test_an_abort_of_a_compiler_ends_a_rank() -> None:
    hang = hang_of("[rank1]: LLVM ERROR: operation destroyed but still has uses", *timeout("2.3", 0))
    assert (hang.kind, [one.error for one in hang.odd]) == (
        "ended",
        ["LLVM ERROR: operation destroyed but still has uses"],
    )


def test_what_a_shell_states_at_the_end_of_a_ranks_own_log_is_why_it_ended(tmp_path: Path) -> None:
    (tmp_path / "rank_0.log").write_text("\n".join(timeout("2.7", 0)))
    (tmp_path / "rank_1.log").write_text("step 1\nrun.sh: line 3: 12 Killed  python train.py\n")
    hang = diagnose_paths([str(tmp_path)], RULES).hang
    assert hang is not None
    assert [(one.name, one.error) for one in hang.odd] == [("rank 1", "SIGKILL")]


def test_a_launcher_that_reports_a_signal_without_a_rank_is_no_rank() -> None:
    hang = hang_of(*timeout("2.7", 0), *timeout("2.7", 1), "srun: error: node1: task 0: Killed")
    assert hang.kind == "same collective"


def test_the_last_line_of_a_rank_that_stopped_long_before_the_end_of_a_log_is_found() -> None:
    others = [f"[rank0]: 2026-07-09 16:50:{number % 60:02} step {number}" for number in range(5000)]
    hang = hang_of("[rank1]: 2026-07-09 16:40:00 scoring", *others, *timeout("2.7", 0))
    assert (hang.kind, [one.since for one in hang.odd]) == ("late", ["07-09 16:40:00"])


@pytest.mark.long
def test_tens_of_thousands_of_such_lines_take_seconds() -> None:
    lines = [line for number in range(8_000) for rank in (0, 1) for line in timeout("2.5", rank, number)]
    begun = time.process_time()
    assert diagnose(*lines).hang is not None
    assert time.process_time() - begun < 60


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_lines_that_are_cut_and_mixed_raise_nothing(seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        *(line for release in TIMEOUTS for rank in range(3) for line in timeout(release, rank, operation="BROADCAST")),
        *idle(2, 6),
        *OWN,
        "Timeout (0:05:00)!",
        "Thread 0x00007f31 (most recent call first):",
        '  File "/opt/project/score.py", line 4 in parse',
        'Thread 12 (idle): "MainThread"',
        "    step (train.py:3)",
        "  rank      : 9 (local_rank: 1)",
        "  exitcode  : -9 (pid: 32042)",
        "[rank0]: [1, 2] finished collective #6, but didn't join collective #7 (count from 1)",
    ]
    for _ in range(30):
        text = "\n".join(chance.sample(lines, len(lines)))
        start = chance.randrange(200)
        found = diagnose(text[start : len(text) - chance.randrange(200)])
        diagnosis_text.render(found, 80)


def test_ranks_of_vllms_engine_are_not_taken_for_those_of_the_trainer() -> None:
    worker = "(VllmWorker rank=1 pid=12) INFO 07-09 16:00:00 [worker.py:1] loaded"
    hang = hang_of(worker, "[rank1]: scoring", *timeout("2.7", 0), *idle(1, 6))
    assert [one.last.line.text for one in hang.odd if one.last] == ["scoring"]
    alone = hang_of(worker, *(f"(VllmWorker rank=0 pid=11) {timeout('2.1', 0)[0]}",))
    assert [one.name for one in alone.odd] == ["rank 1"]


TABLE = [
    "  time      : 2026-07-09_{time}",
    "  rank      : 1 (local_rank: 1)",
    "  exitcode  : -9 (pid: 32042)  (SIGKILL)",
]


def table(time: str) -> list[str]:
    """What torchrun prints of a rank that was killed."""
    return [line.format(time=time) for line in TABLE]


def test_a_late_rank_that_torchrun_kills_in_the_end_is_late() -> None:
    forced = "Unable to shutdown process 32042 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL"
    hang = hang_of("[rank1]: scoring", *timeout("2.7", 0), *idle(1, 6), forced, *table("17:06:10"))
    assert (hang.kind, hang.certainty, names(hang)[0]) == ("late", "certain", ["rank 1"])


def test_the_time_in_the_table_of_torchrun_tells_what_came_first() -> None:
    """A rank is killed before the timeout, or after it and because of it."""
    before = hang_of(*timeout("2.7", 0), *table("17:01:00"))
    assert (before.kind, before.certainty, before.odd[0].since) == ("ended", "certain", "07-09 17:01:00")
    after = hang_of("[rank1]: scoring", *timeout("2.7", 0), *idle(1, 6), *table("17:06:10"))
    assert (after.kind, names(after)[0]) == ("late", ["rank 1"])


def test_a_timeout_of_an_earlier_run_in_the_same_log_is_forgotten() -> None:
    assert diagnose(*timeout("2.7", 0), "{'train_runtime': 12.3, 'train_loss': 0.1}").hang is None
    assert diagnose("{'train_runtime': 12.3, 'train_loss': 0.1}", *timeout("2.7", 0)).hang is not None


def mismatch(
    rank: int, operation: str, other: int, another: str, shape: str = "4", function: str = "step"
) -> list[str]:
    """What a rank prints whose collective torch has compared with that of another one."""
    call = "CollectiveFingerPrint(SequenceNumber=2, OpType={}, TensorShape=[{}], TensorDtypes=Float)"
    lines = [
        "Traceback (most recent call last):",
        f'  File "/opt/project/train.py", line 9, in {function}',
        f"RuntimeError: Detected mismatch between collectives on ranks. Rank {rank} is running collective: "
        f"{call.format(operation, shape)}, but Rank {other} is running collective: {call.format(another, '4')}.",
    ]
    return [f"[rank{rank}]: {line}" for line in lines]


def test_of_several_mismatches_the_rank_that_is_unlike_the_others_is_named() -> None:
    lines = [
        *mismatch(0, "ALLREDUCE", 1, "BROADCAST"),
        *mismatch(1, "BROADCAST", 0, "ALLREDUCE", function="skip"),
        *mismatch(2, "ALLREDUCE", 1, "BROADCAST"),
    ]
    hang = hang_of(*lines)
    assert (hang.kind, hang.certainty, names(hang)) == ("diverged", "certain", (["rank 1"], ["rank 0", "rank 2"]))
    assert (hang.odd[0].collective, hang.odd[0].frames[0].function) == ("BROADCAST", "skip")
    assert [one.frames[0].function for one in hang.waiting] == ["step", "step"]


def test_a_mismatch_of_shapes_shows_the_shapes() -> None:
    hang = hang_of(*mismatch(0, "ALLREDUCE", 1, "ALLREDUCE", shape="8"))
    assert [(one.name, one.size) for one in hang.odd] == [("rank 0", "TensorShape=[8]"), ("rank 1", "TensorShape=[4]")]


def test_a_last_line_without_a_time_is_after_the_one_before_that_has_one() -> None:
    found = diagnose("[rank2]: 2026-07-09 16:40:00 step 1", "[rank2]: scoring", *timeout("2.7", 0), *idle(2, 6))
    hang = found.hang
    assert hang is not None and hang.odd[0].since == ""
    assert "after 07-09 16:40:00, its last line: scoring" in unstyle(diagnosis_text.render(found, 80))


def test_warnings_of_the_store_are_not_what_a_rank_did() -> None:
    hang = hang_of(
        "[rank0]: starting",
        "[rank0]: [W1126 19:24:05.324 socket.cpp:489] [c10d] waitForInput: socket SocketImpl(fd=12) timed out after 4000ms",
        "[rank0]: torch.distributed.DistStoreError: wait timeout after 4000ms, keys: /0//cpu//0/1",
        "[rank1]: loading the model",
    )
    assert (hang.kind, names(hang)) == ("rendezvous", (["rank 1"], ["rank 0"]))
    assert [one.last.line.text for one in (*hang.odd, *hang.waiting) if one.last] == ["loading the model", "starting"]
    assert title(hang) == "rank 1 does not connect, and rank 0 waits for it"
