"""Real runs of three processes over gloo, of which one does not go on: `vcompat diagnose` names it, and where it is.

`tests/cases/hangs` keeps logs of such runs. They run with the torch of this environment, and with that of each of the
interpreters that VCOMPAT_TORCH_PYTHONS names, separated by colons.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_paths
from vcompat.diagnosis.waiting.own import own_frame
from vcompat.diagnosis.waiting.why_waiting import DIVERGED, ENDED, LATE, RENDEZVOUS, Hang
from vcompat.rules.database import load_rules

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "tests.e2e.hanging"
ODD, WORLD = 1, 3
#: Seconds for the collective that does not end, and before a run is given up. Only the latter depends on the load.
TIMEOUT, PATIENCE = 3, 300
RULES = load_rules(thorough=False)

pytest.importorskip("torch")

PYTHONS = [sys.executable, *filter(None, os.environ.get("VCOMPAT_TORCH_PYTHONS", "").split(":"))]
#: The folder that keeps the logs of these runs, if it is set: each in a folder named after the release and the test.
KEEP = os.environ.get("VCOMPAT_KEEP_HANGS")


class Run:
    """The processes of a run, each with a log of its own."""

    def __init__(self, python: str, folder: Path, how: str, seconds: float = TIMEOUT) -> None:
        self.python, self.folder, self.how = python, folder, how
        self.logs = [folder / f"rank_{rank}.log" for rank in range(WORLD)]
        self.processes = [self._start(rank, how, seconds) for rank in range(WORLD)]

    def _start(self, rank: int, how: str, seconds: float) -> subprocess.Popen[bytes]:
        with self.logs[rank].open("wb") as log:
            return subprocess.Popen(
                [self.python, "-m", SCRIPT, how, str(self.folder), str(seconds)],
                cwd=ROOT,
                env=environment({"RANK": str(rank), "WORLD_SIZE": str(WORLD), "LOCAL_RANK": str(rank)}),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait(self, late: bool = False) -> None:
        """Wait until the processes have ended; all but the odd one if that is `late`."""
        for rank, process in enumerate(self.processes):
            if not (late and rank == ODD):
                process.wait(PATIENCE)

    def end(self) -> None:
        """End what still runs."""
        for process in self.processes:
            process.kill()
            process.wait()

    def diagnose(self) -> Diagnosis:
        """Diagnose the logs of all ranks."""
        keep(self.python, self.how, self.logs)
        return diagnose_paths([str(log) for log in self.logs], RULES)


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """The variables of a rank: vcompat of this checkout, one thread, only the loopback device."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", **more}


def keep(python: str, how: str, logs: Sequence[Path]) -> None:
    """Keep logs, without paths of this machine."""
    if KEEP is None:
        return
    ask = "import sys, torch; print(torch.__version__.partition('+')[0], sys.prefix)"
    release, prefix = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.split()
    folder = Path(KEEP) / f"{how.replace(' ', '-')}-{release}"
    folder.mkdir(parents=True, exist_ok=True)
    for log in logs:
        text = log.read_text().replace(prefix, "/opt/env").replace(str(ROOT), "/opt/project")
        (folder / log.name).write_text(text.replace(str(log.parent), "/tmp/run"))


@pytest.fixture(params=PYTHONS)
def python(request: pytest.FixtureRequest) -> str:
    """An interpreter that has torch."""
    assert isinstance(request.param, str)
    return request.param


@pytest.fixture
def start(python: str, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def begin(how: str, seconds: float = TIMEOUT) -> Run:
        runs.append(Run(python, tmp_path, how, seconds))
        return runs[-1]

    yield begin
    for run in runs:
        run.end()


def hang_of(found: Diagnosis) -> Hang:
    assert found.hang is not None
    return found.hang


def assert_others_wait(hang: Hang) -> None:
    """The other ranks wait in the all_reduce of `train`."""
    assert [member.name for member in hang.waiting] == ["rank 0", "rank 2"]
    for member in hang.waiting:
        own = own_frame(member.frames)
        assert (member.does, member.collective) == ("waits", "all_reduce")
        assert own is not None and own.function == "train" and own.file.endswith("hanging.py")


@pytest.mark.slow
def test_a_rank_that_computes_rewards_is_named_with_its_last_line(start: Callable[..., Run]) -> None:
    run = start("late")
    run.wait(late=True)
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (LATE, "likely")
    (odd,) = hang.odd
    assert odd.name == "rank 1" and odd.last is not None
    assert odd.last.line.text == "computing rewards" and odd.since == odd.last.line.time != ""
    assert_others_wait(hang)


def test_the_dump_of_faulthandler_shows_where_a_late_rank_is(start: Callable[..., Run]) -> None:
    run = start("late with dumps")
    run.wait(late=True)
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (LATE, "certain")
    (odd,) = hang.odd
    assert [frame.function for frame in odd.frames][:3] == ["reward", "misbehave", "train"]
    assert_others_wait(hang)


def test_an_exception_of_one_rank_is_why_the_other_ranks_wait(start: Callable[..., Run]) -> None:
    # The interpreter takes seconds to end, and only then the other ranks lose the connection.
    run = start("raises", PATIENCE)
    run.wait()
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (ENDED, "certain")
    (odd,) = hang.odd
    assert odd.error == "ValueError: a completion has no reward"
    assert odd.frames[0].function == "misbehave"
    assert_others_wait(hang)


@pytest.mark.slow
def test_a_rank_that_was_killed_is_named_although_its_log_just_stops(start: Callable[..., Run]) -> None:
    run = start("killed")
    run.wait()
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (ENDED, "likely")
    assert [member.name for member in hang.odd] == ["rank 1"]
    assert_others_wait(hang)


def test_ranks_in_different_collectives_are_told_apart(start: Callable[..., Run]) -> None:
    run = start("diverged")
    run.wait()
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (DIVERGED, "likely")
    (odd,) = hang.odd
    own = own_frame(odd.frames)
    assert (odd.name, odd.collective) == ("rank 1", "broadcast")
    assert own is not None and own.function == "misbehave"
    assert_others_wait(hang)


def test_ranks_in_different_collectives_that_torch_compares_are_certain(start: Callable[..., Run]) -> None:
    run = start("diverged with checks")
    run.wait()
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (DIVERGED, "certain")
    (odd,) = hang.odd
    own = own_frame(odd.frames)
    assert (odd.name, odd.collective) == ("rank 1", "BROADCAST")
    assert own is not None and own.function == "misbehave"
    assert [(member.name, member.collective) for member in hang.waiting] == [
        ("rank 0", "ALLREDUCE"),
        ("rank 2", "ALLREDUCE"),
    ]


@pytest.mark.slow
def test_a_rank_that_calls_a_collective_of_objects_instead_is_told_apart(start: Callable[..., Run]) -> None:
    run = start("skips")
    run.wait()
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (DIVERGED, "likely")
    (odd,) = hang.odd
    assert (odd.name, odd.collective) == ("rank 1", "all_gather_object")
    assert odd.last is not None and odd.last.line.text == "step 2 is skipped"
    assert_others_wait(hang)


@pytest.mark.slow
def test_a_rank_that_never_connects_to_the_store_is_named(start: Callable[..., Run]) -> None:
    # Long enough to reach the store on a busy machine.
    run = start("absent", 20)
    run.wait(late=True)
    hang = hang_of(run.diagnose())
    assert (hang.kind, hang.certainty) == (RENDEZVOUS, "certain")
    (odd,) = hang.odd
    assert odd.name == "rank 1" and odd.last is not None
    assert odd.last.line.text == "loading the model" and odd.since == odd.last.line.time != ""
    for member in hang.waiting:
        own = own_frame(member.frames)
        assert (member.does, member.collective) == ("waits", "init_process_group")
        assert own is not None and own.function == "connect"


@pytest.mark.slow
def test_a_healthy_run_does_not_hang(start: Callable[..., Run]) -> None:
    run = start("healthy", PATIENCE)
    run.wait()
    assert run.diagnose().hang is None


def test_stacks_that_py_spy_prints_show_the_late_rank(start: Callable[..., Run]) -> None:
    py_spy = shutil.which("py-spy", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if py_spy is None:
        pytest.skip("py-spy is not installed")
    run = start("late", 10 * PATIENCE)
    expected = ["all_reduce", "reward", "all_reduce"]
    until = time.monotonic() + PATIENCE
    while True:
        for rank, process in enumerate(run.processes):
            done = subprocess.run([py_spy, "dump", "--pid", str(process.pid)], capture_output=True, check=False)
            (run.folder / f"rank_{rank}.stack").write_bytes(done.stdout)
            if done.returncode and b"ermission" in done.stderr:
                pytest.skip("py-spy may not read other processes here")
        stacks = [(run.folder / f"rank_{rank}.stack").read_text() for rank in range(WORLD)]
        if all(f"    {name} (" in text for name, text in zip(expected, stacks, strict=True)):
            break
        assert time.monotonic() < until, stacks
        time.sleep(0.2)
    paths = [run.folder / f"rank_{rank}.stack" for rank in range(WORLD)]
    keep(run.python, "py-spy", paths)
    hang = hang_of(diagnose_paths([str(path) for path in paths], RULES))
    # Without a timeout, stacks show one moment only.
    assert (hang.kind, hang.certainty) == (LATE, "likely")
    assert [(odd.name, odd.frames[0].function) for odd in hang.odd] == [("rank 1", "reward")]
    assert [member.collective for member in hang.waiting] == ["all_reduce", "all_reduce"]


@pytest.mark.slow
def test_torchrun_reports_the_signal_that_ended_a_rank(python: str, tmp_path: Path) -> None:
    # With a long interval, the launcher ends no rank that has not printed its error.
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", str(WORLD), "--monitor-interval", "10", "--tee", "3"]
    done = subprocess.run(
        [python, *launcher, "-m", SCRIPT, "killed", str(tmp_path), str(TIMEOUT)],
        cwd=ROOT,
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=PATIENCE,
    )
    (tmp_path / "run.log").write_bytes(done.stdout)
    keep(python, "killed-torchrun", [tmp_path / "run.log"])
    hang = hang_of(diagnose_paths([str(tmp_path / "run.log")], RULES))
    assert (hang.kind, hang.certainty) == (ENDED, "certain")
    assert [(odd.name, odd.error) for odd in hang.odd] == [("rank 1", signal.SIGKILL.name)]
    assert_others_wait(hang)
