"""Processes that a signal has ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_text
from vcompat.diagnosis.killed import signal_in
from vcompat.report.diagnoses.diagnosis_wording import nothing
from vcompat.rules.database import load_rules


def diagnose(text: str) -> Diagnosis:
    return diagnose_text(text, load_rules())


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("  exitcode  : -9 (pid: 26684)  (SIGKILL)", "SIGKILL"),
        ("failed (exitcode: -11) local_rank: 1 (pid: 26684) of binary: /usr/bin/python", "SIGSEGV"),
        ("[launch.py:325:sigkill_handler] ['/usr/bin/python', 'train.py'] exits with return code = -9", "SIGKILL"),
        ("RuntimeError: Engine core initialization failed. Failed core proc(s): {'EngineCore_0': -9}", "SIGKILL"),
        ("torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with exit code -7", "SIGBUS"),
        ("container exited with code 137", "SIGKILL"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=12.0. Some of the step tasks have been OOM Killed.", "SIGKILL"),
        ("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=12.batch. Some of your processes may have been killed.", "SIGKILL"),
        ("srun: error: node7: task 3: Out Of Memory", "SIGKILL"),
        ("srun: error: node7: task 3: Bus error", "SIGBUS"),
        ("[12.5] Out of memory: Killed process 411 (python) total-vm:1kB", "SIGKILL"),
        ("    reason: OOMKilled", "SIGKILL"),
        ("Killed", "SIGKILL"),
        ("run.sh: line 3: 12 Killed                  python train.py", "SIGKILL"),
        ("bash: 32555 Killed                  python3 train.py", "SIGKILL"),
        ("Segmentation fault (core dumped)", "SIGSEGV"),
        ("Illegal instruction (core dumped)", "SIGILL"),
        ("  exitcode  : -15 (pid: 26684)  (SIGTERM)", ""),
        ("  exitcode  : 1 (pid: 26684)", ""),
        ("{'offset': -9}", ""),
        ("Killed 3 stale workers", ""),
        ("reward function exited with code 1", ""),
    ],
)  # fmt: skip
def test_a_line_states_the_signal_that_ended_a_process(line: str, name: str) -> None:
    assert signal_in(line) == name
    found = diagnose(f"step 1\n{line}\n")
    assert (found.failure is not None and bool(signal_in(found.failure.cause.error))) is bool(name)


def test_the_killed_rank_comes_before_what_the_others_say_of_it() -> None:
    gone = "[rank0]: RuntimeError: Connection closed by peer [10.0.0.1]:39306."
    found = diagnose(f"[rank0]: Traceback (most recent call last):\n{gone}\n  exitcode  : -9 (pid: 26684)  (SIGKILL)\n")
    assert found.failure is not None
    assert signal_in(found.failure.cause.error) == "SIGKILL"
    assert "memory of the host" in nothing(found)[1]


def test_an_error_that_a_process_printed_comes_before_the_signals_of_its_launcher() -> None:
    error = '[rank0]: Traceback (most recent call last):\n[rank0]:   File "a.py", line 1, in f\n[rank0]: KeyError: 1\n'
    found = diagnose(f"{error}  exitcode  : -9 (pid: 26684)  (SIGKILL)\n")
    assert found.failure is not None
    assert found.failure.cause.error == "KeyError: 1"


def test_what_a_shell_prints_of_a_killed_process() -> None:
    script = f"{sys.executable} -c 'import os; os.kill(os.getpid(), 9)'\necho done"
    printed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False).stderr
    found = diagnose(printed)
    assert found.failure is not None
    assert signal_in(found.failure.cause.error) == "SIGKILL"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("slurmstepd: error: *** JOB 12 ON node7 CANCELLED AT 2025-06-05T02:45:37 DUE TO TIME LIMIT ***", "the time limit"),
        ("slurmstepd: error: *** STEP 12.0 ON n7 CANCELLED AT 2025-06-05T02:45:37 DUE TO TIME LIMIT ***", "the time limit"),
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "the time limit"),
        ("=>> PBS: job killed: walltime 3610 exceeded limit 3600", "the time limit"),
        ("  reason: DeadlineExceeded", "the time limit"),
        ("slurmstepd: error: *** JOB 12 ON node7 CANCELLED AT 2025-06-05T02:45:37 DUE TO PREEMPTION ***", "preemption"),
        ("*** JOB 12 ON n7 CANCELLED AT 2025-06-05T02:45:37 DUE TO NODE FAILURE, SEE SLURMCTLD LOG ***", "the failure of a node"),
    ],
)  # fmt: skip
def test_a_job_that_the_scheduler_has_ended_is_a_failure_of_its_own(line: str, reason: str) -> None:
    signals = "[rank0]: torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15\n"
    found = diagnose(f"step 1\n{signals}{line}\n{signals}")
    assert found.failure is not None and found.failure.cause.error == line.strip()
    assert nothing(found)[1].startswith(f"The scheduler ended the job because of {reason}. ")


def test_a_job_that_somebody_has_cancelled_has_no_failure() -> None:
    assert diagnose("slurmstepd: error: *** JOB 12 ON node7 CANCELLED AT 2025-06-05T02:45:37 ***\n").failure is None
